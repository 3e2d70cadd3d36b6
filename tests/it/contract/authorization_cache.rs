//! The cached rights of a caller are used for writes only while they are current.

use std::sync::LazyLock;

use serde_json::json;

use crate::support::fixtures::mona;
use crate::support::{Service, Tester};
use plinth_core::repos::store as repos;

static STATE: LazyLock<String> = LazyLock::new(|| {
    mona()
        .users(&["hubot", "guest"])
        .repo(
            "mona/secret",
            "private: true, default_branch: main, collaborators: [{ user: hubot, permission: write }], \
             commits: [{ branch: main, author: mona, message: one, files: { a: one } }]",
        )
        .classic("mona", "notifications", "ghp_narrownarrow")
        .classic("hubot", "repo", "ghp_hubothubot")
        .classic("guest", "repo", "ghp_guestguest")
        .to_string()
});

/// Creates a ref with a token and returns the status.
async fn make(service: &Service, token: &str, name: &str) -> u16 {
    let mona = service.with_token("ghp_monamona");
    let main = mona.get("/repos/mona/secret/git/ref/heads/main").await.expect(200).json();
    let new = json!({ "ref": format!("refs/heads/{name}"), "sha": main["object"]["sha"] });
    service.with_token(token).post("/repos/mona/secret/git/refs", new).await.status
}

/// Changes the repository through the given store, of this process or another.
macro_rules! change {
    ($store:expr, $change:ident $(, $value:expr)*) => {
        $store.write(Tester, (), |tx, ()| Box::pin(async move {
            let found = repos::find(tx, "mona", "secret", None).await?.expect("it is there");
            repos::$change(tx, found.repo.id $(, $value)*).await?;
            Ok(())
        })).await.expect("the store accepts the change")
    };
}

#[tokio::test]
async fn cached_authorization_is_not_shared_between_tokens() {
    let service = Service::with(&STATE).await;
    for round in 0..2 {
        assert_eq!(make(&service, "ghp_monamona", &format!("a{round}")).await, 201);
        assert_eq!(make(&service, "ghp_hubothubot", &format!("b{round}")).await, 201);
        assert_eq!(make(&service, "ghp_guestguest", &format!("c{round}")).await, 404);
        assert_eq!(make(&service, "ghp_narrownarrow", &format!("d{round}")).await, 404);
        assert_eq!(make(&service, "ghp_unknownunknown", &format!("e{round}")).await, 401);
    }
}

#[tokio::test]
async fn revoked_right_applies_to_next_request() {
    let service = Service::with(&STATE).await;
    let elsewhere = service.store_elsewhere().await;
    for (store, token) in [(&elsewhere, "ghp_hubothubot"), (&service.store, "ghp_monamona")] {
        let name = |step: &str| format!("{}{step}", &token[4..]);
        assert_eq!(make(&service, token, &name("1")).await, 201);
        change!(store, update_archived, true);
        assert_eq!(make(&service, token, &name("2")).await, 403);
        change!(store, update_archived, false);
        assert_eq!(make(&service, token, &name("3")).await, 201);
    }
    service.revoke("ghp_hubothubot").await;
    assert_eq!(make(&service, "ghp_hubothubot", "revoked").await, 401);
}

#[tokio::test]
async fn role_revoked_by_another_process_hides_private_repository() {
    let service = Service::with(&STATE).await;
    assert_eq!(make(&service, "ghp_hubothubot", "before").await, 201);
    let mut db = service.store.read().await.expect("readable");
    let hubot = plinth_core::accounts::store::find_by_login(&mut db, "hubot").await.expect("readable");
    let hubot = hubot.expect("hubot exists").id;
    let elsewhere = service.store_elsewhere().await;
    elsewhere
        .write(Tester, hubot, |tx, hubot| {
            Box::pin(async move {
                let found = repos::find(tx, "mona", "secret", None).await?.expect("it is there");
                Ok(repos::delete_collaborator(tx, found.repo.id, *hubot).await?)
            })
        })
        .await
        .expect("the store accepts the change");
    assert_eq!(make(&service, "ghp_hubothubot", "after").await, 404);
}

#[tokio::test]
async fn cached_token_still_expires() {
    let service = Service::with(&STATE).await;
    let end = plinth_base::clock::Timestamp(service.app.clock.now().0 + 60);
    let token = format!("{{ kind: classic, user: mona, scopes: [repo], token: ghp_shortshort, expires_at: '{end}' }}");
    service.apply(&format!("tokens: [{token}]")).await;
    assert_eq!(make(&service, "ghp_shortshort", "early").await, 201);
    service.advance(61);
    assert_eq!(make(&service, "ghp_shortshort", "late").await, 401);
    service.advance(-61);
    assert_eq!(make(&service, "ghp_shortshort", "set-back").await, 401);
}
