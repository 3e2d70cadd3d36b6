//! Rows about what a list omits.

use http::Method;
use serde_json::Value;

use super::credential::Credential;
use super::fixture::Fixture;
use super::rows::Row;

/// The tokens that [`check`] needs, as lines of a state file.
pub const TOKENS: &str = "  - { kind: app_user, user: reader, app: full, token: ghu_listsofreader }
  - { kind: classic, user: reader, scopes: [repo], token: ghp_listsofreader }
  - { kind: classic, user: reader, scopes: [read:org], token: ghp_listsunscoped }
";

/// Panics if the list has an item that it must not have, or lacks one.
pub async fn check(fixture: &Fixture, row: &Row) {
    let installation = fixture.installation("full").await;
    let path = format!("/user/installations/{installation}/repositories");
    match row.requirement.as_str() {
        "filter:installations of calling app where user has explicit read/write/admin" => {
            // The app is also installed on `other`, where the reader has no role.
            let list = get(fixture, "/user/installations", "ghu_listsofreader").await;
            assert_eq!(names(&list["installations"], |item| &item["account"]["login"]), ["acme"], "{}", row.name());
        }
        "filter:repos where user has explicit read/write/admin" => {
            let list = get(fixture, &path, "ghu_listsofreader").await;
            let expected = ["archived", "private", "public", "spare", "spare-private"];
            assert_eq!(names(&list["repositories"], |item| &item["name"]), expected, "{}", row.name());
            let state = "repos: [{ name: acme/unread }]\ninstallations: [{ app: full, account: acme, repositories: [acme/unread] }]";
            fixture.service.apply(state).await;
            let list = get(fixture, &path, "ghu_listsofreader").await;
            assert_eq!(names(&list["repositories"], |item| &item["name"]), expected, "{}", row.name());
        }
        "scope:repo (for private repos in list)" => {
            let unscoped = get(fixture, &path, "ghp_listsunscoped").await;
            assert_eq!(names(&unscoped["repositories"], |item| &item["name"]), ["archived", "public", "spare"]);
            let scoped = get(fixture, &path, "ghp_listsofreader").await;
            let expected = ["archived", "private", "public", "spare", "spare-private"];
            assert_eq!(names(&scoped["repositories"], |item| &item["name"]), expected, "{}", row.name());
        }
        _ => panic!("no scenario understands {}", row.name()),
    }
}

async fn get(fixture: &Fixture, path: &str, token: &str) -> Value {
    let credential = Credential::Header(format!("Bearer {token}"));
    let header = fixture.authorization(&credential, 0);
    fixture.send(&Method::GET, path, &Value::Null, header.as_deref()).await.expect(200).json()
}

fn names(list: &Value, name: impl Fn(&Value) -> &Value) -> Vec<String> {
    let items = list.as_array().expect("a list of items").iter();
    let mut names: Vec<String> = items.map(|item| name(item).as_str().expect("a name").to_owned()).collect();
    names.sort();
    names
}
