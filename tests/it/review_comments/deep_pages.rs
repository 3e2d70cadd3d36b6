//! Pages far from both ends of a long list are those of an offset, after every change, and do not cost one.

use std::cell::Cell;
use std::collections::HashMap;

use serde_json::{Value, json};

use super::numbered;
use crate::support::pull_request::{COMMENTS, PullRequestFixture};
use crate::support::{Client, Tester};
use plinth_api::server::HttpService;
use plinth_api::settings::Settings;
use plinth_core::DisabledCaches;
use plinth_store::params;

pub const REPO_COMMENTS: &str = "/repos/acme/rocket/pulls/comments";
pub const REVIEWS: &str = "/repos/acme/rocket/pulls/1/reviews";
/// Comments with these ids are inserted with SQL, every third of them on the second pull request.
const INSERTED: std::ops::RangeInclusive<i64> = 5..=1804;
/// The one of them that nobody sees at first.
const HIDDEN: i64 = 50;
pub const PER_PAGE: usize = 10;

/// A service without response cache.
fn settings(disabled: &[&str]) -> Settings {
    let disabled_caches = DisabledCaches(disabled.iter().map(|name| name.parse().expect("a cache")).collect());
    let mut settings = Settings { response_cache_bytes: 0, disabled_caches, ..Settings::default() };
    settings.rate_limits.enforced = false;
    settings
}

/// A comment of the list as the test knows it.
#[derive(Debug, Clone, Copy)]
struct ModelComment {
    id: i64,
    pull: i64,
    /// Who sees it, unless everyone does.
    pending: Option<&'static str>,
}

/// A repository with many comments on two pull requests, and the order that they must have.
pub struct ComparedLists {
    pub fixture: PullRequestFixture,
    /// The same data without sparse indexes.
    plain: HttpService,
    /// The same data served by another node.
    other_node: HttpService,
    model: Vec<ModelComment>,
    /// A pending review of guest, whose comments are before most others.
    review: Value,
}

impl ComparedLists {
    pub async fn new() -> Self {
        let head = numbered(&[(3, "three\n")]);
        let (base, head) = ([("file", numbered(&[]))], [("file", Some(head))]);
        let base: Vec<(&str, &str)> = base.iter().map(|(path, text)| (*path, text.as_str())).collect();
        let head: Vec<(&str, Option<&str>)> = head.iter().map(|(path, text)| (*path, text.as_deref())).collect();
        let fixture = PullRequestFixture::with_settings(&base, &head, Some(settings(&[]))).await;
        let mona = fixture.user("mona");
        let branch = json!({ "ref": "refs/heads/second", "sha": fixture.head });
        mona.post("/repos/acme/rocket/git/refs", branch).await.expect(201);
        let second = json!({ "title": "Second", "head": "second", "base": "main" });
        assert_eq!(mona.post("/repos/acme/rocket/pulls", second).await.expect(201).json()["number"], 2);
        let plain = fixture.service.another_with(settings(&["comment-indexes"])).await;
        let store = fixture.service.store_elsewhere().await;
        let other_node = fixture.service.another_on(store, settings(&[])).await;
        let mut lists = Self { fixture, plain, other_node, model: Vec::new(), review: Value::Null };
        for pull in [1, 2] {
            assert_eq!(lists.comment(pull).await, pull);
        }
        lists.review = lists.start_review("guest").await;
        lists.insert().await;
        lists
    }

    /// Inserts replies to both comments.
    async fn insert(&mut self) {
        let insert = "insert into review_comment (repo_id, pull_id, review_id, thread_id, in_reply_to_id, author_id, \
                      pending, body, created_at, updated_at) \
                      with recursive series (number) as (select 5 union all \
                      select number + 1 from series where number < 1804) \
                      select c.repo_id, c.pull_id, c.review_id, c.thread_id, c.id, c.author_id, c.pending, 'Reply', \
                      c.created_at, c.updated_at + series.number % 7 from series join review_comment c \
                      on c.id = case when series.number % 3 = 0 then 2 else 1 end order by series.number";
        self.write(insert, 1800).await;
        self.write("update review_comment set pending = true, author_id = null where id = 50", 1).await;
        self.write("update pull set review_comments = 1200 where id = 1 and review_comments = 1", 1).await;
        self.write("update pull set review_comments = 601 where id = 3 and review_comments = 1", 1).await;
        let inserted = INSERTED.filter(|id| *id != HIDDEN);
        self.model.extend(inserted.map(|id| ModelComment { id, pull: if id % 3 == 0 { 2 } else { 1 }, pending: None }));
    }

    /// Changes the database without the service.
    pub async fn write(&self, sql: &'static str, changed: i64) {
        let written = self.fixture.service.store.write(Tester, sql, |tx, sql| {
            let sql = *sql;
            Box::pin(async move { Ok(tx.execute(sql, params![]).await?) })
        });
        assert_eq!(written.await.expect("the store accepts the change"), changed.unsigned_abs(), "{sql}");
    }

