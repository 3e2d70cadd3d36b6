//! Callers share the bodies of responses that are the same for all of them, and a write invalidates only those that show it.

use serde_json::{Value, json};

use crate::support::memory::count_hits;
use crate::support::{Client, Service};

const STATE: &str = "
users: [{ login: mona }, { login: hubot }, { login: guest }]
orgs: [{ login: octo-org, members: [{ user: mona, role: admin }] }]
repos:
  - name: octo-org/a
    private: true
    default_branch: main
    collaborators: [{ user: hubot, permission: write }]
    commits: &commits
      - { branch: main, author: mona, message: one, files: { a: one } }
      - { branch: next, from: main, author: mona, message: two, files: { a: two } }
      - { branch: topic, from: main, author: mona, message: three, files: { b: three } }
  - { name: octo-org/b, default_branch: main, commits: *commits }
pulls:
  - repo: octo-org/a
    title: Two
    author: hubot
    head: next
    base: main
    comments: [{ author: mona, path: a, line: 1, body: first }, { author: mona, path: a, line: 1, body: second }]
tokens:
  - { kind: classic, user: mona, scopes: [repo], token: ghp_monamona }
  - { kind: classic, user: mona, scopes: [repo], token: ghp_monaagain }
  - { kind: classic, user: hubot, scopes: [repo], token: ghp_hubothubot }
  - { kind: classic, user: guest, scopes: [repo], token: ghp_guestguest }
";
const REPO: &str = "/repos/octo-org/a";
const LIST: &str = "/repos/octo-org/a/pulls/1/comments";
const REF: &str = "/repos/octo-org/a/git/ref/heads/topic";
const MATCHING: &str = "/repos/octo-org/a/git/matching-refs/heads/";

/// With the positions of all comments stored, without which they are not shared.
async fn service() -> Service {
    let service = Service::with(STATE).await;
    service.settled().await;
    service
}

fn without_rendered_bodies(mut shown: Value) -> Value {
    match &mut shown {
        Value::Array(items) => items.iter_mut().for_each(|item| *item = without_rendered_bodies(item.take())),
        Value::Object(fields) => fields.retain(|name, _| !["body_html", "body_text"].contains(&name.as_str())),
        _ => {}
    }
    shown
}

/// The users of a repository, of whom the second gets a body that was made for the first. The first has two tokens, whose
/// requests are not identical.
struct Callers<'a> {
    service: &'a Service,
    mona: Client<'a>,
    mona_again: Client<'a>,
    hubot: Client<'a>,
}

impl<'a> Callers<'a> {
    fn of(service: &'a Service) -> Self {
        let [mona, mona_again, hubot] =
            ["ghp_monamona", "ghp_monaagain", "ghp_hubothubot"].map(|token| service.with_token(token));
        Self { service, mona, mona_again, hubot }
    }

    /// Lets Mona request a body, so that Hubot's request would find it.
    async fn fill(&self, path: &str) {
        self.mona.get(path).await.expect(200);
    }

    /// Whether Hubot's request, which is unlike any before, gets what was made for another caller. It must be what is computed without
    /// these caches, for a request of another media type.
    async fn is_shared(&self, path: &str) -> bool {
        let before = count_hits(&self.service.app);
        let number = before.to_string();
        let shared = self.hubot.clone().header("x-test", &number).get(path).await.expect(200).json();
        let is_hit = count_hits(&self.service.app) > before;
        let full =
            self.mona_again.clone().header("x-test", &number).header("accept", "application/vnd.github.full+json");
        assert_eq!(without_rendered_bodies(full.get(path).await.expect(200).json()), shared, "{path}");
        is_hit
    }

    async fn target(&self, branch: &str) -> Value {
        self.mona.get(&format!("{REPO}/git/ref/heads/{branch}")).await.expect(200).json()["object"]["sha"].clone()
    }
}

async fn is_cached(service: &Service) -> bool {
    service.app.generations().await.is_some()
}

/// Whether a full page stays when comments are changed or added. On PostgreSQL, transactions are not committed in the order of their ids.
fn has_one_writer(service: &Service) -> bool {
    service.store.has_one_writer()
}

