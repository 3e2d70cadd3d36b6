//! Writes to several repositories that wait at the same time share commits on PostgreSQL, and each has the outcome that it would
//! have if they ran one after another.

use std::collections::BTreeMap;

use http::Method;
use serde_json::json;

use super::shared_commits::{CLIENTS, Session, comment, create_ref, fixture};
use crate::support::Response;
use crate::support::pull_request::{COMMENTS, PULL, PullRequestFixture};
use crate::support::wait::wait_until_async;
use futures_util::future::join;

const REPOSITORIES: usize = 16;
/// Enough for several batches, none of which has two writes to one of them.
const MANY_REPOSITORIES: usize = 80;
const BATCH_MAX: usize = 32;
/// Those that run by themselves, two batches, and what a conflict has left; a busy machine is slow.
const COMMITS_MAX: i64 = 20;

/// Creates repositories, and returns the commit of each.
async fn create_repositories(fixture: &PullRequestFixture, count: usize) -> Vec<String> {
    let mut commits = Vec::new();
    for number in 0..count {
        let new = json!({ "name": format!("many-{number}"), "auto_init": true });
        fixture.user("mona").post("/user/repos", new).await.expect(201);
        let main = format!("/repos/mona/many-{number}/git/ref/heads/main");
        let main = fixture.user("mona").get(&main).await.expect(200).json();
        commits.push(main["object"]["sha"].as_str().expect("a commit").to_owned());
    }
    commits
}

async fn create_ref_in(fixture: &PullRequestFixture, number: usize, name: &str, sha: &str) -> Response {
    let new = json!({ "ref": format!("refs/heads/{name}"), "sha": sha });
    fixture.user("mona").post(&format!("/repos/mona/many-{number}/git/refs"), new).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_to_several_repositories_share_commits() {
    let fixture = fixture().await;
    let Some(session) = Session::open(&fixture).await else { return };
    let commits = create_repositories(&fixture, REPOSITORIES).await;
    let etags = async || {
        let mut etags = Vec::new();
        for number in 0..REPOSITORIES {
            let refs = format!("/repos/mona/many-{number}/git/matching-refs/heads");
            etags.push(fixture.user("mona").get(&refs).await.expect(200).header("etag").map(str::to_owned));
        }
        etags
    };
    let before = etags().await;
    let generations = "select sum(ref_generation)::bigint from repo";
    let generations_before = session.count(generations).await;
    fixture.service.advance(3_600);
    let writes = (0..CLIENTS).map(async |client| {
        let number = client % REPOSITORIES;
        create_ref_in(&fixture, number, &format!("new-{client}"), &commits[number]).await
    });
    for response in session.in_one_queue(&fixture, writes.collect()).await {
        response.expect(201);
    }
    let clients = i64::try_from(CLIENTS).expect("a small number");
    assert_eq!(session.count("select count(*) from git_ref where name like 'refs/heads/new-%'").await, clients);
    assert_eq!(session.count(generations).await, generations_before + clients);
    let transactions =
        session.count("select count(distinct xmin::text) from git_ref where name like 'refs/heads/new-%'").await;
    assert!(transactions <= COMMITS_MAX, "{CLIENTS} writes took {transactions} commits");
    // Every repository is in the row of each of its commits, so that no response is cached for too long.
    let undeclared = "select count(*) from git_ref g where name like 'refs/heads/new-%' and not exists \
        (select 1 from change c where c.changed_by = cast(g.xmin::text as bigint) and c.scope = g.repo_id * 2)";
    assert_eq!(session.count(undeclared).await, 0);
    for (before, after) in before.iter().zip(etags().await) {
        assert_ne!(*before, after);
    }
    for number in 0..REPOSITORIES {
        let repo = fixture.user("mona").get(&format!("/repos/mona/many-{number}")).await.expect(200).json();
        assert_ne!(repo["pushed_at"], repo["created_at"]);
    }
}

/// Another session locks a row that one of the writes needs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_do_not_wait_for_each_other() {
    let fixture = fixture().await;
    let Some(session) = Session::open(&fixture).await else { return };
    let Some(blocker) = Session::open(&fixture).await else { return };
    let Some(observer) = Session::open(&fixture).await else { return };
    let commits = create_repositories(&fixture, MANY_REPOSITORIES).await;
    fixture.service.settled().await;
    blocker.run("begin; select 1 from repo where name = 'many-20' for update").await;
    let writes =
        commits.iter().enumerate().map(async |(number, sha)| create_ref_in(&fixture, number, "new", sha).await);
    let others = MANY_REPOSITORIES - BATCH_MAX;
    let refs = "select count(*) from git_ref where name = 'refs/heads/new'";
    let unblock = async {
        // When the transaction began that waits for the row.
        let waiting = "select coalesce(max(cast(extract(epoch from xact_start) * 1000000 as bigint)), 0) \
            from pg_stat_activity where datname = current_database() and wait_event = 'transactionid'";
        wait_until_async("a batch waits for the row", async || observer.count(waiting).await > 0).await;
        let began = observer.count(waiting).await;
        let written = async || observer.count(refs).await >= i64::try_from(others).expect("a small number");
        wait_until_async("all but one batch are committed", written).await;
        assert_eq!(observer.count(waiting).await, began, "the first batch was not given up");
        blocker.run("commit").await;
    };
    for response in join(session.in_one_queue(&fixture, writes.collect()), unblock).await.0 {
        response.expect(201);
    }
    assert_eq!(session.count(refs).await, i64::try_from(MANY_REPOSITORIES).expect("a small number"));
}

