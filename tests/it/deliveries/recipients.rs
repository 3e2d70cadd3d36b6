//! Who receives an event, with the rights of the moment of its dispatch.

use plinth_base::ids::{AccountId, AppId, InstallationId};

use super::*;
use crate::support::receiver::{Behaviour, Receiver};

const HELLO: RepoId = RepoId(1);
const SECRET_REPO: RepoId = RepoId(2);

/// One app with a hook for each reason to receive nothing, and `good`, which receives.
async fn organization() -> (Service, Receiver) {
    let app = |slug: &str, permissions: &str, events: &str| {
        format!("slug: {slug}, owner: octo-org, permissions: {{ {permissions} }}, events: [{events}]")
    };
    let state = fixtures::octo_org(&["mona"])
        .org("other-org", "{ user: mona, role: admin }")
        .repo("octo-org/hello", "")
        .repo("octo-org/secret", "private: true")
        .repo("other-org/else", "")
        .entry("apps", &app("good", "contents: read", "push"))
        .entry("apps", &app("selected", "contents: read", "push"))
        .entry("apps", &app("blind", "pull_requests: read", "push"))
        .entry("apps", &app("silent", "contents: read", "pull_request"))
        .entry("apps", &app("elsewhere", "contents: read", "push"))
        .entry("apps", &app("suspended", "contents: read", "push"))
        .installation("good", "octo-org", "all")
        .installation("selected", "octo-org", "[octo-org/hello]")
        .installation("blind", "octo-org", "all")
        .installation("silent", "octo-org", "all")
        .installation("elsewhere", "other-org", "all")
        .installation("suspended", "octo-org", "all");
    let (service, receiver) = (Service::with(&state.to_string()).await, Receiver::ok());
    for app in 1..=6 {
        add_hook(&service, hook(WebhookOwner::App(AppId(app)), &format!("{}/{app}", receiver.url())), None).await;
    }
    write(&service, "update installation set suspended_at = 1 where app_id = 6").await;
    (service, receiver)
}

async fn write(service: &Service, sql: &'static str) {
    let written =
        service.store.write(Tester, (), move |tx, ()| Box::pin(async move { Ok(tx.execute(sql, &[]).await?) }));
    assert!(written.await.expect("the statement is right") > 0);
}

/// The last parts of the paths that got an event, and the installations in their payloads.
async fn recipients_of(service: &Service, receiver: &Receiver, event: impl AsyncFnOnce()) -> Vec<(String, Value)> {
    let before = receiver.count();
    event().await;
    let running = start(service);
    wait_until_sent(service).await;
    running.stop().await;
    let received = receiver.received().split_off(before);
    let part = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let mut found: Vec<_> =
        received.iter().map(|request| (part(&request.path), request.json()["installation"]["id"].clone())).collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

#[tokio::test]
async fn app_receives_what_its_installation_may_read() {
    let (service, receiver) = organization().await;
    let found = recipients_of(&service, &receiver, async || push(&service, HELLO, 0, 1).await).await;
    assert_eq!(found, [("1".into(), json!(1)), ("2".into(), json!(2))]);
    let found = recipients_of(&service, &receiver, async || push(&service, SECRET_REPO, 0, 1).await).await;
    assert_eq!(found, [("1".into(), json!(1))], "the other app has not selected this repository");
}

#[tokio::test]
async fn right_that_is_lost_before_dispatch_does_not_count() {
    let (service, receiver) = organization().await;
    let event = async || {
        push(&service, HELLO, 0, 1).await;
        write(&service, "update installation set suspended_at = 1 where app_id = 1").await;
        write(&service, "delete from installation_repo where installation_id = 2").await;
    };
    assert_eq!(recipients_of(&service, &receiver, event).await, []);
}

#[tokio::test]
async fn installation_event_reaches_its_app_although_suspended_and_not_subscribed() {
    let (service, receiver) = organization().await;
    let event = async || {
        let about = About::Installation(InstallationId(6));
        record(&service, about, EventName::Installation, (0, 1)).await;
    };
    assert_eq!(recipients_of(&service, &receiver, event).await, [("6".into(), json!(6))]);
}

#[tokio::test]
async fn repository_and_organization_hooks_receive_their_own_events_only() {
    let (service, receiver) = organization().await;
    let add = async |name: &str, owner, events: &[&str], active| {
        let events = EventNames(events.iter().map(|name| (*name).to_owned()).collect());
        let url = format!("{}/{name}", receiver.url());
        add_hook(&service, Webhook { events, active, ..hook(owner, &url) }, None).await;
    };
    let (octo, other) = (AccountId(2), AccountId(3));
    add("repo", WebhookOwner::Repo(HELLO), &["push"], true).await;
    add("repo-inactive", WebhookOwner::Repo(HELLO), &["push"], false).await;
    add("repo-unsubscribed", WebhookOwner::Repo(HELLO), &["create"], true).await;
    add("repo-other", WebhookOwner::Repo(SECRET_REPO), &["*"], true).await;
    add("org", WebhookOwner::Org(octo), &["*"], true).await;
    add("org-other", WebhookOwner::Org(other), &["*"], true).await;
    let found = recipients_of(&service, &receiver, async || push(&service, HELLO, 0, 1).await).await;
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["1", "2", "org", "repo"]);
    let about = About::Account(octo);
    let event = async || record(&service, about, EventName::Organization, (0, 1)).await;
    let found = recipients_of(&service, &receiver, event).await;
    assert_eq!(found, [("org".to_owned(), Value::Null)]);
}

/// The message was dispatched while the app might read the repository, and is tried again later.
#[tokio::test]
async fn right_that_is_lost_before_an_attempt_does_not_count() {
    let (service, receiver) = organization().await;
    receiver.set(Behaviour::Status(503));
    let running = start_with(&service, settings(3), |client| client);
    push(&service, HELLO, 0, 1).await;
    receiver.wait_for(2).await;
    let planned = "select count(*) from webhook_delivery where attempt = 2";
    wait_until_async("both are planned again", async || count(&service.store, planned).await == 2).await;
    write(&service, "update installation set permissions = '{\"metadata\":\"read\"}' where app_id = 1").await;
    write(&service, "delete from installation_repo where installation_id = 2").await;
    service.advance(60);
    wait_until_sent(&service).await;
    running.stop().await;
    let rows = all::<(String,)>(&service.store, "select status from webhook_delivery where attempt = 2").await;
    assert_eq!(rows, ["the installation may no longer read this"; 2].map(|text| (text.to_owned(),)));
    assert_eq!(receiver.count(), 2);
}

#[tokio::test]
async fn hook_that_is_deactivated_before_an_attempt_receives_nothing() {
    let (service, receiver) = (rocket().await, Receiver::start(Behaviour::Status(503)));
    add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &receiver.url()), None).await;
    let _running = start_with(&service, settings(3), |client| client);
    push(&service, ROCKET, 0, 1).await;
    let planned = "select count(*) from webhook_delivery where attempt = 2";
    wait_until_async("it is planned again", async || count(&service.store, planned).await == 1).await;
    write(&service, "update webhook set active = false").await;
    service.advance(60);
    wait_until_sent(&service).await;
    let rows = all::<(String,)>(&service.store, "select status from webhook_delivery where attempt = 2").await;
    assert_eq!((rows[0].0.as_str(), receiver.count()), ("the hook is not active", 1));
}
