//! Pull requests from opening to the last push.

use serde_json::{Value, json};

use crate::support::pull_request::{COMMENTS, PULL, PullRequestFixture};

async fn fixture() -> PullRequestFixture {
    PullRequestFixture::new(&[("file", "1\n2\n3\n")], &[("file", Some("1\ntwo\n3\n"))]).await
}

#[tokio::test]
async fn pull_request_shows_head_and_base() {
    let fixture = fixture().await;
    let pull = fixture.user("guest").get(PULL).await.expect(200).json();
    assert_eq!(pull["head"]["sha"], json!(fixture.head));
    assert_eq!(pull["base"]["sha"], json!(fixture.base));
    assert_eq!((&pull["head"]["label"], &pull["base"]["ref"]), (&json!("acme:feature"), &json!("main")));
    assert_eq!((&pull["state"], &pull["title"], &pull["body"]), (&json!("open"), &json!("Change"), &json!("Please")));
    assert_eq!((&pull["commits"], &pull["additions"], &pull["deletions"]), (&json!(1), &json!(1), &json!(1)));
    assert_eq!((&pull["number"], &pull["draft"], &pull["review_comments"]), (&json!(1), &json!(false), &json!(0)));
    assert_eq!(pull["user"]["login"], "mona");
    assert_eq!(pull["_links"]["review_comments"]["href"], format!("http://plinth.test{COMMENTS}"));
    let listed = fixture.user("guest").get("/repos/acme/rocket/pulls").await.expect(200).json();
    assert_eq!(listed[0]["id"], pull["id"]);
    fixture.user("guest").get("/repos/acme/rocket/pulls/2").await.expect(404);
    fixture.comment(json!({ "line": 2 })).await.expect(201);
    assert_eq!(fixture.user("guest").get(PULL).await.json()["review_comments"], 1);
}

#[tokio::test]
async fn create_pull_request_rejects_invalid_input() {
    let fixture = fixture().await;
    let mona = fixture.user("mona");
    let new = |head: &str, base: &str| json!({ "title": "New", "head": head, "base": base });
    for (body, field, message) in [
        (new("feature", "main"), "head", json!("A pull request already exists for acme:feature.")),
        (new("main", "main"), "head", json!("No commits between main and main")),
        (new("main", "feature"), "head", json!("No commits between feature and main")),
        (new("nothing", "main"), "head", Value::Null),
        (new("feature", "nothing"), "base", Value::Null),
        (new("someone:feature", "main"), "head", Value::Null),
        (new("-x", "main"), "head", Value::Null),
        (json!({ "title": " ", "head": "feature", "base": "main" }), "title", Value::Null),
    ] {
        let response = mona.post("/repos/acme/rocket/pulls", body.clone()).await.expect(422).json();
        assert_eq!(
            (&response["errors"][0]["field"], &response["errors"][0]["message"]),
            (&json!(field), &message),
            "{body}"
        );
        assert_eq!(response["errors"][0]["resource"], "PullRequest");
    }
    for head in ["nothing", "someone:feature"] {
        let both = mona.post("/repos/acme/rocket/pulls", new(head, "nowhere")).await.expect(422).json();
        let invalid = |field: &str| json!({ "resource": "PullRequest", "field": field, "code": "invalid" });
        assert_eq!(both["errors"], json!([invalid("base"), invalid("head")]), "{head}");
    }
    let shape = mona.post("/repos/acme/rocket/pulls", json!({ "title": "x" })).await.expect(422);
    assert_eq!(shape.message(), "Invalid request.\n\n\"base\", \"head\" weren't supplied.");
    fixture.service.anonymous().post("/repos/acme/rocket/pulls", new("feature", "main")).await.expect(401);
}

/// The target of `refs/pull/1/head`.
async fn reference(fixture: &PullRequestFixture) -> Value {
    let found = fixture.user("mona").get("/repos/acme/rocket/git/ref/pull/1/head").await.expect(200).json();
    found["object"]["sha"].clone()
}

#[tokio::test]
async fn push_creates_version_and_moves_pull_ref() {
    let fixture = fixture().await;
    assert_eq!(reference(&fixture).await, json!(fixture.head));
    let listed = fixture.user("mona").get("/repos/acme/rocket/git/matching-refs/pull").await.expect(200).json();
    assert_eq!(listed[0]["ref"], "refs/pull/1/head");
    fixture.service.advance(60);
    let next = fixture.commit_on(&fixture.head, &[("file", Some("1\nzwei\n3\n"))]);
    fixture.push("feature", &next).await;
    assert_eq!(reference(&fixture).await, json!(next));
    let pull = fixture.user("mona").get(PULL).await.expect(200).json();
    assert_eq!((&pull["head"]["sha"], &pull["commits"]), (&json!(next), &json!(2)));
    assert_ne!(pull["updated_at"], pull["created_at"]);
    for method in [http::Method::PATCH, http::Method::DELETE] {
        let path = "/repos/acme/rocket/git/refs/pull/1/head";
        let body = json!({ "sha": fixture.base, "force": true }).to_string();
        let response = fixture.user("mona").send(method, path, body).await;
        assert_eq!(response.status, 422, "the reference is the service's own: {response}");
    }
}

