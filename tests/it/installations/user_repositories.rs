//! Repositories that both an installation and a user can access.

use serde_json::Value;

use super::{names, service};

/// Rule 4: repositories in which the user has a role, with that role.
#[tokio::test]
async fn user_lists_installation_repositories_with_own_role() {
    let service = service().await;
    let get = async |token| service.with_token(token).get("/user/installations/1/repositories").await.expect(200);
    let roles = |response: &crate::support::Response| -> Vec<Value> {
        let list = response.json()["repositories"].as_array().expect("a list").clone();
        list.iter().map(|repo| repo["permissions"].clone()).collect()
    };
    let admin = serde_json::json!({ "admin": true, "maintain": true, "push": true, "triage": true, "pull": true });
    let read = serde_json::json!({ "admin": false, "maintain": false, "push": false, "triage": false, "pull": true });

    let mona = get("ghu_mona0000").await;
    assert_eq!(names(&mona), ["octo-org/hello", "octo-org/secret"]);
    assert_eq!(roles(&mona), [admin.clone(), admin.clone()]);
    assert_eq!(mona.json()["repositories"][0].get("custom_properties"), None);
    let hubot = get("ghu_hubot000").await;
    assert_eq!((names(&hubot).len(), roles(&hubot)), (2, vec![read.clone(), read]));
    // Public read access is not a role.
    let nina = get("ghu_nina0000").await;
    assert_eq!((names(&nina), roles(&nina)), (vec!["octo-org/secret".to_owned()], vec![admin]));
    assert_eq!(nina.json()["total_count"], 1);
    assert_eq!(nina.json()["repository_selection"], "selected");
    service.with_token("ghu_zoe00000").get("/user/installations/1/repositories").await.expect(404);
}

#[tokio::test]
async fn classic_token_lists_private_repositories_only_with_scope() {
    let service = service().await;
    let wide = service.with_token("ghp_mona0000").get("/user/installations/1/repositories").await.expect(200);
    assert_eq!(names(&wide), ["octo-org/hello", "octo-org/secret"]);
    let narrow = service.with_token("ghp_narrow00").get("/user/installations/1/repositories").await.expect(200);
    assert_eq!((names(&narrow), narrow.json()["total_count"].as_i64()), (vec!["octo-org/hello".to_owned()], Some(1)));
}

#[tokio::test]
async fn installation_repositories_are_paged() {
    let service = service().await;
    let mona = service.with_token("ghp_mona0000");
    let second = mona.get("/user/installations/1/repositories?page=2&per_page=1").await.expect(200);
    assert_eq!((names(&second), second.json()["total_count"].as_i64()), (vec!["octo-org/secret".to_owned()], Some(2)));
    assert!(second.header("link").expect("links").contains("/user/installations/1/repositories?page=1&per_page=1"));
}

/// An app user token is bound to its own app, even if another is installed on the same account.
#[tokio::test]
async fn app_user_token_does_not_see_other_apps_installation() {
    let service = service().await;
    let absent = service.with_token("ghu_other000").get("/user/installations/99/repositories").await.expect(404);
    let foreign = service.with_token("ghu_other000").get("/user/installations/1/repositories").await.expect(404);
    assert_eq!(foreign.body, absent.body);
    service.with_token("ghu_other000").get("/user/installations/3/repositories").await.expect(200);
    service.with_token("ghu_other000").get("/user/installations/one/repositories").await.expect(404);
}
