//! Conventions that hold for every operation.

mod authorization_cache;
mod cache_scope;
mod caches_off;
mod conditional;
mod cors_and_headers;
mod errors;
mod faults;
mod hostile_input;
mod limits;
mod media_and_versions;
mod null_keys;
mod pages;
mod prefixes;
mod response_cache;
mod revocation;
mod shared_bodies;

use std::sync::LazyLock;

use crate::support::fixtures::StateFile;
use crate::support::{Response, Service};
use plinth_api::middleware::ApiService;
use plinth_api::routes::Routes;
use plinth_api::settings::Settings;

/// A user with many rights, one with few, an app, and a repository of each visibility.
static STATE: LazyLock<String> = LazyLock::new(|| {
    StateFile::default()
        .entry("users", "login: mona, name: Mona")
        .users(&["hubot"])
        .org("octo-org", "{ user: mona, role: admin }")
        .repo("octo-org/hello", "")
        .repo("octo-org/secret", "private: true")
        .helper("contents: read, administration: write")
        .installation("helper", "octo-org", "all")
        .classic("mona", "repo, admin:org, delete_repo", "ghp_monamona")
        .classic("mona", "repo", "ghp_monasecond")
        .classic("hubot", "repo", "ghp_hubothubot")
        .fine_grained("mona", "octo-org", "contents: read", "github_pat_mona")
        .app_user("mona", "helper", "ghu_monamona")
        .installation_token("helper", "octo-org", "ghs_helperhelper")
        .to_string()
});

/// The usual fixture without rate limits.
async fn service() -> Service {
    let mut settings = Settings::default();
    settings.rate_limits.enforced = false;
    service_with(settings).await
}

/// The usual fixture with these settings.
async fn service_with(settings: Settings) -> Service {
    let service = Service::with_settings("", settings).await;
    service.write_app_key("helper.pem");
    service.apply(&STATE).await;
    service
}

/// Sends a GET with a token through an API service that has only the test's routes.
async fn get_through(service: &Service, routes: Routes, path: &str) -> Response {
    use http_body_util::BodyExt;
    let api = ApiService::new(service.app.clone(), routes.into_matcher().into(), None);
    let request = http::Request::get(path).header("host", "plinth.test").header("authorization", "Bearer ghp_monamona");
    let request = request.body(axum::body::Body::empty()).expect("the test's request is well formed");
    let response = api.respond(request, std::net::IpAddr::from([127, 0, 0, 1])).await;
    let (parts, body) = response.into_parts();
    let body = body.collect().await.expect("a response can be read").to_bytes();
    Response { status: parts.status.as_u16(), headers: parts.headers, body }
}