/// Some are rejected, some need more than one round trip, and some both, after they have changed something.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_of_a_batch_have_the_outcomes_of_one_after_another() {
    let fixture = fixture().await;
    let Some(session) = Session::open(&fixture).await else { return };
    let commits = create_repositories(&fixture, REPOSITORIES).await;
    let first = comment(&fixture, "hubot", "first").await.expect(201).json();
    let pending = json!({ "comments": [{ "path": "file", "line": 2, "body": "pending" }] });
    fixture.user("guest").post(&format!("{PULL}/reviews"), pending).await.expect(200);
    let writes = (0..CLIENTS).map(async |client| {
        let number = client / 8;
        let reply = json!({ "body": format!("reply {client}"), "in_reply_to": first["id"] });
        let kind = ["ref", "same ref", "file", "directory", "comment", "mention", "reply", "rejected"][client % 8];
        let response = match kind {
            "ref" => create_ref_in(&fixture, number, "new", &commits[number]).await,
            "same ref" => create_ref_in(&fixture, 0, "same", &commits[0]).await,
            "file" => create_ref_in(&fixture, number, "path", &commits[number]).await,
            "directory" => create_ref_in(&fixture, number, "path/below", &commits[number]).await,
            "comment" => comment(&fixture, "mona", &format!("comment {client}")).await,
            "mention" => comment(&fixture, "hubot", &format!("@mona and @reader, {client}")).await,
            "reply" => fixture.user("mona").post(COMMENTS, reply).await,
            _ => comment(&fixture, "guest", "rejected").await,
        };
        (kind, response)
    });
    let mut statuses = BTreeMap::<(&str, u16), usize>::new();
    for (kind, response) in session.in_one_queue(&fixture, writes.collect()).await {
        *statuses.entry((kind, response.status)).or_default() += 1;
    }
    let in_pairs = ["file", "directory"].map(|kind| statuses.remove(&(kind, 201)).unwrap_or_default());
    assert_eq!(in_pairs.iter().sum::<usize>(), CLIENTS / 8, "one of each pair is created: {statuses:?}");
    statuses.retain(|(kind, _), _| !["file", "directory"].contains(kind));
    let expected = [
        (("comment", 201), 8),
        (("mention", 201), 8),
        (("ref", 201), 8),
        (("rejected", 422), 8),
        (("reply", 201), 8),
        (("same ref", 201), 1),
        (("same ref", 422), 7),
    ];
    assert_eq!(statuses.into_iter().collect::<Vec<_>>(), expected);
    let pull = fixture.user("mona").get(PULL).await.expect(200).json();
    let listed = fixture.user("mona").get(&format!("{COMMENTS}?per_page=100")).await.expect(200).json();
    assert_eq!(pull["review_comments"], listed.as_array().expect("a list").len());
    assert_eq!(pull["review_comments"], 1 + 3 * CLIENTS / 8);
    assert_eq!(session.count("select count(*) from review where state <> 'PENDING'").await, 25);
    let last = "select count(*) from notification n join account a on a.id = n.user_id join review_comment c \
        on c.id = n.comment_id where n.reason = 'mention' and a.login in ('mona', 'reader') and c.body like '@mona and%'";
    let mentioned = session.count("select count(*) from notification where reason = 'mention'").await;
    assert_eq!(session.count(last).await, mentioned, "a mention is about the comment that has it");
}

/// Notifications are changed once for a batch, and are about its last comment.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn notifications_of_a_batch_are_about_its_last_comment() {
    let fixture = fixture().await;
    let Some(session) = Session::open(&fixture).await else { return };
    let writes = (0..CLIENTS).map(async |client| {
        let mention = if client % 2 == 0 { "@reader: " } else { "" };
        comment(&fixture, "hubot", &format!("{mention}new {client}")).await
    });
    for response in session.in_one_queue(&fixture, writes.collect()).await {
        response.expect(201);
    }
    for (login, reason, comments) in [("mona", "author", "%new %"), ("reader", "mention", "@reader: new %")] {
        let sql = format!(
            "select count(*) from notification n join account a on a.id = n.user_id where a.login = '{login}' \
             and n.reason = '{reason}' and n.unread and n.comment_id = \
             (select max(id) from review_comment where body like '{comments}')"
        );
        assert_eq!(session.count(&sql).await, 1, "{login}");
        let of_user = "select count(*) from notification n join account a on a.id = n.user_id where a.login = ";
        assert_eq!(session.count(&format!("{of_user}'{login}'")).await, 1, "{login}");
    }
}

