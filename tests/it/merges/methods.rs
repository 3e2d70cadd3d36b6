//! The three methods, and the commits that they make.

use serde_json::{Value, json};

use super::*;

#[tokio::test]
async fn merge_makes_a_commit_with_two_parents_and_closes_the_pull_request() {
    let (fixture, base) = diverged(BASE_FILE).await;
    fixture.user("guest").get(MERGE).await.expect(404);
    fixture.service.advance(60);
    let result = merge(&fixture, json!({})).await.expect(200).json();
    let sha = tip(&fixture, "main").await;
    assert_eq!(result, json!({ "sha": sha, "merged": true, "message": "Pull Request successfully merged" }));
    let merged = commit(&fixture, &sha).await;
    assert_eq!(parents(&merged), [base.as_str(), fixture.head.as_str()]);
    assert_eq!(merged["message"], "Merge pull request #1 from acme/feature\n\nChange");
    assert_eq!((&merged["author"]["name"], &merged["committer"]["name"]), (&json!("hubot"), &json!("hubot")));
    assert_eq!(file(&fixture, &sha).await, MERGED_FILE);
    fixture.user("guest").get(MERGE).await.expect(204);
    let pull = pull(&fixture).await;
    assert_eq!(outcome(&pull), json!(["closed", true, "hubot", sha]));
    assert_eq!((&pull["merged_at"], &pull["closed_at"]), (&pull["updated_at"], &pull["updated_at"]));
    assert_eq!((&pull["mergeable"], &pull["mergeable_state"]), (&Value::Null, &json!("unknown")));
    assert_eq!((&pull["base"]["sha"], &pull["commits"]), (&json!(base), &json!(1)), "it shows what was merged");
    let listed = fixture.user("guest").get(&format!("{ROCKET}/pulls?state=closed")).await.expect(200).json();
    assert_eq!((&listed[0]["merged_at"], &listed[0]["merge_commit_sha"]), (&pull["merged_at"], &json!(sha)));
}

#[tokio::test]
async fn merge_of_head_that_is_ahead_still_makes_a_commit() {
    let fixture = ahead().await;
    let body = json!({ "commit_title": "Take it", "commit_message": "All of it" });
    merge(&fixture, body).await.expect(200);
    let sha = tip(&fixture, "main").await;
    let merged = commit(&fixture, &sha).await;
    assert_eq!(merged["message"], "Take it\n\nAll of it");
    assert_eq!(parents(&merged), [fixture.base.as_str(), fixture.head.as_str()]);
}

#[tokio::test]
async fn merged_branch_can_be_cloned_and_is_sound() {
    let (fixture, _) = diverged(BASE_FILE).await;
    merge(&fixture, json!({ "merge_method": "rebase" })).await.expect(200);
    let sha = tip(&fixture, "main").await;
    fixture.service.app.objects.flush(fixture.repo_id().await).await.expect("objects become a pack");
    assert!(fixture.is_on_disk(&sha).await);
    assert_eq!(file(&fixture, &sha).await, MERGED_FILE);
}

