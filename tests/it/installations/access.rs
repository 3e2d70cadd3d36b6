//! Who may call what: every row of the access table for the six operations.

use http::Method;

use super::app::service_with_key;
use crate::support::{Answer, Service, Tester, jwt};
use plinth_api::policy::table::TABLE;
use plinth_core::access::Role;
use plinth_core::access::{Kind, Kinds};
use plinth_core::tokens::Scope;

/// What each kind of credential gets, in the order of [`KINDS`].
struct Row {
    method: Method,
    path: &'static str,
    statuses: [u16; 8],
    /// What a refused kind reads, where the operation has a text of its own.
    refusal: Option<&'static str>,
}

const KINDS: [&str; 8] = [
    "anonymous",
    "ghp_mona0000",
    "gho_mona0000",
    "github_pat_mona",
    "ghu_mona0000",
    "ghs_helper00",
    "web token",
    "ghs_unknown0",
];

fn rows() -> [Row; 6] {
    let row = |method, path, statuses, refusal| Row { method, path, statuses, refusal };
    [
        row(
            Method::GET,
            "/installation/repositories",
            [401, 403, 403, 403, 403, 200, 401, 401],
            Some(
                "You must authenticate with an installation access token in order to list repositories for an \
                 installation.",
            ),
        ),
        row(
            Method::GET,
            "/user/installations",
            [401, 403, 403, 403, 200, 403, 401, 401],
            Some(
                "You must authenticate with an access token authorized to a GitHub App in order to list installations",
            ),
        ),
        row(Method::GET, "/user/installations/1/repositories", [401, 200, 403, 403, 200, 403, 401, 401], None),
        row(Method::PUT, "/user/installations/1/repositories/1", [401, 204, 403, 403, 403, 403, 401, 401], None),
        row(Method::DELETE, "/user/installations/1/repositories/1", [401, 204, 403, 403, 403, 403, 401, 401], None),
        row(Method::DELETE, "/installation/token", [401, 403, 403, 403, 403, 204, 401, 401], None),
    ]
}

async fn ask(service: &Service, kind: &str, web_token: &str, row: &Row) -> Answer {
    let client = match kind {
        "anonymous" => service.anonymous(),
        "web token" => service.with_token(web_token),
        token => service.with_token(token),
    };
    client.send(row.method.clone(), row.path, "").await
}

#[tokio::test]
async fn every_kind_of_credential_gets_what_the_table_says() {
    let (service, pem) = service_with_key().await;
    let web_token = jwt::sign(&pem, &jwt::claims("Iv23helper"));
    for row in rows() {
        for (kind, expected) in KINDS.into_iter().zip(row.statuses) {
            let answer = ask(&service, kind, &web_token, &row).await;
            let what = format!("{} {} with {kind}", row.method, row.path);
            assert_eq!(answer.status, expected, "{what}: {answer}");
            let text = match (expected, kind) {
                (401, "anonymous") => "Requires authentication",
                (401, _) => "Bad credentials",
                (403, "ghp_mona0000" | "github_pat_mona") => {
                    row.refusal.unwrap_or("Resource not accessible by personal access token")
                }
                (403, _) => row.refusal.unwrap_or("Resource not accessible by integration"),
                _ => continue,
            };
            assert_eq!(answer.message(), text, "{what}");
        }
    }
}

/// A refused kind learns nothing about what exists.
#[tokio::test]
async fn a_refused_kind_reads_the_same_whatever_the_path_names() {
    let (service, _) = service_with_key().await;
    for token in ["gho_mona0000", "github_pat_mona", "ghs_helper00"] {
        let client = service.with_token(token);
        let there = client.get("/user/installations/1/repositories").await.expect(403);
        let absent = client.get("/user/installations/99/repositories").await.expect(403);
        assert_eq!(there.comparable(), absent.comparable());
        let there = client.put("/user/installations/1/repositories/2").await.expect(403);
        let absent = client.put("/user/installations/99/repositories/99").await.expect(403);
        assert_eq!(there.comparable(), absent.comparable());
    }
    let anonymous = service.anonymous();
    let there = anonymous.put("/user/installations/1/repositories/1").await.expect(401);
    let absent = anonymous.put("/user/installations/99/repositories/99").await.expect(401);
    assert_eq!(there.comparable(), absent.comparable());
}

/// Metadata comes with every installation; one without it, which only another program could have stored, opens nothing.
#[tokio::test]
async fn a_user_list_takes_the_metadata_permission() {
    let (service, _) = service_with_key().await;
    let none = plinth_core::tokens::Permissions::default();
    let context = (plinth_base::ids::InstallationId(super::ON_ORG), none, service.app.clock.now());
    service
        .store
        .write(Tester, context, |tx, (id, permissions, now)| {
            Box::pin(async move {
                Ok(plinth_core::apps::store::update_installation_grant(tx, *id, permissions, *now).await?)
            })
        })
        .await
        .expect("the store writes");
    let answer = service.with_token("ghu_mona0000").get("/user/installations/1/repositories").await.expect(403);
    assert_eq!(answer.message(), "Resource not accessible by integration");
    assert_eq!(answer.header("x-accepted-github-permissions"), Some("metadata=read"));
}

#[tokio::test]
async fn both_schemes_and_basic_lead_to_the_same_token() {
    let (service, _) = service_with_key().await;
    for value in ["Bearer ghs_helper00", "token ghs_helper00", "Basic eC1hY2Nlc3MtdG9rZW46Z2hzX2hlbHBlcjAw"] {
        service.anonymous().header("authorization", value).get("/installation/repositories").await.expect(200);
    }
}

/// Authentication 5 to 7, as the table has them for the operations of other areas.
#[test]
fn kinds_and_scopes_of_the_table_follow_the_authentication_rules() {
    let closed = [Kind::AppUser, Kind::Installation, Kind::FineGrained];
    let rules = |operation: fn(&str) -> bool| {
        TABLE.iter().filter(move |row| row.paths.iter().any(|path| operation(path))).map(|row| (row, row.rule))
    };
    let mut counted = 0;
    for (row, rule) in rules(|path| path.starts_with("/users/{username}/projectsV2/") && path.contains("/fields")) {
        assert!(closed.into_iter().all(|kind| !rule.kinds.contains(kind)), "rule 5: {row:?}");
        assert!(rule.kinds.contains(Kind::Classic) && rule.kinds.contains(Kind::OAuth), "rule 5: {row:?}");
        counted += 1;
    }
    for (row, rule) in rules(|path| path == "/user/installations/{installation_id}/repositories/{repository_id}") {
        assert_eq!((rule.kinds, rule.act_scope), (Kinds::CLASSIC, Some(Scope::Repo)), "rule 6: {row:?}");
        counted += 1;
    }
    for (row, rule) in rules(|path| path.starts_with("/orgs/{org}/issue-fields")) {
        let wanted = match row.method {
            Method::GET => (Some(Scope::ReadOrg), Role::Read),
            _ => (Some(Scope::AdminOrg), Role::Admin),
        };
        assert_eq!((rule.see_scope, rule.see_role), wanted, "rule 7: {row:?}");
        counted += 1;
    }
    assert_eq!(counted, 3 + 2 + 4, "every operation that the three rules are about");
}
