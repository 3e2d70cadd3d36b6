//! Turning the caches off changes no response, only its cost.

use serde_json::{Value, json};

use crate::review_comments::deep_pages::{ComparedLists, REPO_COMMENTS};
use crate::review_comments::{fixture, numbered};
use crate::support::fixtures::octo_org;
use crate::support::pull_request::{COMMENTS, PullRequestFixture};
use crate::support::{Client, Response, Service, Tester};
use plinth_api::server::HttpService;
use plinth_api::settings::Settings;
use plinth_core::DisabledCaches;
use plinth_store::params;

const REPO: &str = "/repos/acme/rocket";

/// The same data served without the caches of the domain. Those of objects and of comparisons hold what never changes.
async fn without_caches(service: &Service) -> HttpService {
    let names = [
        "callers",
        "repo-access",
        "project-access",
        "project-fields",
        "pulls",
        "refs",
        "comment-contexts",
        "comment-fragments",
        "comment-pages",
        "comment-indexes",
        "markdown",
    ];
    let disabled_caches = DisabledCaches(names.iter().map(|name| name.parse().expect("a cache")).collect());
    let mut settings = Settings { response_cache_bytes: 0, disabled_caches, ..Settings::default() };
    settings.rate_limits.enforced = false;
    service.another_with(settings).await
}

/// What a client sees, without what counts requests.
fn seen(response: &Response) -> (u16, Vec<Option<String>>, String) {
    let names = ["etag", "last-modified", "link", "content-type", "cache-control", "x-oauth-scopes"];
    let headers = names.map(|name| response.header(name).map(str::to_owned)).to_vec();
    (response.status, headers, String::from_utf8_lossy(&response.body).into_owned())
}

/// Compares the responses of both, the cached one twice: it is computed or read from a cache.
async fn check(path: &str, cached: &Client<'_>, uncached: &Client<'_>, when: &str) {
    let expected = seen(&uncached.get(path).await);
    for time in ["first", "second"] {
        assert_eq!(seen(&cached.get(path).await), expected, "{when}, {path}, {time} time");
    }
    if let [Some(tag), ..] = expected.1.as_slice() {
        for client in [cached, uncached] {
            let conditional = client.clone().header("if-none-match", tag);
            assert_eq!(conditional.get(path).await.status, 304, "{when}, {path}");
        }
    }
}

/// Compares everything that shows comments or the state of the repository.
async fn check_all(fixture: &PullRequestFixture, plain: &HttpService, when: &str) {
    let listed = fixture.user("mona").get(&format!("{COMMENTS}?per_page=100")).await.expect(200).json();
    let ids = listed.as_array().expect("a list").iter().map(|comment| comment["id"].clone());
    let mut paths: Vec<String> = ids.map(|id| format!("{REPO}/pulls/comments/{id}")).collect();
    // Full pages, among others, which new comments leave as they are.
    let lists = [
        "",
        "?per_page=2",
        "?per_page=1&page=2",
        "?per_page=2&page=2",
        "?sort=created&direction=desc&per_page=2",
        "?sort=updated&direction=desc",
        "?since=2020-01-01T00:00:00Z",
    ];
    paths.extend(lists.iter().map(|query| format!("{COMMENTS}{query}")));
    paths.extend(lists.iter().map(|query| format!("{REPO}/pulls/comments{query}")));
    paths.extend(["main", "feature"].map(|branch| format!("{REPO}/git/ref/heads/{branch}")));
    paths.extend(["", "heads/", "heads/f"].map(|prefix| format!("{REPO}/git/matching-refs/{prefix}")));
    for login in ["mona", "guest", "stranger"] {
        let token = format!("Bearer ghp_{login}");
        let cached = fixture.service.anonymous().header("authorization", &token);
        let uncached = Client::new(plain).header("authorization", &token);
        for path in &paths {
            check(path, &cached, &uncached, when).await;
        }
    }
    let forms = [
        ("accept", "application/vnd.github.full+json"),
        ("accept", "application/vnd.github.html+json"),
        ("accept", "application/vnd.github.text+json"),
        ("accept", "application/vnd.github.raw+json"),
        ("host", "other.test"),
        ("x-github-api-version", "2022-11-28"),
    ];
    for (name, value) in forms {
        let cached = fixture.user("mona").header(name, value);
        let uncached = Client::new(plain).header("authorization", "Bearer ghp_mona").header(name, value);
        check(COMMENTS, &cached, &uncached, &format!("{when}, with {value}")).await;
        check(&format!("/api/v3{COMMENTS}"), &cached, &uncached, &format!("{when}, with {value}")).await;
    }
}

async fn comment(fixture: &PullRequestFixture, login: &str, line: i64) -> Value {
    fixture.comment_as(login, json!({ "line": line })).await.expect(201).json()["id"].clone()
}

