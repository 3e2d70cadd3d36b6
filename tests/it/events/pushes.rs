//! Pushes by git.

use plinth_base::ids::WebhookId;
use plinth_base::urls::Urls;
use plinth_core::events::{Event, EventName};
use plinth_core::webhooks::model::{Recipient, WebhookOwner};
use serde_json::Value;

use super::take_events;
use crate::git_http::host::{Host, OWNER};
use crate::support::{Service, Tester, recorded};

/// A host with a hook of octo-org, and a work tree with this many commits.
async fn hooked(commits: usize) -> Host {
    let host = Host::start().await;
    host.work("work", OWNER, "octo-org/hello", commits).await;
    let added = host.service.store.write(Tester, (), |tx, ()| {
        Box::pin(async move {
            let org = plinth_core::accounts::store::find_by_login(tx, "octo-org").await?.expect("it exists");
            super::add_hook(tx, WebhookOwner::Org(org.id)).await
        })
    });
    added.await.expect("the store accepts the change");
    host
}

async fn render(service: &Service, event: &Event) -> Value {
    let recipient = Recipient { hook: WebhookId(1), installation: None };
    let urls = Urls::new("http://plinth.test", "");
    let rendered = plinth_api::webhooks::payloads::render(&service.app, &urls, event, &recipient).await;
    let text = rendered.expect("it can be rendered").expect("it still exists");
    let payload = serde_json::from_str(&text).expect("it is JSON");
    recorded::keep_payload(event.name.as_str(), event.action.as_deref(), &payload);
    payload
}

fn names(events: &[Event]) -> Vec<&'static str> {
    events.iter().map(|event| event.name.as_str()).collect()
}

#[tokio::test]
async fn push_has_commits_oldest_first_with_their_files() {
    let host = hooked(2).await;
    host.git("work", &["push", "--quiet", "origin", "main"]).await.ok();
    let events = take_events(&host.service).await;
    assert_eq!(names(&events), ["create", "push"]);
    let push = render(&host.service, &events[1]).await;
    let ids: Vec<&str> = push["commits"].as_array().expect("a list").iter().filter_map(|c| c["id"].as_str()).collect();
    let expected = host.git("work", &["rev-list", "--reverse", "HEAD"]).await.ok();
    assert_eq!(ids, expected.lines().collect::<Vec<_>>());
    host.git("work", &["mv", "--force", "--", "file", "moved"]).await;
    host.commit("work", "b", "new").await;
    host.git("work", &["push", "--quiet", "origin", "main"]).await.ok();
    let events = take_events(&host.service).await;
    let push = render(&host.service, &events[0]).await;
    let of =
        |list: &str| push["commits"][0][list].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    let listed: [Vec<&str>; 3] = [of("added"), of("removed"), of("modified")];
    let status = host.git("work", &["show", "--no-renames", "--format=", "--name-status", "HEAD"]).await.ok();
    let mut expected = [Vec::new(), Vec::new(), Vec::new()];
    for line in status.lines() {
        let (letter, path) = line.split_once('\t').expect("a status and a path");
        expected["ADM".find(letter).expect("a known status")].push(path);
    }
    assert_eq!(listed, expected);
    assert!(!listed[0].is_empty());
}

#[tokio::test]
async fn push_of_more_than_three_tags_has_no_events_for_tags() {
    let host = hooked(1).await;
    for tag in ["v1", "v2", "v3", "v4"] {
        host.git("work", &["tag", tag]).await.ok();
    }
    host.git("work", &["push", "--quiet", "origin", "v1", "v2", "v3"]).await.ok();
    assert_eq!(names(&take_events(&host.service).await), ["create", "push", "create", "push", "create", "push"]);
    host.git("work", &["push", "--quiet", "--delete", "origin", "v1", "v2", "v3"]).await.ok();
    take_events(&host.service).await;
    host.git("work", &["push", "--quiet", "origin", "main", "v1", "v2", "v3", "v4"]).await.ok();
    let events = take_events(&host.service).await;
    assert_eq!(names(&events), ["create", "push"]);
    assert_eq!(events[1].data["ref"], "refs/heads/main");
}

#[tokio::test]
async fn push_of_annotated_tag_shows_its_commit() {
    let host = hooked(1).await;
    host.git("work", &["push", "--quiet", "origin", "main"]).await.ok();
    host.git("work", &["tag", "-a", "-m", "One", "v1"]).await.ok();
    take_events(&host.service).await;
    host.git("work", &["push", "--quiet", "origin", "v1"]).await.ok();
    let events = take_events(&host.service).await;
    let push = render(&host.service, &events[1]).await;
    let tag = host.git("work", &["rev-parse", "v1"]).await.ok();
    let commit = host.git("work", &["rev-parse", "HEAD"]).await.ok();
    assert_eq!((push["after"].as_str(), push["head_commit"]["id"].as_str()), (Some(tag.trim()), Some(commit.trim())));
    assert_eq!(push["commits"], serde_json::json!([]));
}

#[tokio::test]
async fn first_branch_that_becomes_default_branch_records_edited_repository() {
    let host = hooked(1).await;
    host.git("work", &["push", "--quiet", "origin", "main:trunk"]).await.ok();
    let events = take_events(&host.service).await;
    assert_eq!(names(&events), ["create", "push", "repository"]);
    assert_eq!(events[2].name, EventName::Repository);
    assert_eq!(render(&host.service, &events[2]).await["changes"]["default_branch"]["from"], "main");
}

#[tokio::test]
async fn rejected_updates_of_a_push_have_no_events() {
    let host = hooked(1).await;
    host.git("work", &["push", "--quiet", "origin", "main"]).await.ok();
    take_events(&host.service).await;
    host.git("work", &["branch", "main2"]).await.ok();
    host.git("work", &["push", "--quiet", "--atomic", "origin", "main2", ":main"]).await.rejected();
    assert!(take_events(&host.service).await.is_empty());
    host.git("work", &["push", "--quiet", "origin", "main2", ":main"]).await.rejected();
    assert_eq!(names(&take_events(&host.service).await), ["create", "push"]);
}