/// Creates a pull request with a comment in each of these repositories, and a ref to move. Returns the comments and the heads.
async fn create_pulls(fixture: &PullRequestFixture, commits: &[String]) -> Vec<(i64, String)> {
    let mona = fixture.user("mona");
    let mut created = Vec::new();
    for (number, main) in commits.iter().enumerate() {
        let path = format!("/repos/mona/many-{number}");
        for name in ["topic", "moved"] {
            create_ref_in(fixture, number, name, main).await.expect(201);
        }
        let file = json!({ "message": "a file", "content": "b25lCg==", "branch": "topic" });
        let head = mona.send(Method::PUT, &format!("{path}/contents/file"), file.to_string()).await.expect(201).json();
        let head = head["commit"]["sha"].clone();
        let pull = json!({ "title": "A file", "head": "topic", "base": "main" });
        mona.post(&format!("{path}/pulls"), pull).await.expect(201);
        let comment = json!({ "body": "first", "commit_id": head, "path": "file", "line": 1 });
        let comment = mona.post(&format!("{path}/pulls/1/comments"), comment).await.expect(201).json();
        created.push((comment["id"].as_i64().expect("an id"), head.as_str().expect("a commit").to_owned()));
    }
    created
}

/// Some are rejected. What is in memory afterwards is what the database has.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn edits_and_moves_in_several_repositories_share_commits() {
    /// Of one for each repository and kind there would be 32.
    const COMMITS_MAX: i64 = 12;
    let fixture = fixture().await;
    let Some(session) = Session::open(&fixture).await else { return };
    let created = create_pulls(&fixture, &create_repositories(&fixture, REPOSITORIES).await).await;
    let transactions = "select count(distinct changed_by) from change";
    fixture.service.settled().await;
    let before = session.count(transactions).await;
    let comment_of = |number: usize| format!("/repos/mona/many-{number}/pulls/comments/{}", created[number].0);
    let writes = (0..CLIENTS).map(async |client| {
        let (number, edit) = (client % REPOSITORIES, json!({ "body": format!("edited by {client}") }));
        match client / REPOSITORIES {
            0 => {
                let moved = json!({ "sha": created[number].1 });
                let path = format!("/repos/mona/many-{number}/git/refs/heads/moved");
                (200, fixture.user("mona").patch(&path, moved).await)
            }
            1 if number < 4 => (403, fixture.user("guest").patch(&comment_of(number), edit).await),
            1 if number < 8 => {
                let of_another = comment_of(number).replace(&format!("many-{number}/"), "many-15/");
                (404, fixture.user("mona").patch(&of_another, edit).await)
            }
            _ => (200, fixture.user("mona").patch(&comment_of(number), edit).await),
        }
    });
    for (expected, response) in session.in_one_queue(&fixture, writes.collect()).await {
        assert_eq!(response.status, expected, "{response}");
    }
    let transactions = session.count(transactions).await - before;
    assert!(transactions <= COMMITS_MAX, "{CLIENTS} writes took {transactions} commits");
    for (number, (id, head)) in created.iter().enumerate() {
        let body = fixture.user("mona").get(&comment_of(number)).await.expect(200).json()["body"].clone();
        let body = body.as_str().expect("a text");
        let editor: usize = body.strip_prefix("edited by ").and_then(|editor| editor.parse().ok()).expect("a number");
        assert!(editor % REPOSITORIES == number && editor >= REPOSITORIES, "{body}");
        let same = format!("select count(*) from review_comment where id = {id} and body = '{body}'");
        assert_eq!(session.count(&same).await, 1, "{body}");
        let moved = fixture.user("mona").get(&format!("/repos/mona/many-{number}/git/ref/heads/moved")).await;
        assert_eq!(moved.expect(200).json()["object"]["sha"], *head);
    }
}

/// Events are recorded after the results of a write are known, so none of these is finished in one round trip.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_of_writes_that_wait_are_recorded_once() {
    let fixture = fixture().await;
    let Some(session) = Session::open(&fixture).await else { return };
    let hook =
        json!({ "config": { "url": "http://127.0.0.1:9/" }, "events": ["create", "pull_request_review_comment"] });
    fixture.user("mona").post("/repos/acme/rocket/hooks", hook).await.expect(201);
    let writes = (0..CLIENTS).map(async |client| match client % 2 {
        0 => create_ref(&fixture, &format!("new-{client}")).await,
        _ => comment(&fixture, "mona", &format!("new {client}")).await,
    });
    for response in session.in_one_queue(&fixture, writes.collect()).await {
        response.expect(201);
    }
    let half = i64::try_from(CLIENTS / 2).expect("a small number");
    for name in ["create", "pull_request_review_comment"] {
        let sql = format!("select count(distinct data) from event where name = '{name}'");
        assert_eq!(session.count(&sql).await, half, "{name}");
        assert_eq!(session.count(&sql.replace("distinct data", "*")).await, half, "{name}");
    }
}
