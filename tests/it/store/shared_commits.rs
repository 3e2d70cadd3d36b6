//! Writes that wait for the same repository share a commit on PostgreSQL. Another session holds the lock that every write
//! transaction takes first, so that all but one write wait in the queue when it is released.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::{join, join_all};
use serde_json::json;
use tokio_postgres::NoTls;

use crate::support::Response;
use crate::support::pull_request::{COMMENTS, PULL, PullRequestFixture};
use crate::support::wait::wait_until_async;

pub const CLIENTS: usize = 64;
/// A group takes in more writes for some milliseconds only, and a busy machine is slow, so there may be several.
const COMMITS_MAX: i64 = 16;
const REFS: &str = "/repos/acme/rocket/git/refs";

/// Another session of the database.
pub struct Session(tokio_postgres::Client);

impl Session {
    /// Nothing on SQLite.
    pub async fn open(fixture: &PullRequestFixture) -> Option<Self> {
        let url = fixture.service.database_url()?;
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.expect("it accepts connections");
        tokio::spawn(connection);
        Some(Self(client))
    }

    pub async fn count(&self, sql: &str) -> i64 {
        self.0.query_one(sql, &[]).await.expect("the statement is valid").get(0)
    }

    pub async fn run(&self, sql: &str) {
        self.0.batch_execute(sql).await.expect("the statement is valid");
    }

    /// Ends all other sessions, which report what they did at the latest then.
    pub async fn end_others(&self) {
        let end = "select count(pg_terminate_backend(pid, 10000)) from pg_stat_activity \
                   where datname = current_database() and pid <> pg_backend_pid()";
        self.count(end).await;
    }

    /// Sends requests, lets no write transaction begin before all of them wait, and returns the responses.
    pub async fn in_one_queue<F: Future>(&self, fixture: &PullRequestFixture, writes: Vec<F>) -> Vec<F::Output> {
        fixture.service.settled().await;
        self.run("begin; lock table setting in exclusive mode").await;
        let waiting = i64::try_from(writes.len()).expect("a small number");
        let release = async {
            let times = fixture.service.app.transaction_times();
            wait_until_async("all writes wait", async || times.waiting() == waiting).await;
            self.run("commit").await;
        };
        join(join_all(writes), release).await.0
    }
}

pub async fn fixture() -> PullRequestFixture {
    PullRequestFixture::new(&[("file", "one\ntwo\n")], &[("file", Some("one\nthree\n"))]).await
}

pub async fn create_ref(fixture: &PullRequestFixture, name: &str) -> Response {
    fixture.user("mona").post(REFS, json!({ "ref": format!("refs/heads/{name}"), "sha": fixture.head })).await
}

pub async fn comment(fixture: &PullRequestFixture, user: &str, body: &str) -> Response {
    let new = json!({ "body": body, "commit_id": fixture.head, "path": "file", "line": 2 });
    fixture.user(user).post(COMMENTS, new).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_that_wait_for_one_repository_share_commits() {
    let fixture = fixture().await;
    let Some(session) = Session::open(&fixture).await else { return };
    let names: Vec<String> = (0..CLIENTS).map(|number| format!("new-{number}")).collect();
    let writes = names.iter().map(|name| create_ref(&fixture, name)).collect();
    for response in session.in_one_queue(&fixture, writes).await {
        response.expect(201);
    }
    let rows = "select count(*) from git_ref where name like 'refs/heads/new-%'";
    assert_eq!(session.count(rows).await, i64::try_from(CLIENTS).expect("a small number"));
    // Rows have the number of the transaction that has inserted them.
    let commits =
        session.count("select count(distinct xmin::text) from git_ref where name like 'refs/heads/new-%'").await;
    assert!(commits <= COMMITS_MAX, "{CLIENTS} writes took {commits} commits");
    let undeclared = "select count(distinct xmin::text) from git_ref g where name like 'refs/heads/new-%' \
                      and not exists (select 1 from change c where c.changed_by = cast(g.xmin::text as bigint))";
    assert_eq!(session.count(undeclared).await, 0, "every commit says what it has changed");
}

/// Half of them are rejected: before they change something, or after it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rejected_write_leaves_nothing_and_rejects_no_other() {
    let fixture = fixture().await;
    let Some(session) = Session::open(&fixture).await else { return };
    let pending = json!({ "comments": [{ "path": "file", "line": 2, "body": "pending" }] });
    fixture.user("hubot").post(&format!("{PULL}/reviews"), pending).await.expect(200);
    let reviews = "select count(*) from review";
    let threads = "select count(*) from review_thread";
    let before = (session.count(reviews).await, session.count(threads).await);
    let writes = (0..CLIENTS).map(async |number| {
        let name = format!("new-{number}");
        match number % 4 {
            0 => (201, create_ref(&fixture, &name).await),
            1 => (422, create_ref(&fixture, "main").await),
            2 => (201, comment(&fixture, "mona", &name).await),
            _ => (422, comment(&fixture, "hubot", &name).await),
        }
    });
    for (expected, response) in session.in_one_queue(&fixture, writes.collect()).await {
        assert_eq!(response.status, expected, "{response}");
    }
    let quarter = i64::try_from(CLIENTS / 4).expect("a small number");
    assert_eq!(session.count("select count(*) from git_ref where name like 'refs/heads/new-%'").await, quarter);
    let after = (session.count(reviews).await, session.count(threads).await);
    assert_eq!(after, (before.0 + quarter, before.1 + quarter));
    let pull = fixture.user("mona").get(PULL).await.expect(200).json();
    assert_eq!(pull["review_comments"], quarter);
    let listed = fixture.user("mona").get(&format!("{COMMENTS}?per_page=100")).await.expect(200).json();
    let bodies: BTreeSet<String> =
        listed.as_array().expect("a list").iter().map(|one| one["body"].as_str().expect("a text").to_owned()).collect();
    assert_eq!(bodies, (2..CLIENTS).step_by(4).map(|number| format!("new-{number}")).collect());
}