    pub async fn comment(&mut self, pull: i64) -> i64 {
        let new = json!({ "body": "New", "commit_id": self.fixture.head, "path": "file", "line": 3, "side": "RIGHT" });
        let path = format!("/repos/acme/rocket/pulls/{pull}/comments");
        let created = self.fixture.user("mona").post(&path, new).await.expect(201).json();
        let id = id_of(&created);
        self.model.push(ModelComment { id, pull, pending: None });
        id
    }

    /// A pending review of the first pull request with two comments.
    pub async fn start_review(&mut self, login: &'static str) -> Value {
        let drafts = [
            json!({ "path": "file", "line": 3, "body": "Draft" }),
            json!({ "path": "file", "line": 2, "body": "Draft" }),
        ];
        let client = self.fixture.user(login);
        let review = client.post(REVIEWS, json!({ "comments": drafts })).await.expect(200).json();
        let comments = client.get(&format!("{REVIEWS}/{}/comments", review["id"])).await.expect(200).json();
        let ids = comments.as_array().expect("a list").iter().map(id_of).collect::<Vec<_>>();
        assert_eq!(ids.len(), 2);
        self.model.extend(ids.into_iter().map(|id| ModelComment { id, pull: 1, pending: Some(login) }));
        review["id"].clone()
    }

    /// The pending review of this user has been published.
    pub fn show_pending_of(&mut self, login: &str) {
        self.model.iter_mut().for_each(|comment| comment.pending = comment.pending.filter(|author| *author != login));
    }

    pub async fn delete(&mut self, id: i64) {
        self.fixture.user("mona").delete(&format!("{REPO_COMMENTS}/{id}")).await.expect(204);
        self.model.retain(|comment| comment.id != id);
    }

    /// The ids that a list by update has for a caller. The order is that of the rows.
    pub async fn expected_by_update(&self, login: &str, pull: Option<i64>) -> Vec<i64> {
        let mut db = self.fixture.service.store.read().await.expect("a connection");
        let rows = db.all::<(i64, i64)>("select id, updated_at from review_comment", params![]).await;
        let updated: HashMap<i64, i64> = rows.expect("all comments").into_iter().collect();
        let mut ids = self.expected(login, pull);
        ids.sort_by_key(|id| (updated[id], *id));
        ids
    }

    /// The ids that a list has for a caller.
    fn expected(&self, login: &str, pull: Option<i64>) -> Vec<i64> {
        let is_shown = |comment: &&ModelComment| {
            comment.pending.is_none_or(|author| author == login) && pull.is_none_or(|pull| comment.pull == pull)
        };
        let mut ids: Vec<i64> = self.model.iter().filter(is_shown).map(|comment| comment.id).collect();
        ids.sort_unstable();
        ids
    }

