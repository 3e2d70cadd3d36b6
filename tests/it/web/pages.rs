//! Pages and files for browsers.

use crate::support::Service;
use plinth_api::settings::Settings;

const ASSETS: &[(&str, &str)] = &[
    ("/docs", "text/html; charset=utf-8"),
    ("/docs/explorer.css", "text/css; charset=utf-8"),
    ("/docs/explorer.js", "text/javascript; charset=utf-8"),
    ("/favicon.svg", "image/svg+xml"),
    ("/favicon.ico", "image/svg+xml"),
    ("/openapi.json", "application/json; charset=utf-8"),
    ("/avatars/1", "image/svg+xml"),
];

#[tokio::test]
async fn static_files_have_type_etag_policy_and_date() {
    let service = Service::with("").await;
    for (path, content_type) in ASSETS {
        let response = service.anonymous().get(path).await.expect(200);
        assert_eq!(response.header("content-type"), Some(*content_type), "{path}");
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"), "{path}");
        let policy = response.header("content-security-policy").expect("there is a policy").to_owned();
        assert!(policy.starts_with("default-src 'none'; "), "{path}: {policy}");
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert!(response.header("cache-control").is_some_and(|text| text.starts_with("public, max-age=")), "{path}");
        let tag = response.header("etag").expect("there is a tag").to_owned();
        let again = service.anonymous().header("if-none-match", &tag).get(path).await.expect(304);
        // A browser updates stored headers from a 304, too.
        assert_eq!(again.header("content-security-policy"), Some(policy.as_str()), "{path}");
        assert_eq!(again.header("cache-control"), response.header("cache-control"), "{path}");
        assert_eq!(again.header("etag"), Some(tag.as_str()), "{path}");
        assert!(again.body.is_empty(), "{path}");
    }
}

#[tokio::test]
async fn content_security_policy_allows_only_own_files() {
    let service = Service::with("").await;
    let response = service.anonymous().get("/docs").await.expect(200);
    assert_eq!(
        response.header("content-security-policy"),
        Some(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
             form-action 'none'; frame-ancestors 'none'"
        )
    );
    let page = String::from_utf8(response.body.to_vec()).expect("the page is text");
    let inline = page.split_whitespace().find(|word| word.starts_with("on") && word.contains("=\""));
    assert!(!page.contains("style=") && !page.contains("<style") && inline.is_none(), "nothing inline");
    assert_eq!(page.matches("<script").count(), page.matches("<script src=").count());
    for path in ["/docs", "/docs/explorer.css", "/docs/explorer.js"] {
        let text = service.anonymous().get(path).await.expect(200).body;
        let text = String::from_utf8(text.to_vec()).expect("files are text");
        let outside = text.match_indices("://").map(|(at, _)| &text[at.saturating_sub(8)..(at + 20).min(text.len())]);
        let outside: Vec<&str> = outside.filter(|url| !url.contains("http://www.w3.or")).collect();
        assert!(outside.is_empty(), "{path} names other hosts: {outside:?}");
    }
}

/// Errors link to these anchors, and clients recognize rate limits by them.
#[tokio::test]
async fn page_has_anchors_of_error_links() {
    let service = Service::with("").await;
    let page = String::from_utf8(service.anonymous().get("/docs").await.body.to_vec()).expect("the page is text");
    for id in ["rate-limits-for-the-rest-api", "about-secondary-rate-limits"] {
        assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
    }
}

#[tokio::test]
async fn pages_do_not_count_against_rate_limit() {
    let service = Service::with_settings("", Settings::default()).await;
    let before = service.anonymous().get("/rate_limit").await.json()["resources"]["core"]["used"].clone();
    for (path, _) in ASSETS {
        service.anonymous().get(path).await.expect(200);
    }
    assert_eq!(service.anonymous().get("/rate_limit").await.json()["resources"]["core"]["used"], before);
    service.anonymous().get("/meta").await.expect(200);
    assert_ne!(service.anonymous().get("/rate_limit").await.json()["resources"]["core"]["used"], before);
}

#[tokio::test]
async fn every_account_has_avatar() {
    let service = Service::with("users: [{ login: mona }, { login: hubot }]").await;
    let picture = |login: &'static str| {
        let service = &service;
        async move {
            let user = service.anonymous().get(&format!("/users/{login}")).await.expect(200).json();
            let url = user["avatar_url"].as_str().expect("it is a URL").replace("http://plinth.test", "");
            service.anonymous().get(&url).await.expect(200).body
        }
    };
    assert_ne!(picture("mona").await, picture("hubot").await);
    assert!(picture("mona").await.starts_with(b"<svg "));
    service.anonymous().get("/avatars/mona").await.expect(404);
    service.anonymous().get("/avatars/99999999999999999999").await.expect(404);
}