#[tokio::test]
async fn comments_are_the_same_without_caches() {
    let fixture = fixture().await;
    let plain = without_caches(&fixture.service).await;
    let (mona, guest) = (fixture.user("mona"), fixture.user("guest"));
    check_all(&fixture, &plain, "without comments").await;
    let first = comment(&fixture, "mona", 3).await;
    for line in [4, 20] {
        comment(&fixture, "guest", line).await;
    }
    let reply = mona.post(&format!("{COMMENTS}/{first}/replies"), json!({ "body": "A *reply*" })).await.expect(201);
    check_all(&fixture, &plain, "with comments").await;
    for body in ["edited", "edited again in the same second"] {
        mona.patch(&format!("{REPO}/pulls/comments/{first}"), json!({ "body": body })).await.expect(200);
        check_all(&fixture, &plain, body).await;
    }
    mona.put(&format!("{REPO}/collaborators/guest")).await;
    check_all(&fixture, &plain, "the author is a collaborator").await;
    let elsewhere = fixture.service.store_elsewhere().await;
    let renamed = elsewhere.write(Tester, (), |tx, ()| {
        let sql = "update account set login = 'visitor', login_key = 'visitor' where login_key = 'guest'";
        Box::pin(async move { Ok(tx.execute(sql, params![]).await?) })
    });
    assert_eq!(renamed.await.expect("the store accepts the change"), 1);
    check_all(&fixture, &plain, "another process has renamed the author").await;
    fixture.service.advance(10);
    let above = numbered(&[(1, "new\nline 1\n"), (3, "three\n"), (4, "four\nand more\n"), (20, "twenty\n"), (25, "")]);
    let next = fixture.commit_on(&fixture.head, &[("file", Some(&above))]);
    fixture.push("feature", &next).await;
    check_all(&fixture, &plain, "right after a push").await;
    fixture.service.settled().await;
    check_all(&fixture, &plain, "after a push").await;
    fixture.push("feature", &fixture.head).await;
    fixture.service.settled().await;
    check_all(&fixture, &plain, "after a push back").await;
    let review = json!({ "comments": [{ "path": "file", "line": 3, "body": "pending" }] });
    let review = guest.post("/repos/acme/rocket/pulls/1/reviews", review).await.expect(200).json()["id"].clone();
    check_all(&fixture, &plain, "with a pending review").await;
    for line in [4, 20, 20] {
        comment(&fixture, "mona", line).await;
        check_all(&fixture, &plain, "with a comment after a pending one").await;
    }
    let events = format!("/repos/acme/rocket/pulls/1/reviews/{review}/events");
    guest.post(&events, json!({ "event": "COMMENT", "body": "Done" })).await.expect(200);
    check_all(&fixture, &plain, "with a submitted review").await;
    mona.delete(&format!("{REPO}/pulls/comments/{first}")).await.expect(204);
    let orphan = fixture.get(&reply.json()["id"]).await;
    assert_eq!(orphan.get("in_reply_to_id"), None, "{orphan}");
    check_all(&fixture, &plain, "the comment that was replied to is deleted").await;
}

#[tokio::test]
async fn deep_pages_are_the_same_without_caches() {
    let mut lists = ComparedLists::new().await;
    let plain = without_caches(&lists.fixture.service).await;
    let check_pages = async |lists: &ComparedLists, when: &str| {
        let orders = ["", "&sort=created&direction=desc", "&sort=updated", "&since=2020-01-01T00:00:00Z"];
        for path in [COMMENTS, REPO_COMMENTS].into_iter().flat_map(|path| orders.map(|order| (path, order))) {
            let path = format!("{}?per_page=20&page=30{}", path.0, path.1);
            for login in ["mona", "guest"] {
                let uncached = Client::new(&plain).header("authorization", &format!("Bearer ghp_{login}"));
                // The first request creates no index yet.
                for _ in 0..2 {
                    check(&path, &lists.fixture.user(login), &uncached, when).await;
                }
            }
        }
    };
    check_pages(&lists, "at first").await;
    lists.comment(1).await;
    let edited = json!({ "body": "Edited" });
    lists.fixture.user("mona").patch(&format!("{REPO_COMMENTS}/1000"), edited).await.expect(200);
    check_pages(&lists, "with a new and an edited comment").await;
    lists.delete(700).await;
    check_pages(&lists, "after a deletion").await;
}

