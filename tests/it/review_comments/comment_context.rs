//! The cached context of a comment (pull request, author) is used only while it is current.

use std::sync::Mutex;

use serde_json::{Value, json};

use super::{fixture, numbered};
use crate::support::Tester;
use crate::support::pull_request::PullRequestFixture;
use crate::support::wait::wait_until_async;
use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::Sha;
use plinth_core::accounts::{AccountKind, store as accounts};
use plinth_core::pulls::store as pulls;
use plinth_core::repos::store as repos;
use plinth_store::Transaction;

/// Adds a version to the pull request, as a push would, with a head whose objects are stored already.
async fn add_version(tx: &mut Transaction, base: Sha, head: Sha) -> Result<()> {
    let found = repos::find(tx, "acme", "rocket", None).await?.expect("it is there");
    let pull = pulls::find(tx, found.repo.id, 1).await?.expect("it is there");
    Ok(pulls::insert_version(tx, pull.id, pull.version.number + 1, (base, head), (None, Timestamp(1))).await?)
}

/// Creates a comment on line 3 as guest.
async fn comment(fixture: &PullRequestFixture, commit: &str) -> Value {
    fixture.comment_as("guest", json!({ "line": 3, "commit_id": commit })).await.expect(201).json()
}

#[tokio::test]
async fn create_comment_uses_current_pull_request() {
    let fixture = fixture().await;
    let first = comment(&fixture, &fixture.head).await;
    assert_eq!((&first["commit_id"], &first["line"]), (&json!(fixture.head), &json!(3)));
    assert_eq!(fixture.get(&first["id"]).await, first, "the response to a new comment equals the comment that is read");
    let above = numbered(&[(1, "new\nline 1\n"), (3, "three\n"), (4, "four\nand more\n"), (20, "twenty\n"), (25, "")]);
    let next = fixture.commit_on(&fixture.head, &[("file", Some(&above))]);
    fixture.push("feature", &next).await;
    let second = comment(&fixture, &fixture.head).await;
    let shown = [&second["commit_id"], &second["original_commit_id"], &second["line"], &second["original_line"]];
    assert_eq!(shown, [&json!(next), &json!(fixture.head), &json!(4), &json!(3)]);
    assert_eq!(fixture.get(&second["id"]).await, second);
    let third = fixture.comment_as("guest", json!({ "line": 4, "commit_id": next })).await.expect(201).json();
    assert_eq!((&third["commit_id"], &third["line"]), (&json!(next), &json!(4)));
    fixture.push("feature", &fixture.head).await;
    assert_eq!(fixture.get(&second["id"]).await["line"], 3, "back where it was written");
}

#[tokio::test]
async fn create_comment_uses_version_of_another_process() {
    let fixture = fixture().await;
    let elsewhere = fixture.service.store_elsewhere().await;
    let first = comment(&fixture, &fixture.head).await;
    let next = fixture.commit_on(&fixture.head, &[("unchanged", Some("other\n"))]);
    fixture.bring_objects().await;
    let versions = (fixture.base.parse().expect("a name"), next.parse().expect("a name"));
    let moved = elsewhere.write(Tester, versions, |tx, (base, head)| Box::pin(add_version(tx, *base, *head)));
    moved.await.expect("the store accepts the change");
    let second = comment(&fixture, &next).await;
    assert_eq!((&first["commit_id"], &second["commit_id"]), (&json!(fixture.head), &json!(next)));
}

#[tokio::test(flavor = "multi_thread")]
async fn create_comment_uses_version_made_while_it_waits() {
    let fixture = fixture().await;
    if fixture.service.app.is_shared_store() {
        // Transactions of PostgreSQL do not wait for each other, so none can commit in between.
        return;
    }
    comment(&fixture, &fixture.head).await;
    let next = fixture.commit_on(&fixture.head, &[("unchanged", Some("other\n"))]);
    fixture.bring_objects().await;
    fixture.service.settled().await;
    let (go, may_go) = std::sync::mpsc::channel::<()>();
    let versions = (fixture.base.parse().expect("a name"), next.parse().expect("a name"));
    let moving = fixture.service.store.write(Tester, (versions, Mutex::new(may_go)), |tx, ((base, head), may_go)| {
        may_go.lock().expect("nobody panics").recv().expect("the test goes on");
        Box::pin(add_version(tx, *base, *head))
    });
    let release = async {
        let times = fixture.service.app.transaction_times();
        wait_until_async("the comment waits behind the open transaction", async || times.waiting() >= 2).await;
        go.send(()).expect("the transaction waits");
    };
    let (moved, made, ()) = tokio::join!(moving, comment(&fixture, &fixture.head), release);
    moved.expect("the store accepts the change");
    assert_eq!(made["commit_id"], json!(next));
    assert_eq!(fixture.get(&made["id"]).await, made);
}

#[tokio::test]
async fn author_association_is_current() {
    let fixture = fixture().await;
    let association = async |login: &str| {
        let made = fixture.comment_as(login, json!({ "line": 3 })).await.expect(201).json();
        made["author_association"].as_str().expect("a word").to_owned()
    };
    assert_eq!(association("guest").await, "NONE");
    assert_eq!(association("hubot").await, "COLLABORATOR");
    fixture
        .service
        .apply("orgs: [{ login: acme, members: [{ user: mona, role: admin }, { user: hubot, role: member }] }]")
        .await;
    assert_eq!((association("hubot").await.as_str(), association("guest").await.as_str()), ("MEMBER", "NONE"));
    fixture.work.git(&["checkout", "-q", "--detach", &fixture.base]);
    fixture.work.write("more", Some("more\n"));
    let commit = fixture.work.commit("guest");
    fixture.push("main", &commit).await;
    // Contributors are determined after the push, and shown first in responses to reads.
    let is_contributor = async || fixture.get(&json!(1)).await["author_association"] == "CONTRIBUTOR";
    wait_until_async("the author of the comment is a contributor", is_contributor).await;
    assert_eq!(association("guest").await, "CONTRIBUTOR");
}

#[tokio::test]
async fn author_is_notified_only_while_they_can_read() {
    let fixture = fixture().await;
    let notified = async || {
        let list = fixture.user("mona").get("/notifications?all=true").await.expect(200).json();
        list[0]["subject"]["latest_comment_url"].clone()
    };
    let first = comment(&fixture, &fixture.head).await;
    assert_eq!(notified().await, first["url"]);
    let second = comment(&fixture, &fixture.head).await;
    assert_eq!(notified().await, second["url"], "a thread that is there already goes on");
    let closed = "{ name: acme/rocket, private: true, collaborators: [{ user: guest, permission: write }] }";
    fixture.service.apply(&format!("repos: [{closed}]")).await;
    let left = fixture.service.store.write(Tester, (), |tx, ()| {
        Box::pin(async move {
            let org = accounts::find_of_kind(tx, "acme", AccountKind::Organization).await?.expect("it is there");
            let mona = accounts::find_of_kind(tx, "mona", AccountKind::User).await?.expect("she is there");
            Ok(accounts::delete_membership(tx, org.id, mona.id).await?)
        })
    });
    assert_eq!(left.await.expect("the store accepts the change"), 1);
    comment(&fixture, &fixture.head).await;
    fixture.service.apply("orgs: [{ login: acme, members: [{ user: mona, role: admin }] }]").await;
    assert_eq!(notified().await, second["url"], "nobody was notified in between");
}
