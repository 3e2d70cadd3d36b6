//! Credentials of apps: JSON web tokens and installation tokens.

mod access_tokens;
mod app_jwt;

use std::sync::LazyLock;

use crate::support::fixtures::octo_org;
use crate::support::{Client, Service, jwt};

static STATE: LazyLock<String> = LazyLock::new(|| {
    octo_org(&["mona"])
        .org("other-org", "")
        .repo("octo-org/one", "private: true")
        .repo("octo-org/two", "private: true")
        .repo("octo-org/three", "private: true")
        .repo("other-org/theirs", "")
        .helper("contents: write, issues: read, administration: write")
        .app("rival", "other-org", "contents: write", "client_id: Iv23rival, private_key_file: rival.pem")
        .installation("helper", "octo-org", "[octo-org/one, octo-org/two]")
        .installation("helper", "other-org", "all, suspended: true")
        .installation("rival", "octo-org", "all")
        .classic("mona", "repo", "ghp_monamona")
        .to_string()
});
/// The installations, in the order of the state file.
const HELPER_ON_OCTO: &str = "/app/installations/1/access_tokens";
const HELPER_ON_OTHER: &str = "/app/installations/2/access_tokens";
const RIVAL_ON_OCTO: &str = "/app/installations/3/access_tokens";

async fn service() -> Service {
    let service = Service::with("").await;
    service.write_app_key("helper.pem");
    std::fs::write(service.directory().join("rival.pem"), rival_key()).expect("the file can be written");
    service.apply(&STATE).await;
    service
}

/// The key of the other app.
fn rival_key() -> &'static str {
    static KEY: std::sync::LazyLock<String> =
        std::sync::LazyLock::new(|| plinth_core::apps::generate_key().private_pem);
    &KEY
}

/// The app with a valid JWT.
fn helper(service: &Service) -> Client<'_> {
    service.with_token(&jwt::sign(service.app_key(), &jwt::claims("Iv23helper")))
}
