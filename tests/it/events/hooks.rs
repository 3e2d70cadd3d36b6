//! Pings.

use plinth_core::events::EventName;
use serde_json::{Value, json};

use super::{Hooked, ROCKET, names, payload_of, take_events};

/// Another one than that of the hooks of every test.
const NEW: &str = "http://receiver.test/new";

fn new_hook() -> Value {
    json!({ "name": "web", "config": { "url": NEW, "content_type": "json", "secret": "s" }, "events": ["push"] })
}

#[tokio::test]
async fn create_repo_hook_records_ping_with_the_hook() {
    let hooked = Hooked::new().await;
    let created = hooked.mona().post(&format!("{ROCKET}/hooks"), new_hook()).await.expect(201).json();
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["ping"]);
    let ping = payload_of(&taken, EventName::Ping);
    assert_eq!((&ping["hook_id"], &ping["hook"]), (&created["id"], &created), "the secret is masked as in responses");
    assert_eq!((&ping["repository"]["name"], &ping["sender"]["login"]), (&json!("rocket"), &json!("mona")));
}

#[tokio::test]
async fn create_org_hook_records_ping_with_the_hook() {
    let hooked = Hooked::new().await;
    let admin = "tokens: [{ kind: classic, user: mona, scopes: ['admin:org_hook'], token: ghp_monahooks }]";
    hooked.service.apply(admin).await;
    let mona = hooked.service.with_token("ghp_monahooks");
    let created = mona.post("/orgs/octo-org/hooks", new_hook()).await.expect(201).json();
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["ping"]);
    let ping = payload_of(&taken, EventName::Ping);
    assert_eq!((&ping["hook"], &ping["organization"]["login"]), (&created, &json!("octo-org")));
    assert_eq!(ping.get("repository"), None);
}

#[tokio::test]
async fn ping_of_app_has_the_app_and_no_account() {
    let hooked = Hooked::new().await;
    let inserted = hooked.service.store.write(crate::support::Tester, hooked.service.app.clock.now(), |tx, now| {
        Box::pin(async move {
            let app = plinth_core::webhooks::model::WebhookOwner::App(plinth_base::ids::AppId(1));
            let hook = plinth_core::webhooks::store::find_of_app(tx, app).await?;
            let id = hook.expect("the app has a hook").id;
            Ok(plinth_core::webhooks::store::insert_ping(tx, id, None, *now).await?)
        })
    });
    inserted.await.expect("the store accepts the change");
    let events = take_events(&hooked.service).await;
    let ping = hooked.render(&events[0], None).await.expect("the hook exists");
    assert_eq!((&ping["hook"]["type"], &ping["hook"]["app_id"]), (&json!("App"), &json!(1)));
    assert_eq!((ping.get("sender"), ping.get("organization")), (None, None));
}

/// The store caches who is subscribed to what; changes of hooks end that.
#[tokio::test]
async fn hook_with_changed_events_receives_the_next_change() {
    let hooked = Hooked::new().await;
    hooked
        .service
        .apply("tokens: [{ kind: classic, user: mona, scopes: ['repo', 'admin:org_hook'], token: ghp_monahooks }]")
        .await;
    let mona = hooked.service.with_token("ghp_monahooks");
    for hook in mona.get("/orgs/octo-org/hooks").await.expect(200).json().as_array().expect("a list") {
        mona.delete(&format!("/orgs/octo-org/hooks/{}", hook["id"])).await.expect(204);
    }
    let mut body = new_hook();
    body["events"] = json!(["member"]);
    let hook = mona.post(&format!("{ROCKET}/hooks"), body).await.expect(201).json();
    hooked.take().await;
    let path = format!("{ROCKET}/hooks/{}", hook["id"]);
    let tip = hooked.tip("main").await;
    let changes = [json!({ "events": ["create"] }), json!({ "active": false }), json!({ "active": true })];
    let mut recorded = vec![branch(&hooked, "first", &tip).await];
    for (number, change) in changes.into_iter().enumerate() {
        mona.patch(&path, change).await.expect(200);
        recorded.push(branch(&hooked, &format!("next-{number}"), &tip).await);
    }
    mona.delete(&path).await.expect(204);
    recorded.push(branch(&hooked, "last", &tip).await);
    assert_eq!(recorded, [vec![], vec!["create"], vec![], vec!["create"], vec![]]);
}

/// Creates a branch, and returns the names of the events.
async fn branch(hooked: &Hooked, name: &str, sha: &str) -> Vec<String> {
    let body = json!({ "ref": format!("refs/heads/{name}"), "sha": sha });
    hooked.mona().post(&format!("{ROCKET}/git/refs"), body).await.expect(201);
    names(&hooked.take().await)
}