#[tokio::test]
async fn bodies_are_shared_by_all_callers_with_access() {
    let service = service().await;
    let callers = Callers::of(&service);
    let (comment, by_update) =
        (format!("{REPO}/pulls/comments/1"), format!("{REPO}/pulls/comments?sort=updated&per_page=1"));
    for path in [REF, MATCHING, LIST, &comment, &by_update] {
        callers.fill(path).await;
        assert_eq!(callers.is_shared(path).await, is_cached(&service).await, "{path}");
        let guest = service.with_token("ghp_guestguest");
        let hidden = guest.get(path).await.expect(404);
        assert_eq!(hidden.json()["message"], "Not Found", "{path}");
        service.anonymous().get(path).await.expect(404);
        // The comment has no such id in the other repository, although it is in memory.
        let elsewhere = path.replace(REPO, "/repos/octo-org/b");
        if elsewhere.ends_with("comments/1") {
            callers.hubot.get(&elsewhere).await.expect(404);
        }
        let other = callers.hubot.clone().header("host", "other.test").get(path).await.expect(200);
        assert!(String::from_utf8_lossy(&other.body).contains("http://other.test"), "{path}");
        let tags = [&callers.mona, &callers.hubot].map(|caller| caller.get(path));
        let [mona, hubot] = futures_util::future::join_all(tags).await.try_into().expect("two responses");
        assert_ne!(mona.header("etag"), hubot.header("etag"), "{path}");
    }
}

#[tokio::test]
async fn removed_collaborator_gets_no_shared_body() {
    let service = service().await;
    let callers = Callers::of(&service);
    for path in [REF, LIST] {
        callers.fill(path).await;
        callers.hubot.get(path).await.expect(200);
    }
    callers.mona.delete(&format!("{REPO}/collaborators/hubot")).await.expect(204);
    for path in [REF, LIST] {
        callers.fill(path).await;
        callers.hubot.get(path).await.expect(404);
    }
}

#[tokio::test]
async fn write_invalidates_shared_bodies_that_show_it_only() {
    let service = service().await;
    let callers = Callers::of(&service);
    let (one, two) = (format!("{REPO}/pulls/comments/1"), format!("{REPO}/pulls/comments/2"));
    let full_page = format!("{LIST}?per_page=2");
    // Comments before lists, which add to the cache what they show.
    let all = [REF, MATCHING, &one, &two, LIST, &full_page];
    let one_writer = has_one_writer(&service);
    // After a write: which are in memory still, or again, since the writer has added what it wrote. Each is compared with what it must be now.
    let check = async |when: &str, kept: [bool; 6]| {
        for (path, is_kept) in all.into_iter().zip(kept) {
            assert_eq!(callers.is_shared(path).await, is_kept, "{path} after {when}");
        }
    };
    for path in all {
        callers.fill(path).await;
    }
    let (main, next) = (callers.target("main").await, callers.target("next").await);
    let edited = json!({ "body": "edited" });
    callers.mona.patch(&one, edited).await.expect(200);
    check("an edited comment", [true, true, true, true, false, one_writer]).await;
    callers.mona.patch(&one, json!({ "body": "edited again in the same second" })).await.expect(200);
    check("a second edit", [true, true, true, true, false, one_writer]).await;
    let new = json!({ "body": "third", "commit_id": next, "path": "a", "line": 1 });
    callers.mona.post(LIST, new).await.expect(201);
    let link = callers.hubot.get(&full_page).await.expect(200).header("link").map(str::to_owned);
    assert!(
        link.is_some_and(|link| link.contains("page=2>; rel=\"last\"")),
        "the page is as before, the list is longer"
    );
    check("a new comment", [true, true, true, true, false, true]).await;
    let created = json!({ "ref": "refs/heads/other", "sha": main });
    callers.mona.post(&format!("{REPO}/git/refs"), created).await.expect(201);
    check("a new ref", [true, false, true, true, true, true]).await;
    let moved = json!({ "sha": main, "force": true });
    callers.mona.patch(&format!("{REPO}/git/refs/heads/other"), json!({ "sha": next })).await.expect(200);
    check("a move of another ref", [true, false, true, true, true, true]).await;
    callers.mona.patch(&format!("{REPO}/git/refs/heads/topic"), moved).await.expect(200);
    check("a move", [true, false, true, true, true, true]).await;
    assert_eq!(callers.hubot.get(REF).await.expect(200).json()["object"]["sha"], main);
    callers.mona.delete(&format!("{REPO}/pulls/comments/3")).await.expect(204);
    let listed = callers.hubot.get(LIST).await.expect(200).json();
    assert_eq!(listed.as_array().map(Vec::len), Some(2), "{listed}");
    callers.mona.delete(&two).await.expect(204);
    callers.hubot.get(&two).await.expect(404);
    callers.mona.delete(&format!("{REPO}/git/refs/heads/topic")).await.expect(204);
    callers.hubot.get(REF).await.expect(404);
    let again = json!({ "ref": "refs/heads/topic", "sha": next });
    callers.mona.post(&format!("{REPO}/git/refs"), again).await.expect(201);
    assert_eq!(callers.hubot.get(REF).await.expect(200).json()["object"]["sha"], next);
}