/// Neither of two commits is an ancestor of the other, so whoever is second is rejected.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_two_conflicting_updates_in_a_group_wins() {
    const BRANCHES: usize = 16;
    let fixture = fixture().await;
    let Some(session) = Session::open(&fixture).await else { return };
    let [left, right] = ["left", "right"].map(|side| fixture.commit_on(&fixture.base, &[("file", Some(side))]));
    for (name, sha) in [("left", &left), ("right", &right)] {
        fixture.work.git(&["branch", name, sha]);
    }
    fixture.bring_objects().await;
    for number in 0..BRANCHES {
        let new = json!({ "ref": format!("refs/heads/moving-{number}"), "sha": fixture.base });
        fixture.user("mona").post(REFS, new).await.expect(201);
    }
    let update = async |number: usize, sha: &str| {
        let response =
            fixture.user("mona").patch(&format!("{REFS}/heads/moving-{number}"), json!({ "sha": sha })).await;
        (number, sha.to_owned(), response)
    };
    let writes = (0..BRANCHES).flat_map(|number| [update(number, &left), update(number, &right)]).collect();
    let responses = session.in_one_queue(&fixture, writes).await;
    for pair in responses.chunks(2) {
        let [(number, _, first), (_, _, second)] = pair else { panic!("they come in pairs") };
        let mut statuses = [first.status, second.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 422], "{first} {second}");
        let winner = pair.iter().find(|(_, _, response)| response.status == 200).map(|(_, sha, _)| sha.as_str());
        let found = fixture.user("mona").get(&format!("/repos/acme/rocket/git/ref/heads/moving-{number}")).await;
        assert_eq!(found.expect(200).json()["object"]["sha"].as_str(), winner);
    }
}

/// Callers that have gone are not waited for, and what they sent does not harm the others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn caller_that_goes_away_does_not_affect_its_group() {
    let fixture = fixture().await;
    let Some(session) = Session::open(&fixture).await else { return };
    let names: Vec<String> = (0..CLIENTS).map(|number| format!("new-{number}")).collect();
    fixture.service.settled().await;
    session.run("begin; lock table setting in exclusive mode").await;
    let times = fixture.service.app.transaction_times();
    let all_wait = async |count: usize| {
        let count = i64::try_from(count).expect("a small number");
        wait_until_async("writes wait", async || times.waiting() == count).await;
    };
    let [first, rest @ ..] = names.as_slice() else { panic!("there are many") };
    let (leaving, staying) = rest.split_at(CLIENTS / 2 - 1);
    // The first one has a transaction, which waits for the lock, and the others wait for it.
    let mut first = Box::pin(create_ref(&fixture, first));
    let mut leaving = Box::pin(join_all(leaving.iter().map(|name| create_ref(&fixture, name))));
    let mut staying = Box::pin(join_all(staying.iter().map(|name| create_ref(&fixture, name))));
    tokio::select! {
        _ = &mut first => panic!("no write can end"),
        () = all_wait(1) => {}
    }
    tokio::select! {
        _ = &mut first => panic!("no write can end"),
        _ = &mut leaving => panic!("no write can end"),
        _ = &mut staying => panic!("no write can end"),
        () = all_wait(CLIENTS) => {}
    }
    drop(leaving);
    drop(first);
    session.run("commit").await;
    for response in staying.await {
        response.expect(201);
    }
    fixture.service.settled().await;
    let stayed = "select count(*) from git_ref where name like 'refs/heads/new-%'";
    assert_eq!(session.count(stayed).await, i64::try_from(CLIENTS / 2).expect("a small number"));
}