    /// Each service with the number of requests after which it must have an index: the first only notes that one is wanted.
    fn clients(&self, login: &str) -> [(Client<'_>, usize); 3] {
        let client = |service| Client::new(service).header("authorization", &format!("Bearer ghp_{login}"));
        [(self.fixture.user(login), 3), (client(&self.other_node), 3), (client(&self.plain), 1)]
    }

    /// Compares pages of all lists.
    async fn check(&self, when: &str) {
        for login in ["mona", "guest"] {
            for (path, pull) in [(COMMENTS, Some(1)), (REPO_COMMENTS, None)] {
                let reversed = |ids: &Vec<i64>| ids.iter().rev().copied().collect::<Vec<_>>();
                let (up, updated) = (self.expected(login, pull), self.expected_by_update(login, pull).await);
                assert_ne!(up, updated);
                for (order, all) in [
                    ("&sort=created&direction=desc", reversed(&up)),
                    ("&sort=updated&direction=desc", reversed(&updated)),
                    ("&sort=updated", updated),
                    ("", up),
                ] {
                    for page in [26, all.len() / PER_PAGE / 2, all.len() / PER_PAGE - 27] {
                        let path = format!("{path}?per_page={PER_PAGE}&page={}{order}", page + 1);
                        let expected = &all[page * PER_PAGE..][..PER_PAGE];
                        for (index, (client, times)) in self.clients(login).iter().enumerate() {
                            for time in 0..*times {
                                let (found, last) = read(client, &path).await;
                                assert_eq!(found, expected, "{when}: {login}, {path}, service {index}, time {time}");
                                assert_eq!(last, all.len().div_ceil(PER_PAGE), "{when}: {login}, {path}");
                            }
                        }
                    }
                }
            }
        }
    }
}

fn id_of(comment: &Value) -> i64 {
    comment["id"].as_i64().expect("a number")
}

/// The ids of a page, and the number of the last page.
pub async fn read(client: &Client<'_>, path: &str) -> (Vec<i64>, usize) {
    let response = client.get(path).await.expect(200);
    let links = response.header("link").expect("there are more pages");
    let last = links.split("rel=\"last\"").next().and_then(|links| links.rsplit("&page=").next());
    let digits = last.map(|last| last.chars().take_while(char::is_ascii_digit).collect::<String>());
    let last = digits.and_then(|digits| digits.parse().ok()).expect("a link to the last page");
    (response.json().as_array().expect("a list").iter().map(id_of).collect(), last)
}

#[tokio::test]
async fn deep_pages_are_those_of_an_offset() {
    let mut lists = ComparedLists::new().await;
    lists.check("at first").await;
    lists.comment(1).await;
    lists.comment(2).await;
    lists.check("with new comments").await;
    let edited = format!("{REPO_COMMENTS}/700");
    lists.fixture.service.advance(60);
    lists.fixture.user("mona").patch(&edited, json!({ "body": "Edited" })).await.expect(200);
    lists.check("after an edit").await;
    lists.delete(8).await;
    lists.check("after a deletion").await;
    let abandoned = lists.start_review("mona").await;
    lists.comment(2).await;
    lists.check("with another pending review").await;
    lists.fixture.user("mona").delete(&format!("{REVIEWS}/{abandoned}")).await.expect(200);
    lists.model.retain(|comment| comment.pending != Some("mona"));
    lists.check("a pending review is deleted").await;
    let submitted = json!({ "event": "COMMENT", "body": "Done" });
    lists.fixture.user("guest").post(&format!("{REVIEWS}/{}/events", lists.review), submitted).await.expect(200);
    lists.show_pending_of("guest");
    lists.check("a review is published whose comments are before most others").await;
}

/// Of two transactions of two nodes on PostgreSQL, the one with the smaller id may be committed last.
#[tokio::test]
async fn deep_pages_have_comments_that_were_committed_late() {
    let mut lists = ComparedLists::new().await;
    lists.check("at first").await;
    lists.write("update review_comment set pending = false where id = 50", 1).await;
    lists.write("update pull set review_comments = review_comments + 1 where id = 1", 1).await;
    lists.model.push(ModelComment { id: HIDDEN, pull: 1, pending: None });
    lists.check("with a late comment").await;
}

/// If a comment disappears without the counters, a page that is counted from the start moves, and one from an index does not.
#[tokio::test]
async fn deep_pages_are_not_counted_from_the_start() {
    let mut lists = ComparedLists::new().await;
    let paths = [COMMENTS, REPO_COMMENTS].map(|path| format!("{path}?per_page={PER_PAGE}&page=61"));
    lists.check("at first").await;
    let mut expected = Vec::new();
    for path in &paths {
        expected.push(read(&lists.fixture.user("guest"), path).await.0);
    }
    lists.write("delete from review_comment where id = 5", 1).await;
    lists.comment(1).await;
    let edited = json!({ "body": "Edited" });
    lists.fixture.user("mona").patch(&format!("{REPO_COMMENTS}/700"), edited).await.expect(200);
    for (path, expected) in paths.iter().zip(expected) {
        let [(indexed, _), _, (plain, _)] = lists.clients("guest");
        assert_ne!(read(&plain, path).await.0, expected, "it is counted from the start");
        assert_eq!(read(&indexed, path).await.0, expected, "it is read from an index");
    }
}

/// Comments are deleted at the start and created at the end while pages are read: each page is that of one moment.
#[tokio::test]
async fn deep_pages_are_of_one_moment() {
    let lists = ComparedLists::new().await;
    let (deleted, created) = (Cell::new((0, 0)), Cell::new((0, 0)));
    let path = format!("{REPO_COMMENTS}?per_page={PER_PAGE}&page=91");
    let began = |count: &Cell<(i64, i64)>| count.set((count.get().0, count.get().1 + 1));
    let ended = |count: &Cell<(i64, i64)>| count.set((count.get().0 + 1, count.get().1));
    let writes = async {
        for id in 51..81 {
            began(&deleted);
            lists.fixture.user("mona").delete(&format!("{REPO_COMMENTS}/{id}")).await.expect(204);
            ended(&deleted);
            for _ in 0..3 {
                let new = json!({ "body": "New", "commit_id": lists.fixture.head, "path": "file", "line": 3 });
                began(&created);
                lists.fixture.user("mona").post(COMMENTS, new).await.expect(201);
                ended(&created);
            }
        }
    };
    // By id, without the hidden one and those of guest: 1, 2, 5 and so on.
    let reads = async |order: &str, count: &Cell<(i64, i64)>, expected: &dyn Fn(i64) -> Vec<i64>| {
        while deleted.get().0 < 30 {
            let (at_least, _) = count.get();
            let found = read(&lists.fixture.user("mona"), &format!("{path}{order}")).await.0;
            let (_, at_most) = count.get();
            let possible = (at_least..=at_most).map(expected).any(|page| page == found);
            assert!(possible, "{order}: {found:?} with {at_least} to {at_most}");
            tokio::task::yield_now().await;
        }
    };
    let up = |deleted: i64| (904 + deleted..914 + deleted).collect();
    let down = |created: i64| (895 + created..905 + created).rev().collect();
    let (up, down) = (reads("", &deleted, &up), reads("&sort=created&direction=desc", &created, &down));
    tokio::join!(writes, up, down);
}
