//! A browser without scripts: it sends what browsers send, stores cookies, follows redirects and submits forms.

use std::collections::BTreeMap;
use std::sync::Mutex;

use http::Method;

use crate::support::{Client, Response, Service};

/// As Chromium sends it.
const ACCEPT: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8";
/// Plain HTTP is good enough for cookies there.
const HOST: &str = "127.0.0.1:8080";
const REDIRECTS_MAX: usize = 5;

pub struct Browser<'a> {
    service: &'a Service,
    cookies: Mutex<BTreeMap<String, String>>,
}

impl<'a> Browser<'a> {
    pub fn new(service: &'a Service) -> Self {
        Self { service, cookies: Mutex::new(BTreeMap::new()) }
    }

    /// Signs in through the form.
    pub async fn signed_in(service: &'a Service, token: &str) -> Self {
        let browser = Self::new(service);
        browser.get("/-/sign-in").await.expect(200);
        let signed_in = browser.submit("/-/sign-in", "/-/sign-in", &[("token", token)]).await;
        assert_eq!(signed_in.status, 303, "{signed_in}");
        browser
    }

    pub fn cookies(&self) -> BTreeMap<String, String> {
        self.cookies.lock().expect("no test panics here").clone()
    }

    pub fn set_cookie(&self, name: &str, value: &str) {
        self.cookies.lock().expect("no test panics here").insert(name.into(), value.into());
    }

    pub fn client(&self) -> Client<'a> {
        let cookies = self.cookies();
        let client = self.service.anonymous().header("host", HOST).header("accept", ACCEPT);
        if cookies.is_empty() {
            return client;
        }
        let cookies: Vec<String> = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        client.header("cookie", &cookies.join("; "))
    }

    /// Gets a page, after redirects.
    pub async fn get(&self, path: &str) -> Response {
        let mut path = path.split('#').next().unwrap_or_default().to_owned();
        for _ in 0..REDIRECTS_MAX {
            let response = self.client().get(&path).await;
            self.store_cookies(&response);
            match response.header("location") {
                Some(location) if response.status == 303 => {
                    path = location.split('#').next().unwrap_or_default().to_owned();
                }
                _ => return response,
            }
        }
        panic!("{path} redirects without an end");
    }

    /// The text of a page.
    pub async fn page(&self, path: &str) -> String {
        let response = self.get(path).await.expect(200);
        String::from_utf8(response.body.to_vec()).expect("pages are UTF-8")
    }

    /// Sends a form with the token that the page at `page` has.
    pub async fn submit(&self, page: &str, action: &str, fields: &[(&str, &str)]) -> Response {
        let shown = self.page(page).await;
        let token = attribute_after(&shown, "name=\"form_token\" value=\"");
        let fields = fields.iter().copied().chain([("form_token", token.as_str())]);
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let client = self.client().header("content-type", "application/x-www-form-urlencoded");
        let client = client.header("origin", &format!("http://{HOST}"));
        let response = client.send(Method::POST, action, body).await;
        self.store_cookies(&response);
        response
    }

    fn store_cookies(&self, response: &Response) {
        let mut cookies = self.cookies.lock().expect("no test panics here");
        for line in response.headers.get_all("set-cookie") {
            let line = line.to_str().expect("cookies are text");
            let (name, rest) = line.split_once('=').expect("a cookie has a name");
            if line.contains("Max-Age=0") {
                cookies.remove(name);
            } else {
                cookies.insert(name.into(), rest.split(';').next().unwrap_or_default().into());
            }
        }
    }
}

/// The rest of an attribute whose beginning is known.
pub fn attribute_after(page: &str, start: &str) -> String {
    let (_, rest) = page.split_once(start).unwrap_or_else(|| panic!("{start} is not in {page}"));
    rest.split('"').next().unwrap_or_default().to_owned()
}
