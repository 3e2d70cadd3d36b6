//! App installations, from every side.

mod access;
mod app;
mod app_jwt;
mod lists;
mod selection;
mod tokens;
mod user_installations;
mod user_repositories;

use crate::support::Service;

/// Mona administers the organization, hubot is a member, nina collaborates on one repository, and zoe is nobody.
/// The app `helper` has two of the three repositories; the app `other` has all.
const STATE: &str = "
users: [{ login: mona }, { login: hubot }, { login: nina }, { login: zoe }]
orgs:
  - login: octo-org
    members: [{ user: mona, role: admin }, { user: hubot, role: member }]
  - { login: empty-org }
repos:
  - { name: octo-org/hello, description: Says hello }
  - { name: octo-org/secret, private: true, collaborators: [{ user: nina, permission: admin }] }
  - { name: octo-org/extra, private: true }
  - { name: mona/own, private: true }
apps:
  - { slug: helper, owner: octo-org, client_id: Iv23helper, permissions: { contents: write, issues: read }, events: [push] }
  - { slug: other, owner: mona, client_id: Iv23other, permissions: { contents: read } }
installations:
  - { app: helper, account: octo-org, repositories: [octo-org/hello, octo-org/secret] }
  - { app: helper, account: mona, repositories: all }
  - { app: other, account: octo-org, repositories: all }
tokens:
  - { kind: classic, user: mona, scopes: [repo], token: ghp_mona0000 }
  - { kind: classic, user: mona, scopes: [public_repo], token: ghp_narrow00 }
  - { kind: classic, user: hubot, scopes: [repo], token: ghp_hubot000 }
  - { kind: classic, user: nina, scopes: [repo], token: ghp_nina0000 }
  - { kind: classic, user: zoe, scopes: [repo], token: ghp_zoe00000 }
  - { kind: oauth, user: mona, scopes: [repo], token: gho_mona0000 }
  - { kind: fine_grained, user: mona, owner: octo-org, permissions: { administration: write }, token: github_pat_mona }
  - { kind: app_user, app: helper, user: mona, token: ghu_mona0000 }
  - { kind: app_user, app: helper, user: hubot, token: ghu_hubot000 }
  - { kind: app_user, app: helper, user: nina, token: ghu_nina0000 }
  - { kind: app_user, app: helper, user: zoe, token: ghu_zoe00000 }
  - { kind: app_user, app: other, user: mona, token: ghu_other000 }
  - { kind: installation, app: helper, account: octo-org, token: ghs_helper00 }
  - { kind: installation, app: helper, account: octo-org, repositories: [octo-org/secret], token: ghs_narrow00 }
  - { kind: installation, app: other, account: octo-org, token: ghs_other000 }
";

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
    Service::with(STATE).await
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

/// What `helper` reaches on the organization now.
async fn reached(service: &Service) -> Vec<String> {
    names(&service.with_token("ghs_helper00").get("/installation/repositories").await.expect(200))
}

/// What the service under test was asked to do with the installation of `helper`, by its operator.
async fn suspend(service: &Service) {
    service.apply(
        "installations: [{ app: helper, account: octo-org, repositories: [octo-org/hello, octo-org/secret], suspended: true }]",
    ).await;
}
