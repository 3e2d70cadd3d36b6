//! URLs in responses have the host and the prefix that the caller used.

use std::net::IpAddr;

use http::Method;

use super::{service, service_with};
use plinth_api::settings::Settings;

const PROXY: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));

async fn api_url(client: &crate::support::Client<'_>, path: &str) -> String {
    let response = client.get(&format!("{path}/repos/octo-org/hello")).await.expect(200);
    let url = response.json()["url"].as_str().expect("a repository has a URL").to_owned();
    url.strip_suffix("/repos/octo-org/hello").expect("its own URL").to_owned()
}

#[tokio::test]
async fn both_path_prefixes_serve_api_with_matching_urls() {
    let service = service().await;
    let client = service.anonymous();
    assert_eq!(api_url(&client, "").await, "http://plinth.test");
    assert_eq!(api_url(&client, "/api/v3").await, "http://plinth.test/api/v3");
    let plain = client.get("/repos/octo-org/hello").await;
    let prefixed = client.get("/api/v3/repos/octo-org/hello").await;
    let text = String::from_utf8(prefixed.body.to_vec()).expect("JSON is text");
    assert_eq!(
        text.replace("http://plinth.test/api/v3/", "http://plinth.test/"),
        String::from_utf8(plain.body.to_vec()).expect("JSON is text")
    );
    assert_eq!(prefixed.json()["html_url"], "http://plinth.test/octo-org/hello");
    for root in ["/", "/api/v3", "/api/v3/"] {
        let response = client.get(root).await.expect(200);
        let expected = if root == "/" { "http://plinth.test/user" } else { "http://plinth.test/api/v3/user" };
        assert_eq!(response.json()["current_user_url"], expected, "{root}");
    }
    let made =
        service.with_token("ghp_monamona").post("/api/v3/user/repos", serde_json::json!({ "name": "new" })).await;
    assert_eq!(made.header("location"), Some("http://plinth.test/api/v3/repos/mona/new"));
    let missing = client.get("/api/v3/repos/octo-org/nothing").await.expect(404);
    assert_eq!(missing.json()["documentation_url"], "http://plinth.test/docs#repos/get");
}

#[tokio::test]
async fn response_urls_have_host_of_request() {
    let service = service().await;
    for (host, expected) in [
        ("127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("[::1]:8080", "http://[::1]:8080"),
        ("Forge.Example", "http://Forge.Example"),
        ("evil.test/path", "http://localhost"),
        ("user@evil.test", "http://localhost"),
        ("a b", "http://localhost"),
        ("evil.test?x", "http://localhost"),
        ("evil.test>; rel=next", "http://localhost"),
        ("", "http://localhost"),
    ] {
        assert_eq!(api_url(&service.anonymous().header("host", host), "").await, expected, "{host}");
    }
    assert_eq!(api_url(&service.anonymous().header("host", &"a".repeat(256)), "").await, "http://localhost");
}

/// In HTTP/2 the host is part of the target, without a header.
#[tokio::test]
async fn host_in_absolute_target_is_used() {
    let service = service().await;
    let client = service.anonymous().without_host();
    let response = client.send(Method::GET, "http://forge.test:9000/repos/octo-org/hello", "").await.expect(200);
    assert_eq!(response.json()["url"], "http://forge.test:9000/repos/octo-org/hello");
}

#[tokio::test]
async fn forwarded_headers_apply_only_from_trusted_proxy() {
    let service = service_with(Settings { trusted_proxies: vec![PROXY.into()], ..Settings::default() }).await;
    let client = service.anonymous().header("x-forwarded-proto", "https").header("x-forwarded-host", "public.test");
    assert_eq!(api_url(&client.clone().from(PROXY), "").await, "https://public.test");
    assert_eq!(api_url(&client, "").await, "http://plinth.test");
    let odd =
        service.anonymous().header("x-forwarded-proto", "javascript").header("x-forwarded-host", "a b").from(PROXY);
    assert_eq!(api_url(&odd, "").await, "http://plinth.test");
}

#[tokio::test]
async fn configured_public_url_overrides_request() {
    let settings = Settings {
        public_url: Some("https://forge.example".into()),
        trusted_proxies: vec![PROXY.into()],
        ..Settings::default()
    };
    let service = service_with(settings).await;
    let client = service.anonymous().header("x-forwarded-host", "other.test").from(PROXY);
    assert_eq!(api_url(&client, "").await, "https://forge.example");
    assert_eq!(api_url(&client, "/api/v3").await, "https://forge.example/api/v3");
    let missing = client.get("/repos/octo-org/nothing").await.expect(404);
    assert_eq!(missing.json()["documentation_url"], "https://forge.example/docs#repos/get");
}
