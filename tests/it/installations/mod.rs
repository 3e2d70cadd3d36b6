//! App installations.

mod access;
mod app;
mod app_jwt;
mod lists;
mod selection;
mod tokens;
mod user_installations;
mod user_repositories;

use std::sync::LazyLock;

use crate::support::Service;
use crate::support::fixtures::StateFile;

/// Mona administers the organization, hubot is a member, nina collaborates on one repository, and zoe has no role.
/// The app `helper` has two of the three repositories; the app `other` has all.
static STATE: LazyLock<String> = LazyLock::new(|| {
    StateFile::default()
        .users(&["mona", "hubot", "nina", "zoe"])
        .org("octo-org", "{ user: mona, role: admin }, { user: hubot, role: member }")
        .org("empty-org", "")
        .repo("octo-org/hello", "description: Says hello")
        .repo("octo-org/secret", "private: true, collaborators: [{ user: nina, permission: admin }]")
        .repo("octo-org/extra", "private: true")
        .repo("mona/own", "private: true")
        .app("helper", "octo-org", "contents: write, issues: read", "client_id: Iv23helper, events: [push]")
        .app("other", "mona", "contents: read", "client_id: Iv23other")
        .installation("helper", "octo-org", "[octo-org/hello, octo-org/secret]")
        .installation("helper", "mona", "all")
        .installation("other", "octo-org", "all")
        .classic("mona", "repo", "ghp_mona0000")
        .classic("mona", "public_repo", "ghp_narrow00")
        .classic("hubot", "repo", "ghp_hubot000")
        .classic("nina", "repo", "ghp_nina0000")
        .classic("zoe", "repo", "ghp_zoe00000")
        .oauth("mona", "repo", "gho_mona0000")
        .fine_grained("mona", "octo-org", "administration: write", "github_pat_mona")
        .app_user("mona", "helper", "ghu_mona0000")
        .app_user("hubot", "helper", "ghu_hubot000")
        .app_user("nina", "helper", "ghu_nina0000")
        .app_user("zoe", "helper", "ghu_zoe00000")
        .app_user("mona", "other", "ghu_other000")
        .installation_token("helper", "octo-org", "ghs_helper00")
        .installation_token("helper", "octo-org, repositories: [octo-org/secret]", "ghs_narrow00")
        .installation_token("other", "octo-org", "ghs_other000")
        .to_string()
});

const HELLO: i64 = 1;
const SECRET: i64 = 2;
const EXTRA: i64 = 3;
const OWN: i64 = 4;
/// The installation of `helper` on the organization.
const ON_ORG: i64 = 1;
/// The installation of `helper` on mona's account.
const ON_MONA: i64 = 2;
/// The installation of `other`, which has all repositories.
const OF_OTHER: i64 = 3;

async fn service() -> Service {
    Service::with(&STATE).await
}

fn repository(installation: i64, repo: i64) -> String {
    format!("/user/installations/{installation}/repositories/{repo}")
}

/// The names in a list of repositories.
fn names(response: &crate::support::Response) -> Vec<String> {
    let list = response.json()["repositories"].as_array().expect("a list of repositories").clone();
    list.iter().map(|repo| repo["full_name"].as_str().expect("a name").to_owned()).collect()
}

/// The ids in a list of installations.
fn ids(response: &crate::support::Response) -> Vec<i64> {
    let list = response.json()["installations"].as_array().expect("a list of installations").clone();
    list.iter().map(|installation| installation["id"].as_i64().expect("an id")).collect()
}

/// The repositories that `helper` can access in the organization.
async fn reached(service: &Service) -> Vec<String> {
    names(&service.with_token("ghs_helper00").get("/installation/repositories").await.expect(200))
}

/// Changes the installation of `helper` as the operator.
async fn suspend(service: &Service) {
    service.apply(
        "installations: [{ app: helper, account: octo-org, repositories: [octo-org/hello, octo-org/secret], suspended: true }]",
    ).await;
}