/// A ref shows when its repository was pushed to, which every other ref changes.
#[tokio::test]
async fn shared_ref_has_the_time_of_the_last_push() {
    let service = service().await;
    let callers = Callers::of(&service);
    callers.fill(REF).await;
    service.advance(60);
    let main = callers.target("main").await;
    let created = json!({ "ref": "refs/heads/other", "sha": main });
    callers.mona.post(&format!("{REPO}/git/refs"), created).await.expect(201);
    let new = callers.mona.get(&format!("{REPO}/git/ref/heads/other")).await.expect(200);
    let old = callers.hubot.get(REF).await.expect(200);
    assert_eq!(old.header("last-modified"), new.header("last-modified"));
}

#[tokio::test]
async fn pending_comments_are_only_in_lists_of_their_author() {
    let service = service().await;
    let callers = Callers::of(&service);
    let count = async |client: &Client<'_>, path: &str| {
        client.get(path).await.expect(200).json().as_array().map(Vec::len).expect("a list")
    };
    let lists = [LIST.to_owned(), format!("{REPO}/pulls/comments"), format!("{LIST}?per_page=1&page=3")];
    let check = async |when: &str, mona: [usize; 3], hubot: [usize; 3]| {
        // In both orders, so that each list is once requested by its other reader first.
        for clients in [[&callers.mona, &callers.hubot], [&callers.hubot, &callers.mona_again]] {
            for client in clients {
                let expected = if std::ptr::eq(client, &callers.hubot) { hubot } else { mona };
                for (path, expected) in lists.iter().zip(expected) {
                    assert_eq!(count(client, path).await, expected, "{path} {when}");
                }
            }
        }
    };
    check("at first", [2, 2, 0], [2, 2, 0]).await;
    let full_page = format!("{LIST}?per_page=2");
    callers.fill(&full_page).await;
    let review = json!({ "comments": [{ "path": "a", "line": 1, "body": "pending" }] });
    let review = callers.hubot.post(&format!("{REPO}/pulls/1/reviews"), review).await.expect(200).json()["id"].clone();
    for (client, is_longer) in [(&callers.mona, false), (&callers.hubot, true), (&callers.mona_again, false)] {
        let link = client.get(&full_page).await.expect(200).header("link").map(str::to_owned);
        assert_eq!(link.is_some_and(|link| link.contains("page=2>; rel=\"last\"")), is_longer);
    }
    check("with a pending review", [2, 2, 0], [3, 3, 1]).await;
    let pending = format!("{REPO}/pulls/comments/3");
    callers.hubot.get(&pending).await.expect(200);
    callers.mona.get(&pending).await.expect(404);
    callers.hubot.get(&pending).await.expect(200);
    // Their author's edit adds it to memory, for nobody else.
    callers.hubot.patch(&pending, json!({ "body": "edited" })).await.expect(200);
    callers.mona.get(&pending).await.expect(404);
    assert_eq!(callers.hubot.get(&pending).await.expect(200).json()["body"], "edited");
    let submitted = json!({ "event": "COMMENT", "body": "Done" });
    callers.hubot.post(&format!("{REPO}/pulls/1/reviews/{review}/events"), submitted).await.expect(200);
    check("with a submitted review", [3, 3, 1], [3, 3, 1]).await;
    callers.mona.get(&pending).await.expect(200);
}
