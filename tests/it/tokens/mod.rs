//! Tokens of apps: how an app proves who it is, and what it gets for it.

mod access_tokens;
mod app_jwt;

use crate::support::{Client, Service, jwt};

const STATE: &str = "
users: [{ login: mona }]
orgs: [{ login: octo-org, members: [{ user: mona, role: admin }] }, { login: other-org }]
repos:
  - { name: octo-org/one, private: true }
  - { name: octo-org/two, private: true }
  - { name: octo-org/three, private: true }
  - { name: other-org/theirs }
apps:
  - { slug: helper, owner: octo-org, client_id: Iv23helper, private_key_file: helper.pem, permissions: { contents: write, issues: read, administration: write } }
  - { slug: rival, owner: other-org, client_id: Iv23rival, private_key_file: rival.pem, permissions: { contents: write } }
installations:
  - { app: helper, account: octo-org, repositories: [octo-org/one, octo-org/two] }
  - { app: helper, account: other-org, repositories: all, suspended: true }
  - { app: rival, account: octo-org, repositories: all }
tokens: [{ kind: classic, user: mona, scopes: [repo], token: ghp_monamona }]
";
/// The installations, in the order in which the state makes them.
const HELPER_ON_OCTO: &str = "/app/installations/1/access_tokens";
const HELPER_ON_OTHER: &str = "/app/installations/2/access_tokens";
const RIVAL_ON_OCTO: &str = "/app/installations/3/access_tokens";

async fn service() -> Service {
    let service = Service::with("").await;
    service.write_app_key("helper.pem");
    std::fs::write(service.directory().join("rival.pem"), rival_key()).expect("the folder takes a file");
    service.apply(STATE).await;
    service
}

/// The key of the other app.
fn rival_key() -> &'static str {
    static KEY: std::sync::LazyLock<String> =
        std::sync::LazyLock::new(|| plinth_core::apps::generate_key().private_pem);
    &KEY
}

/// The app itself, with everything right.
fn helper(service: &Service) -> Client<'_> {
    service.with_token(&jwt::sign(service.app_key(), &jwt::claims("Iv23helper")))
}
