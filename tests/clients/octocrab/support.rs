//! Clients of every kind, and checks of error responses.

use std::fmt::Debug;

use octocrab::models::AppId;
use octocrab::{Error, GitHubError, Octocrab};
use serde_json::Value;

pub const MONA: &str = "ghp_monaEverything";
pub const MONA_WITHOUT_SCOPE: &str = "ghp_monaNoScope";
pub const HUBOT: &str = "ghp_hubotMember";
pub const STRANGER: &str = "ghp_strangerNobody";
pub const HUBOT_READS: &str = "github_pat_hubotReads";
pub const MONA_THROUGH_APP: &str = "ghu_monaThroughHelper";
pub const HELPER: &str = "ghs_helperOnOctoOrg";

/// The URL of the service, without a trailing slash.
pub fn url() -> String {
    setting("PLINTH_URL")
}

pub fn with(token: &str) -> Octocrab {
    let builder = Octocrab::builder().base_uri(url()).expect("it is a URL");
    builder.personal_token(token.to_owned()).build().expect("a client")
}

pub fn anonymous() -> Octocrab {
    Octocrab::builder().base_uri(url()).expect("it is a URL").build().expect("a client")
}

/// The app `helper`, which signs with its own key.
pub fn app() -> Octocrab {
    let id: u64 = setting("PLINTH_APP_ID").parse().expect("a number");
    let key = std::fs::read(setting("PLINTH_APP_KEY")).expect("the key of the app");
    let builder = Octocrab::builder().base_uri(url()).expect("it is a URL");
    builder.app_from_rsa_pem(AppId(id), key).expect("a key").build().expect("a client")
}

/// The error response, as the client reports it.
pub fn rejection<T: Debug>(result: octocrab::Result<T>) -> GitHubError {
    match result {
        Err(Error::GitHub { source, .. }) => *source,
        other => panic!("that should have been rejected: {other:?}"),
    }
}

/// Checks status and message, and the link to the operation's description.
pub fn assert_rejected<T: Debug>(result: octocrab::Result<T>, status: u16, message: &str) {
    let rejection = rejection(result);
    assert_eq!((rejection.status_code.as_u16(), rejection.message.as_str()), (status, message), "{rejection:?}");
    let documentation = rejection.documentation_url.expect("a way to the description");
    assert!(documentation.starts_with(&url()), "{documentation}");
}

/// The client's method returns nothing for a status without a body, so this requests the status only.
pub async fn delete(client: &Octocrab, route: &str) -> octocrab::Result<u16> {
    let response = octocrab::map_github_error(client._delete(route, None::<&()>).await?).await?;
    Ok(response.status().as_u16())
}

pub async fn get(client: &Octocrab, route: &str) -> octocrab::Result<Value> {
    client.get(route, None::<&()>).await
}

fn setting(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set: tests/clients/run.mjs starts these tests"))
}