#[tokio::test]
async fn refs_are_the_same_without_caches() {
    let fixture = fixture().await;
    let plain = without_caches(&fixture.service).await;
    let names = ["main", "feature", "other", "absent"];
    let single = names.iter().flat_map(|name| ["ref", "refs"].map(|kind| format!("{REPO}/git/{kind}/heads/{name}")));
    let lists = ["matching-refs/", "matching-refs/heads/o", "refs"].map(|list| format!("{REPO}/git/{list}"));
    let paths: Vec<String> = single.chain(lists).collect();
    let check_refs = async |when: &str| {
        for login in ["mona", "stranger"] {
            let uncached = Client::new(&plain).header("authorization", &format!("Bearer ghp_{login}"));
            for path in &paths {
                check(path, &fixture.user(login), &uncached, when).await;
            }
        }
        // What comes next has another time, which responses show as that of the last push.
        fixture.service.advance(10);
    };
    let mona = fixture.user("mona");
    let other = format!("{REPO}/git/refs/heads/other");
    let create = async || {
        let new = json!({ "ref": "refs/heads/other", "sha": fixture.base });
        mona.post(&format!("{REPO}/git/refs"), new).await.expect(201);
    };
    check_refs("at first").await;
    create().await;
    check_refs("with a new ref").await;
    for sha in [&fixture.head, &fixture.base] {
        // In the same second.
        mona.patch(&other, json!({ "sha": sha, "force": true })).await.expect(200);
        check_refs("after a move").await;
    }
    fixture.push("other", &fixture.head).await;
    check_refs("after a push").await;
    let elsewhere = fixture.service.store_elsewhere().await;
    let moved = elsewhere.write(Tester, (), |tx, ()| {
        let sql = "update git_ref set target = (select m.target from git_ref m \
                       where m.repo_id = git_ref.repo_id and m.name = 'refs/heads/main') \
                   where name = 'refs/heads/other'";
        Box::pin(async move { Ok(tx.execute(sql, params![]).await?) })
    });
    assert_eq!(moved.await.expect("the store accepts the change"), 1);
    check_refs("another process has moved it").await;
    mona.delete(&other).await.expect(204);
    check_refs("after a deletion").await;
    create().await;
    check_refs("with the ref again").await;
    change_repository(&fixture.service, "update repo set private = true where name_key = 'rocket'").await;
    check_refs("the repository is private").await;
    change_repository(
        &fixture.service,
        "update repo set name = 'renamed', name_key = 'renamed' where name_key = 'rocket'",
    )
    .await;
    check_refs("the repository has another name").await;
}

/// Changes one repository as another process does.
async fn change_repository(service: &Service, sql: &'static str) {
    let elsewhere = service.store_elsewhere().await;
    let changed =
        elsewhere.write(Tester, sql, |tx, sql| Box::pin(async move { Ok(tx.execute(sql, params![]).await?) }));
    assert_eq!(changed.await.expect("the store accepts the change"), 1, "{sql}");
}

#[tokio::test]
async fn fields_are_the_same_without_caches() {
    let state = octo_org(&["mona", "hubot"])
        .project("octo-org", "Roadmap", "fields: [{ name: Notes, data_type: text }]")
        .classic("mona", "repo, project, admin:org", "ghp_monamona")
        .classic("hubot", "repo, project", "ghp_hubothubot");
    let service = Service::with(&state.to_string()).await;
    let plain = without_caches(&service).await;
    let fields = "/orgs/octo-org/projectsV2/1/fields";
    let check_fields = async |when: &str| {
        let listed = service.with_token("ghp_monamona").get(fields).await.expect(200).json();
        let mut paths: Vec<String> = vec![fields.into(), format!("{fields}/999999")];
        paths.extend(listed.as_array().expect("a list").iter().map(|field| format!("{fields}/{}", field["id"])));
        for token in ["ghp_monamona", "ghp_hubothubot"] {
            for path in &paths {
                let authorization = format!("Bearer {token}");
                let uncached = Client::new(&plain).header("authorization", &authorization);
                check(path, &service.with_token(token), &uncached, when).await;
            }
        }
    };
    check_fields("at first").await;
    let new = json!({ "name": "Points", "data_type": "number" });
    service.with_token("ghp_monamona").post(fields, new).await.expect(201);
    check_fields("after a new field").await;
    let mona = service.with_token("ghp_monamona");
    let option = |name: &str| json!({ "name": name, "color": "red", "priority": 1 });
    let priority = json!({ "name": "Priority", "data_type": "single_select", "options": [option("High")] });
    let issue_fields = "/orgs/octo-org/issue-fields";
    let priority = mona.post(issue_fields, priority).await.expect(200).json()["id"].clone();
    mona.post(fields, json!({ "issue_field_id": priority })).await.expect(201);
    check_fields("with a mirrored issue field").await;
    mona.patch(&format!("{issue_fields}/{priority}"), json!({ "options": [option("Low")] })).await.expect(200);
    check_fields("after a change of the issue field").await;
    mona.delete(&format!("{issue_fields}/{priority}")).await.expect(204);
    check_fields("after its deletion").await;
    let elsewhere = service.store_elsewhere().await;
    let hidden = elsewhere.write(Tester, (), |tx, ()| {
        Box::pin(async move { Ok(tx.execute("delete from membership where role <> 'admin'", params![]).await?) })
    });
    hidden.await.expect("the store accepts the change");
    check_fields("after a change of rights").await;
}
