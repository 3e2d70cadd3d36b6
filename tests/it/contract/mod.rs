//! What every operation promises, whatever it is about.

mod cache_scope;
mod conditional;
mod cors_and_headers;
mod errors;
mod faults;
mod hostile_input;
mod kept;
mod known;
mod limits;
mod media_and_versions;
mod pages;
mod prefixes;
mod taken_away;

use crate::support::{Answer, Service};
use plinth_api::middleware::ApiService;
use plinth_api::routes::Routes;
use plinth_api::settings::Settings;

/// Someone with everything, someone with little, an app, and a repository of each visibility.
const STATE: &str = "
users: [{ login: mona, name: Mona }, { login: hubot }]
orgs: [{ login: octo-org, members: [{ user: mona, role: admin }] }]
repos:
  - { name: octo-org/hello }
  - { name: octo-org/secret, private: true }
apps: [{ slug: helper, owner: octo-org, permissions: { contents: read, administration: write }, client_id: Iv23helper, private_key_file: helper.pem }]
installations: [{ app: helper, account: octo-org, repositories: all }]
tokens:
  - { kind: classic, user: mona, scopes: [repo, admin:org, delete_repo], token: ghp_monamona }
  - { kind: classic, user: mona, scopes: [repo], token: ghp_monasecond }
  - { kind: classic, user: hubot, scopes: [repo], token: ghp_hubothubot }
  - { kind: fine_grained, user: mona, owner: octo-org, permissions: { contents: read }, token: github_pat_mona }
  - { kind: app_user, user: mona, app: helper, token: ghu_monamona }
  - { kind: installation, app: helper, account: octo-org, token: ghs_helperhelper }
";

/// The usual state with budgets off.
async fn service() -> Service {
    let mut settings = Settings::default();
    settings.rate_limits.enforced = false;
    service_with(settings).await
}

/// The usual state with these settings.
async fn service_with(settings: Settings) -> Service {
    let service = Service::with_settings("", settings).await;
    service.write_app_key("helper.pem");
    service.apply(STATE).await;
    service
}

/// One GET of a user with a token through a gate with routes of the test's own.
async fn get_through(service: &Service, routes: Routes, path: &str) -> Answer {
    use http_body_util::BodyExt;
    let gate = ApiService::new(service.app.clone(), routes);
    let request = http::Request::get(path).header("host", "plinth.test").header("authorization", "Bearer ghp_monamona");
    let request = request.body(axum::body::Body::empty()).expect("the test's request is well formed");
    let response = gate.respond(request, std::net::IpAddr::from([127, 0, 0, 1])).await;
    let (parts, body) = response.into_parts();
    let body = body.collect().await.expect("an answer can be read").to_bytes();
    Answer { status: parts.status.as_u16(), headers: parts.headers, body }
}
