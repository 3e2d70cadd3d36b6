//! Conditional requests for fields.

use serde_json::json;

use super::{ORG, STATE, USER, add, mona};
use crate::support::{Service, Tester};

#[tokio::test]
async fn unchanged_fields_return_304() {
    let service = Service::with(&STATE).await;
    let notes = add(&service, ORG, json!({ "name": "Notes", "data_type": "text" })).await;
    for path in [ORG.to_owned(), format!("{ORG}?per_page=2"), format!("{ORG}/{}", notes["id"]), USER.to_owned()] {
        let first = mona(&service).get(&path).await.expect(200);
        let tag = first.header("etag").unwrap().to_owned();
        service.advance(30 * 86_400);
        let cached = mona(&service).header("if-none-match", &format!("\"x\", W/{tag}"));
        let again = cached.get(&path).await.expect(304);
        assert!(again.body.is_empty());
        assert_eq!(again.header("etag"), Some(tag.as_str()));
        assert_eq!(cached.head(&path).await.status, 304);
    }
}

#[tokio::test]
async fn every_project_change_changes_etag() {
    let service = Service::with(&STATE).await;
    let notes = add(&service, ORG, json!({ "name": "Notes", "data_type": "text" })).await;
    let single = format!("{ORG}/{}", notes["id"]);
    let list_tag = mona(&service).get(ORG).await.header("etag").unwrap().to_owned();
    let single_tag = mona(&service).get(&single).await.header("etag").unwrap().to_owned();
    assert_ne!(list_tag, single_tag);
    add(&service, ORG, json!({ "name": "More", "data_type": "text" })).await;
    mona(&service).header("if-none-match", &list_tag).get(ORG).await.expect(200);
    mona(&service).header("if-none-match", &single_tag).get(&single).await.expect(200);
}

#[tokio::test]
async fn etag_depends_on_page() {
    let service = Service::with(&STATE).await;
    let tag = mona(&service).get(&format!("{ORG}?per_page=2")).await.header("etag").unwrap().to_owned();
    mona(&service).header("if-none-match", &tag).get(&format!("{ORG}?per_page=3")).await.expect(200);
    mona(&service).header("if-none-match", &tag).get(&format!("{ORG}/99999")).await.expect(404);
    mona(&service).header("if-none-match", "*").get(&format!("{ORG}/99999")).await.expect(404);
    mona(&service).header("if-none-match", &tag).get(&format!("{ORG}?after=x")).await.expect(422);
}

#[tokio::test]
async fn etag_returns_404_after_right_is_revoked() {
    let service = Service::with(&STATE).await;
    service.apply("tokens: [{ kind: classic, user: hubot, scopes: [project], token: ghp_hubot000 }]").await;
    service.apply("orgs: [{ login: octo-org, members: [{ user: hubot, role: member }] }]").await;
    let hubot = service.with_token("ghp_hubot000");
    let tag = hubot.get(ORG).await.expect(200).header("etag").unwrap().to_owned();
    let (org, user) = (plinth_base::ids::AccountId(3), plinth_base::ids::AccountId(2));
    let revoke = (org, user);
    let gone = service.store.write(Tester, revoke, |tx, (org, user)| {
        Box::pin(async move { Ok(plinth_core::accounts::store::delete_membership(tx, *org, *user).await?) })
    });
    assert_eq!(gone.await.expect("a membership can be deleted"), 1);
    hubot.header("if-none-match", &tag).get(ORG).await.expect(404);
}

/// Drops a table, so that a request that reads it fails.
async fn hide(service: &Service, sql: &'static str) {
    let hidden = service.store.write(Tester, (), move |tx, ()| {
        Box::pin(async move {
            tx.execute(sql, &[]).await?;
            Ok(())
        })
    });
    hidden.await.expect("a table can be renamed");
}

#[tokio::test]
async fn matching_etag_reads_no_fields() {
    let service = Service::with(&STATE).await;
    let tag = mona(&service).get(ORG).await.header("etag").unwrap().to_owned();
    hide(&service, "alter table project_field rename to hidden_field").await;
    mona(&service).get(ORG).await.expect(500);
    mona(&service).header("if-none-match", &tag).get(ORG).await.expect(304);
    let issue_fields = "/orgs/octo-org/issue-fields";
    let tag = mona(&service).get(issue_fields).await.expect(200).header("etag").unwrap().to_owned();
    hide(&service, "alter table issue_field rename to hidden_issue_field").await;
    mona(&service).get(issue_fields).await.expect(500);
    mona(&service).header("if-none-match", &tag).get(issue_fields).await.expect(304);
}