#[tokio::test]
async fn commits_of_every_method_belong_to_the_pull_request() {
    for method in ["merge", "squash", "rebase"] {
        let (fixture, base) = diverged(BASE_FILE).await;
        merge(&fixture, json!({ "merge_method": method })).await.expect(200);
        let numbers = async |sha: &str| {
            let path = format!("{ROCKET}/commits/{sha}/pulls");
            let found = fixture.user("guest").get(&path).await.expect(200).json();
            found.as_array().expect("a list").iter().map(|pull| pull["number"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(numbers(&tip(&fixture, "main").await).await, [json!(1)], "{method}");
        assert_eq!(numbers(&fixture.head).await, [json!(1)], "{method}");
        assert_eq!(numbers(&base).await, [] as [Value; 0], "{method}");
    }
}

#[tokio::test]
async fn squash_makes_one_commit_of_the_author() {
    let (fixture, base) = diverged(BASE_FILE).await;
    merge(&fixture, json!({ "merge_method": "squash" })).await.expect(200);
    let sha = tip(&fixture, "main").await;
    let squashed = commit(&fixture, &sha).await;
    assert_eq!(parents(&squashed), [base.as_str()]);
    assert_eq!(squashed["message"], "state (#1)", "a single commit has its own title");
    assert_eq!((&squashed["author"]["name"], &squashed["committer"]["name"]), (&json!("Mona Lisa"), &json!("hubot")));
    assert_eq!(file(&fixture, &sha).await, MERGED_FILE);
    assert_eq!(outcome(&pull(&fixture).await), json!(["closed", true, "hubot", sha]));
}

#[tokio::test]
async fn squash_of_several_commits_has_the_title_of_the_pull_request_and_all_messages() {
    let fixture = ahead().await;
    let second = fixture.commit_on(&fixture.head, &[("other", Some("1\n"))]);
    fixture.push("feature", &second).await;
    merge(&fixture, json!({ "merge_method": "squash" })).await.expect(200);
    let squashed = commit(&fixture, &tip(&fixture, "main").await).await;
    assert_eq!(squashed["message"], "Change (#1)\n\n* state\n\n* state");
    assert_eq!(parents(&squashed), [fixture.base.as_str()]);
}

#[tokio::test]
async fn rebase_applies_each_commit_with_its_author() {
    let (fixture, base) = diverged(BASE_FILE).await;
    let second = fixture.commit_on(&fixture.head, &[("other", Some("1\n"))]);
    fixture.push("feature", &second).await;
    merge(&fixture, json!({ "merge_method": "rebase" })).await.expect(200);
    let sha = tip(&fixture, "main").await;
    let last = commit(&fixture, &sha).await;
    assert_eq!((&last["author"]["email"], &last["committer"]["name"]), (&json!("hubot@example.com"), &json!("hubot")));
    let [first] = parents(&last)[..] else { panic!("{last}") };
    let first = first.to_owned();
    assert_eq!(parents(&commit(&fixture, &first).await), [base.as_str()]);
    assert_eq!((file(&fixture, &first).await, file(&fixture, &sha).await), (MERGED_FILE.into(), MERGED_FILE.into()));
    assert_eq!(outcome(&pull(&fixture).await), json!(["closed", true, "hubot", sha]));
}

#[tokio::test]
async fn rebase_leaves_out_changes_that_the_base_has() {
    let fixture = ahead().await;
    let second = fixture.commit_on(&fixture.head, &[("other", Some("1\n"))]);
    fixture.push("feature", &second).await;
    // The same change in another commit.
    let base = fixture.commit_on(&fixture.base, &[("file", Some(HEAD_FILE)), ("third", Some("1\n"))]);
    fixture.push("main", &base).await;
    merge(&fixture, json!({ "merge_method": "rebase" })).await.expect(200);
    let sha = tip(&fixture, "main").await;
    assert_eq!(parents(&commit(&fixture, &sha).await), [base.as_str()], "only the second commit is left");
}

#[tokio::test]
async fn merged_pull_request_is_not_reopened() {
    let fixture = ahead().await;
    merge(&fixture, json!({})).await.expect(200);
    let response = fixture.user("mona").patch(PULL, json!({ "state": "open" })).await.expect(422).json();
    assert_eq!((&response["errors"][0]["field"], &response["errors"][0]["code"]), (&json!("state"), &json!("invalid")));
    let next = fixture.commit_on(&fixture.head, &[("other", Some("1\n"))]);
    fixture.push("feature", &next).await;
    assert_eq!(pull(&fixture).await["head"]["sha"], json!(fixture.head), "later pushes do not change it");
    fixture.user("mona").delete(&format!("{ROCKET}/git/refs/heads/feature")).await.expect(204);
    assert_eq!(outcome(&pull(&fixture).await)[1], true);
}

#[tokio::test]
async fn other_pull_requests_into_the_base_get_a_version() {
    let fixture = ahead().await;
    let other = fixture.commit_on(&fixture.base, &[("file", Some(CONFLICTING_FILE))]);
    fixture.bring_objects().await;
    let branch = json!({ "ref": "refs/heads/second", "sha": other });
    fixture.user("mona").post(&format!("{ROCKET}/git/refs"), branch).await.expect(201);
    let body = json!({ "title": "Second", "head": "second", "base": "main" });
    fixture.user("mona").post(&format!("{ROCKET}/pulls"), body).await.expect(201);
    fixture.service.settled().await;
    let path = format!("{ROCKET}/pulls/2");
    assert_eq!(fixture.user("mona").get(&path).await.json()["mergeable"], true);
    merge(&fixture, json!({})).await.expect(200);
    fixture.service.settled().await;
    let second = fixture.user("mona").get(&path).await.json();
    assert_eq!((&second["state"], &second["mergeable"]), (&json!("open"), &json!(false)));
    assert_eq!(second["base"]["sha"], json!(tip(&fixture, "main").await));
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_merges_into_one_base_both_succeed() {
    let fixture = ahead().await;
    let other = fixture.commit_on(&fixture.base, &[("other", Some("1\n"))]);
    fixture.bring_objects().await;
    let branch = json!({ "ref": "refs/heads/second", "sha": other });
    fixture.user("mona").post(&format!("{ROCKET}/git/refs"), branch).await.expect(201);
    let body = json!({ "title": "Second", "head": "second", "base": "main" });
    fixture.user("mona").post(&format!("{ROCKET}/pulls"), body).await.expect(201);
    let second = format!("{ROCKET}/pulls/2/merge");
    let mona = fixture.user("mona");
    let (one, two) = tokio::join!(merge(&fixture, json!({})), mona.send(Method::PUT, &second, ""));
    let (one, two) = (one.expect(200).json(), two.expect(200).json());
    let sha = tip(&fixture, "main").await;
    let last = commit(&fixture, &sha).await;
    let (first, last_one) = if one["sha"] == json!(sha) { (&two, &one) } else { (&one, &two) };
    assert_eq!(last_one["sha"], json!(sha));
    assert_eq!(json!(parents(&last)[0]), first["sha"], "the second merge is based on the first");
    assert_eq!(file(&fixture, &sha).await, HEAD_FILE);
}
