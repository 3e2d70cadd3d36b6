//! Checks that every link to a page, in every response of every test, is one that the pages respond to.

use axum::body::Body;
use http::Request;
use plinth_api::middleware::Pages;
use plinth_web::WebPages;
use serde_json::Value;

use super::Response;

/// Larger responses repeat what smaller ones have.
const BYTES_MAX: usize = 1 << 20;

/// Panics if a link of the response leads to no page.
pub fn check(target: &str, response: &Response) {
    let is_json = response.header("content-type").is_some_and(|kind| kind.starts_with("application/json"));
    if !is_json || response.body.len() > BYTES_MAX || response.header("content-encoding").is_some() {
        return;
    }
    let Ok(body) = serde_json::from_slice::<Value>(&response.body) else { return };
    visit(&body, "", &mut |key, url| {
        let (_, path) = url.split_once("://").and_then(|(_, rest)| rest.split_once('/')).unwrap_or_default();
        let path = path.split('#').next().unwrap_or_default();
        let request = Request::get(format!("/{path}")).header("accept", "text/html").body(Body::empty());
        let is_page = request.is_ok_and(|request| WebPages.accepts(&request, &|| false));
        assert!(is_page, "{target}: {key} {url} leads to no page");
    });
}

/// Calls `found` for each link to a page.
fn visit(value: &Value, key: &str, found: &mut impl FnMut(&str, &str)) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                let is_link = key == "_links" && name == "html";
                match (is_link, &value["href"]) {
                    (true, Value::String(url)) => found("_links.html", url),
                    _ => visit(value, name, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| visit(item, key, found)),
        Value::String(url) if key.ends_with("html_url") && !url.is_empty() => found(key, url),
        _ => {}
    }
}
