//! An event exists if and only if its change does.

use plinth_base::error::{Error, Result};
use serde_json::json;

use super::{Hooked, ROCKET, add_hooks, state, take_events};
use crate::support::fixtures::octo_org;
use crate::support::{Service, Tester};

#[tokio::test]
async fn rejected_write_records_nothing() {
    let hooked = Hooked::new().await;
    let tip = hooked.tip("next").await;
    let refs = format!("{ROCKET}/git/refs");
    hooked.mona().post(&refs, json!({ "ref": "refs/heads/next", "sha": tip })).await.expect(422);
    hooked.mona().post(&refs, json!({ "ref": "refs/heads/next/below", "sha": tip })).await.expect(422);
    hooked.mona().delete(&format!("{refs}/heads/main")).await.expect(422);
    hooked.mona().post("/orgs/octo-org/repos", json!({ "name": "rocket" })).await.expect(422);
    hooked.hubot().delete(ROCKET).await.expect(403);
    assert!(hooked.take().await.is_empty());
}

#[tokio::test]
async fn rolled_back_write_records_nothing() {
    let hooked = Hooked::new().await;
    let now = hooked.service.app.clock.now();
    let failed: Result<()> = hooked
        .service
        .store
        .write(Tester, now, |tx, now| {
            Box::pin(async move {
                let found = plinth_core::repos::store::find(tx, "octo-org", "rocket", None).await?.expect("it exists");
                plinth_core::repos::operations::remove(tx, found.repo.id, None, *now).await?;
                assert_eq!(plinth_core::events::store::list_oldest(tx, 9).await?.len(), 1);
                Err(Error::Conflict("no".into()))
            })
        })
        .await;
    assert!(matches!(failed, Err(Error::Conflict(_))));
    assert!(hooked.take().await.is_empty());
    hooked.mona().get(ROCKET).await.expect(200);
}

/// A state file is one transaction: its last entry fails after the others have recorded events.
#[tokio::test]
async fn rejected_state_file_records_nothing() {
    let hooked = Hooked::new().await;
    let state = state().repo("octo-org/third", "").installation("missing", "octo-org", "all").to_string();
    hooked.service.try_apply(&state).await.expect_err("there is no such app");
    assert!(hooked.take().await.is_empty());
}

#[tokio::test]
async fn change_without_a_hook_records_nothing() {
    let service = Service::with(&octo_org(&["mona", "hubot", "lisa"]).to_string()).await;
    service.write_app_key("helper.pem");
    service.apply(&state().to_string()).await;
    let mona = service.with_token("ghp_monamona");
    mona.post("/orgs/octo-org/repos", json!({ "name": "new", "auto_init": true })).await.expect(201);
    assert!(take_events(&service).await.is_empty());
    // From the creation of the hook on, in this process and in others.
    add_hooks(&service).await;
    mona.delete("/repos/octo-org/new").await.expect(204);
    assert_eq!(take_events(&service).await.len(), 1);
}

#[tokio::test]
async fn hook_of_another_owner_makes_no_event() {
    let hooked = Hooked::new().await;
    hooked.mona().post("/user/repos", json!({ "name": "own", "auto_init": true })).await.expect(201);
    assert!(hooked.take().await.is_empty());
}

#[tokio::test]
async fn hook_that_another_process_created_is_found() {
    let service = Service::with(&octo_org(&["mona", "hubot", "lisa"]).to_string()).await;
    service.write_app_key("helper.pem");
    service.apply(&state().to_string()).await;
    let mona = service.with_token("ghp_monamona");
    mona.post("/orgs/octo-org/repos", json!({ "name": "new" })).await.expect(201);
    let elsewhere = service.store_elsewhere().await;
    let added = elsewhere.write(Tester, (), |tx, ()| {
        Box::pin(async move {
            let org = plinth_core::accounts::store::find_by_login(tx, "octo-org").await?.expect("it exists");
            super::add_hook(tx, plinth_core::webhooks::model::WebhookOwner::Org(org.id)).await
        })
    });
    added.await.expect("the store accepts the change");
    mona.delete("/repos/octo-org/new").await.expect(204);
    assert_eq!(take_events(&service).await.len(), 1);
}