#[tokio::test]
async fn branch_deletion_closes_and_restored_branch_allows_reopening() {
    let fixture = fixture().await;
    let comment = fixture.comment(json!({ "line": 2 })).await.expect(201).json();
    let branch = "/repos/acme/rocket/git/refs/heads/feature";
    fixture.user("mona").delete(branch).await.expect(204);
    let pull = fixture.user("mona").get(PULL).await.expect(200).json();
    assert_eq!((&pull["state"], &pull["closed_at"]), (&json!("closed"), &pull["updated_at"]));
    assert_eq!(fixture.user("mona").get("/repos/acme/rocket/pulls").await.json(), json!([]));
    let closed = fixture.user("mona").get("/repos/acme/rocket/pulls?state=closed").await.json();
    assert_eq!(closed[0]["number"], 1);
    assert_eq!(fixture.get(&comment["id"]).await["line"], 2, "what was said stays readable");
    fixture.user("mona").patch(PULL, json!({ "state": "open" })).await.expect(422);
    let moved = fixture.commit_on(&fixture.head, &[("file", Some("0\n1\ntwo\n3\n"))]);
    fixture.bring_objects().await;
    let new = json!({ "ref": "refs/heads/feature", "sha": moved });
    fixture.user("mona").post("/repos/acme/rocket/git/refs", new).await.expect(201);
    let reopened = fixture.user("mona").patch(PULL, json!({ "state": "open" })).await.expect(200).json();
    assert_eq!((&reopened["state"], &reopened["closed_at"]), (&json!("open"), &Value::Null));
    assert_eq!(reopened["head"]["sha"], json!(moved), "it goes on from where the branch is");
    assert_eq!(fixture.get(&comment["id"]).await["line"], 3);
}

#[tokio::test]
async fn update_ignores_null_title_and_unknown_state() {
    let fixture = fixture().await;
    let mona = fixture.user("mona");
    for body in [json!({ "title": null }), json!({ "state": "merged" }), json!({ "state": null }), json!({})] {
        let same = mona.patch(PULL, body.clone()).await.expect(200).json();
        assert_eq!((&same["title"], &same["state"]), (&json!("Change"), &json!("open")), "{body}");
    }
    let empty = mona.patch(PULL, json!({ "title": "" })).await.expect(422).json();
    let missing = json!([{ "resource": "PullRequest", "field": "title", "code": "missing_field" }]);
    assert_eq!(empty["errors"], missing);
    let wrong = mona.patch(PULL, json!({ "state": 1 })).await.expect(422);
    assert_eq!(wrong.message(), "Invalid request.\n\nFor 'properties/state', 1 is not a string or null.");
}

#[tokio::test]
async fn update_reports_base_that_does_not_exist() {
    let fixture = fixture().await;
    let response = fixture.user("mona").patch(PULL, json!({ "base": "nothing" })).await.expect(422).json();
    let message = "Proposed base branch 'nothing' was not found";
    let expected = json!([{ "resource": "PullRequest", "field": "base", "code": "invalid", "message": message }]);
    assert_eq!(response["errors"], expected);
}

#[tokio::test]
async fn empty_body_of_pull_request_is_null() {
    let fixture = fixture().await;
    let mona = fixture.user("mona");
    for body in [json!(""), Value::Null] {
        mona.patch(PULL, json!({ "body": "text" })).await.expect(200);
        assert_eq!(mona.patch(PULL, json!({ "title": "t" })).await.expect(200).json()["body"], "text");
        assert_eq!(mona.patch(PULL, json!({ "body": body })).await.expect(200).json()["body"], Value::Null);
    }
    mona.post("/repos/acme/rocket/git/refs", json!({ "ref": "refs/heads/x", "sha": fixture.head })).await.expect(201);
    let new = json!({ "title": "New", "head": "x", "base": "main", "body": "" });
    assert_eq!(mona.post("/repos/acme/rocket/pulls", new).await.expect(201).json()["body"], Value::Null);
}