/// Sessions end in the middle of groups, and in their commits.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ended_sessions_lose_no_acknowledged_write() {
    const CYCLES: usize = 12;
    const WRITERS: usize = 32;
    let fixture = fixture().await;
    let Some(session) = Session::open(&fixture).await else { return };
    let is_over = AtomicBool::new(false);
    let writers = (0..WRITERS).map(async |writer| {
        let (mut created, mut rejected) = (Vec::new(), 0);
        for number in 0.. {
            if is_over.load(Ordering::SeqCst) {
                break;
            }
            let name = format!("new-{writer}-{number}");
            match create_ref(&fixture, &name).await.status {
                201 => created.push(name),
                503 => rejected += 1,
                other => panic!("{other} for {name}"),
            }
        }
        (created, rejected)
    });
    let end_sessions = async {
        let rows = "select count(*) from git_ref where name like 'refs/heads/new-%'";
        for _ in 0..CYCLES {
            let before = session.count(rows).await;
            wait_until_async("writes go on", async || session.count(rows).await >= before + 20).await;
            session
                .count(
                    "select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = current_database() \
                           and pid <> pg_backend_pid()",
                )
                .await;
            tokio::time::sleep(Duration::from_millis(3)).await;
        }
        is_over.store(true, Ordering::SeqCst);
    };
    let (outcomes, ()) = join(join_all(writers), end_sessions).await;
    let rejected: usize = outcomes.iter().map(|(_, rejected)| rejected).sum();
    let created: Vec<String> = outcomes.into_iter().flat_map(|(created, _)| created).collect();
    assert!(created.len() >= CYCLES && rejected > 0, "{} created, {rejected} rejected", created.len());
    for name in created {
        let sql = "select count(*) from git_ref where name = $1";
        let found: i64 = session.0.query_one(sql, &[&format!("refs/heads/{name}")]).await.expect("it is valid").get(0);
        assert_eq!(found, 1, "{name} was acknowledged");
    }
}

/// What several writes of a group count and date is made once for all of them, in the order of what else reads or changes it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn counts_and_times_are_those_of_all_writes_of_a_group() {
    const COMMENTS_BEFORE: usize = 16;
    let fixture = fixture().await;
    let Some(session) = Session::open(&fixture).await else { return };
    let mut existing = Vec::new();
    for number in 0..COMMENTS_BEFORE {
        existing.push(comment(&fixture, "mona", &format!("old {number}")).await.expect(201).json()["id"].clone());
    }
    let refs = fixture.user("mona").get("/repos/acme/rocket/git/matching-refs/heads").await.expect(200);
    fixture.service.advance(3_600);
    let writes = (0..CLIENTS).map(async |number| match number % 4 {
        0 => (
            204,
            fixture.user("mona").delete(&format!("/repos/acme/rocket/pulls/comments/{}", existing[number / 4])).await,
        ),
        1 => (201, create_ref(&fixture, &format!("new-{number}")).await),
        _ => (201, comment(&fixture, "mona", &format!("new {number}")).await),
    });
    for (expected, response) in session.in_one_queue(&fixture, writes.collect()).await {
        assert_eq!(response.status, expected, "{response}");
    }
    let pull = fixture.user("mona").get(PULL).await.expect(200).json();
    let listed = fixture.user("mona").get(&format!("{COMMENTS}?per_page=100")).await.expect(200).json();
    assert_eq!(pull["review_comments"], listed.as_array().expect("a list").len());
    assert_eq!(pull["review_comments"], CLIENTS / 2);
    let repo = fixture.user("mona").get("/repos/acme/rocket").await.expect(200).json();
    assert_eq!(repo["pushed_at"], pull["updated_at"], "both are the time of the writes");
    assert_ne!(repo["pushed_at"], repo["created_at"]);
    let refs_after = fixture.user("mona").get("/repos/acme/rocket/git/matching-refs/heads").await.expect(200);
    assert_ne!(refs.header("etag"), refs_after.header("etag"));
}

/// A member reads what the members before it have changed, also what they have in common with others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pull_requests_of_a_group_have_the_last_commits_of_their_branches() {
    const BRANCHES: usize = 8;
    let fixture = fixture().await;
    let Some(session) = Session::open(&fixture).await else { return };
    let moved = fixture.commit_on(&fixture.head, &[("file", Some("one\nfour\n"))]);
    fixture.work.git(&["branch", "moved", &moved]);
    fixture.bring_objects().await;
    for number in 0..BRANCHES {
        create_ref(&fixture, &format!("topic-{number}")).await.expect(201);
    }
    // No pull request is open before the group.
    fixture.user("mona").patch(PULL, json!({ "state": "closed" })).await.expect(200);
    let writes = (0..4 * BRANCHES).map(async |number| {
        let branch = format!("topic-{}", number / 4);
        match number % 4 {
            1 => {
                let new = json!({ "title": branch, "head": branch, "base": "main" });
                fixture.user("mona").post("/repos/acme/rocket/pulls", new).await
            }
            2 => fixture.user("mona").patch(&format!("{REFS}/heads/{branch}"), json!({ "sha": moved })).await,
            _ => create_ref(&fixture, &format!("new-{number}")).await,
        }
    });
    for response in session.in_one_queue(&fixture, writes.collect()).await {
        assert!(response.status < 300, "{response}");
    }
    fixture.service.settled().await;
    let pulls = fixture.user("mona").get("/repos/acme/rocket/pulls?state=open").await.expect(200).json();
    let heads: Vec<&str> =
        pulls.as_array().expect("a list").iter().filter_map(|pull| pull["head"]["sha"].as_str()).collect();
    assert_eq!(heads, vec![moved.as_str(); BRANCHES]);
}