#[tokio::test]
async fn only_author_and_pushers_update_pull_request() {
    let fixture = fixture().await;
    fixture.user("guest").patch(PULL, json!({ "title": "Mine" })).await.expect(403);
    fixture.service.anonymous().patch(PULL, json!({ "title": "Mine" })).await.expect(401);
    let changed = fixture.user("hubot").patch(PULL, json!({ "title": "Ours", "body": null })).await.expect(200).json();
    assert_eq!((&changed["title"], &changed["body"]), (&json!("Ours"), &Value::Null));
    fixture.user("mona").patch(PULL, json!({ "base": "feature" })).await.expect(422);
    let closed = fixture.user("mona").patch(PULL, json!({ "state": "closed" })).await.expect(200).json();
    assert_eq!(closed["state"], "closed");
    let second = json!({ "title": "Again", "head": "feature", "base": "main" });
    fixture.user("mona").post("/repos/acme/rocket/pulls", second).await.expect(201);
    let response = fixture.user("mona").patch(PULL, json!({ "state": "open" })).await.expect(422).json();
    assert_eq!(response["errors"][0]["message"], "A pull request already exists for acme:feature.");
    for (query, numbers) in [
        ("", vec![2]),
        ("?state=all", vec![2, 1]),
        ("?state=all&sort=created", vec![2, 1]),
        ("?state=all&sort=created&direction=asc", vec![1, 2]),
        ("?state=all&direction=asc", vec![1, 2]),
        ("?state=all&head=acme:feature&base=main", vec![2, 1]),
        ("?state=all&head=other:feature", vec![]),
        ("?state=all&per_page=1&page=2", vec![1]),
    ] {
        let listed = fixture.user("mona").get(&format!("/repos/acme/rocket/pulls{query}")).await.expect(200).json();
        let found: Vec<_> = listed.as_array().expect("a list").iter().map(|pull| pull["number"].clone()).collect();
        assert_eq!(json!(found), json!(numbers), "{query}");
    }
}

#[tokio::test]
async fn comments_survive_force_push_and_garbage_collection() {
    let mut fixture = fixture().await;
    let second = fixture.commit_on(&fixture.head, &[("file", Some("1\nzwei\n3\n"))]);
    fixture.push("feature", &second).await;
    let comment = fixture.comment(json!({ "line": 2, "commit_id": second })).await.expect(201).json();
    let unused = fixture.commit_on(&fixture.base, &[("file", Some("nobody\n"))]);
    let other = fixture.commit_on(&fixture.base, &[("file", Some("1\nother\n3\n"))]);
    fixture.push("feature", &other).await;
    let before = fixture.get(&comment["id"]).await;
    assert_eq!((&before["line"], &before["commit_id"]), (&Value::Null, &json!(second)));
    fixture.collect(&unused, &[plinth_core::pulls::gc_roots]).await;
    assert!(fixture.is_on_disk(&second).await, "what a comment needs was not");
    fixture.service.restart().await;
    assert_eq!(fixture.get(&comment["id"]).await, before);
    let branch = "/repos/acme/rocket/git/refs/heads/feature";
    fixture.user("mona").patch(branch, json!({ "sha": second, "force": true })).await.expect(200);
    assert_eq!(fixture.get(&comment["id"]).await["line"], 2, "and comes back with its commit");

    // Comments stay readable even after their objects are lost.
    let third = fixture.commit_on(&fixture.base, &[("file", Some("1\nthird\n3\n"))]);
    fixture.push("feature", &third).await;
    fixture.collect(&second, &[]).await;
    fixture.service.restart().await;
    fixture.user("mona").get(COMMENTS).await.expect(200);
    fixture.user("mona").patch(PULL, json!({ "title": "Still here" })).await.expect(200);
    let main = json!({ "sha": fixture.head, "force": true });
    fixture.user("mona").patch("/repos/acme/rocket/git/refs/heads/main", main).await.expect(200);
    let listed = fixture.user("mona").get(COMMENTS).await.expect(200).json();
    assert_eq!((&listed[0]["body"], &listed[0]["line"]), (&json!("Look"), &Value::Null));
}

#[tokio::test]
async fn commits_name_accounts_of_authors() {
    let fixture = PullRequestFixture::new(&[("file", "1\n")], &[("file", Some("2\n"))]).await;
    fixture.work.git(&["config", "user.email", "unused@example.com"]);
    fixture.work.git(&["checkout", "-q", "--detach", &fixture.head]);
    let authors =
        ["Mona <MONA@Example.com>", "Reader <reader@users.noreply.localhost>", "Acme <acme@users.noreply.localhost>"];
    let mut head = String::new();
    for (number, author) in authors.iter().enumerate() {
        fixture.work.write("file", Some(&format!("{number}\n")));
        fixture.work.git(&["commit", "-qam", "next", "--author", author]);
        head = fixture.work.git(&["rev-parse", "HEAD"]).trim().to_owned();
        fixture.work.git(&["tag", &format!("reachable-{head}"), &head]);
    }
    fixture.push("feature", &head).await;
    let listed = fixture.user("mona").get(&format!("{PULL}/commits")).await.expect(200).json();
    let logins: Vec<_> = listed.as_array().expect("a list").iter().map(|commit| &commit["author"]["login"]).collect();
    // An organization is never the author of a commit, whatever its e-mail address.
    assert_eq!(logins, [&json!("hubot"), &json!("mona"), &json!("reader"), &Value::Null]);
    assert_eq!(listed[1]["author"]["type"], "User");
    assert_eq!(listed[0]["committer"], Value::Null, "nobody has the address of whoever committed");
    assert_eq!(listed[0]["commit"]["committer"]["email"], "test@example.com");
}
