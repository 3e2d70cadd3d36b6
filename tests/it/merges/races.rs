//! Merges at the same time as other writes, and merges of unusual size.

use futures_util::future::join_all;
use serde_json::json;

use super::pushes::wait_until_closed;
use super::*;

/// The commits of `main` along the first parents, without those of the fixture.
async fn first_parents(fixture: &PullRequestFixture) -> Vec<String> {
    let mut found = Vec::new();
    let mut sha = tip(fixture, "main").await;
    while sha != fixture.base {
        let commit = commit(fixture, &sha).await;
        found.push(sha);
        sha = parents(&commit)[0].to_owned();
    }
    found
}

/// Opens a pull request from a new branch that adds one file.
async fn open_another(fixture: &PullRequestFixture, name: &str) -> String {
    let head = fixture.commit_on(&fixture.base, &[(name, Some("1\n"))]);
    fixture.bring_objects().await;
    let branch = json!({ "ref": format!("refs/heads/{name}"), "sha": head });
    fixture.user("mona").post(&format!("{ROCKET}/git/refs"), branch).await.expect(201);
    let body = json!({ "title": name, "head": name, "base": "main" });
    let opened = fixture.user("mona").post(&format!("{ROCKET}/pulls"), body).await.expect(201).json();
    format!("{ROCKET}/pulls/{}/merge", opened["number"])
}

#[tokio::test]
async fn pull_request_is_merged_once_by_concurrent_merges() {
    let (fixture, base) = diverged(BASE_FILE).await;
    let responses = join_all((0..6).map(|_| merge(&fixture, json!({})))).await;
    let mut statuses: Vec<u16> = responses.iter().map(|response| response.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 405, 405, 405, 405, 405]);
    let [merged, before] = first_parents(&fixture).await.try_into().expect("one commit on top of the base");
    assert_eq!((before, outcome(&pull(&fixture).await)), (base, json!(["closed", true, "hubot", merged])));
}

#[tokio::test]
async fn concurrent_merges_of_several_pull_requests_are_all_in_the_base() {
    let fixture = ahead().await;
    let mut paths = vec![MERGE.to_owned()];
    for name in ["one", "two", "three"] {
        paths.push(open_another(&fixture, name).await);
    }
    fixture.service.settled().await;
    let user = fixture.user("hubot");
    let responses = join_all(paths.iter().map(|path| user.send(Method::PUT, path, ""))).await;
    responses.into_iter().for_each(|response| drop(response.expect(200)));
    assert_eq!(first_parents(&fixture).await.len(), paths.len());
    let tree = fixture.user("mona").get(&format!("{ROCKET}/git/trees/main")).await.expect(200).json();
    let files: Vec<_> = tree["tree"].as_array().expect("a list").iter().map(|entry| entry["path"].clone()).collect();
    assert_eq!(files, ["file", "one", "three", "two"]);
    assert_eq!(file(&fixture, &tip(&fixture, "main").await).await, HEAD_FILE);
}

#[tokio::test]
async fn merge_and_updates_of_the_base_lose_nothing() {
    let fixture = ahead().await;
    let mut commits = vec![fixture.base.clone()];
    for number in 0..5 {
        let parent = commits.last().expect("the base is the first").clone();
        commits.push(fixture.commit_on(&parent, &[(&format!("base{number}"), Some("1\n"))]));
    }
    fixture.bring_objects().await;
    let (mona, path) = (fixture.user("mona"), format!("{ROCKET}/git/refs/heads/main"));
    let update = async {
        let mut moved = 0;
        for sha in &commits[1..] {
            // After the merge, these are no fast-forwards any more.
            moved += usize::from(mona.patch(&path, json!({ "sha": sha })).await.status == 200);
        }
        moved
    };
    let (merged, moved) = tokio::join!(merge(&fixture, json!({})), update);
    let sha = merged.expect(200).json()["sha"].clone();
    let history = first_parents(&fixture).await;
    assert_eq!((json!(history[0]), history.len()), (sha, moved + 1), "every update that succeeded is below the merge");
    assert_eq!(file(&fixture, &history[0]).await, HEAD_FILE);
}

#[tokio::test]
async fn pull_request_that_a_push_has_merged_gets_no_second_commit() {
    let (fixture, base) = diverged(BASE_FILE).await;
    fixture.work.git(&["checkout", "-q", "--detach", &base]);
    fixture.work.git(&["merge", "-q", "--no-ff", "-m", "by hand", &fixture.head]);
    let by_hand = fixture.work.git(&["rev-parse", "HEAD"]).trim().to_owned();
    fixture.work.git(&["tag", "by-hand", &by_hand]);
    fixture.push("main", &by_hand).await;
    // Before or after the background task has noticed it.
    merge(&fixture, json!({})).await.expect(405);
    assert_eq!(tip(&fixture, "main").await, by_hand);
    assert_eq!(outcome(&wait_until_closed(&fixture).await), json!(["closed", true, "mona", by_hand]));
}

#[tokio::test]
async fn unrelated_history_is_not_merged() {
    let fixture = ahead().await;
    fixture.work.git(&["checkout", "-q", "--orphan", "unrelated"]);
    let unrelated = fixture.work.commit("hubot");
    fixture.push("feature", &unrelated).await;
    fixture.service.settled().await;
    let shown = pull(&fixture).await;
    assert_ne!(shown["mergeable"], true, "{}", shown["mergeable_state"]);
    for method in ["merge", "squash", "rebase"] {
        assert_eq!(merge(&fixture, json!({ "merge_method": method })).await.status, 405, "{method}");
    }
    let body = json!({ "base": "main", "head": "feature" });
    fixture.user("hubot").post(&format!("{ROCKET}/merges"), body).await.expect(409);
    assert_eq!(tip(&fixture, "main").await, fixture.base);
}

#[tokio::test]
async fn pull_request_without_its_head_branch_is_not_merged() {
    let fixture = ahead().await;
    fixture.user("mona").delete(&format!("{ROCKET}/git/refs/heads/feature")).await.expect(204);
    merge(&fixture, json!({})).await.expect(405);
    assert_eq!(tip(&fixture, "main").await, fixture.base);
}

#[tokio::test]
async fn large_test_merge_is_not_stored_and_the_merge_is() {
    let lines = |first: &str, last: &str| {
        let middle: String = (0..150_000).map(|number| format!("line {number}\n")).collect();
        format!("{first}\n{middle}{last}\n")
    };
    let fixture = PullRequestFixture::new(&[("file", &lines("1", "2"))], &[("file", Some(&lines("1", "two")))]).await;
    let base = fixture.commit_on(&fixture.base, &[("file", Some(&lines("one", "2")))]);
    fixture.push("main", &base).await;
    fixture.service.settled().await;
    let shown = pull(&fixture).await;
    assert_eq!((&shown["mergeable"], &shown["merge_commit_sha"]), (&json!(true), &Value::Null));
    merge(&fixture, json!({})).await.expect(200);
    assert_eq!(file(&fixture, &tip(&fixture, "main").await).await, lines("one", "two"));
}

#[tokio::test]
async fn merge_of_ten_thousand_files_keeps_all_of_them() {
    let names: Vec<String> = (0..10_000).map(|number| format!("dir{}/file{number}", number % 7)).collect();
    let added: Vec<(&str, Option<&str>)> = names.iter().map(|name| (name.as_str(), Some("1\n"))).collect();
    let fixture = PullRequestFixture::new(&[("file", FILE)], &added).await;
    let base = fixture.commit_on(&fixture.base, &[("file", Some(BASE_FILE)), ("dir0/own", Some("2\n"))]);
    fixture.push("main", &base).await;
    merge(&fixture, json!({ "merge_method": "squash" })).await.expect(200);
    let tree = fixture.user("mona").get(&format!("{ROCKET}/git/trees/main?recursive=1")).await.expect(200).json();
    let blobs = tree["tree"].as_array().expect("a list").iter().filter(|entry| entry["type"] == "blob").count();
    assert_eq!((blobs, &tree["truncated"]), (names.len() + 2, &json!(false)));
}

#[tokio::test]
async fn name_of_an_account_cannot_break_the_header_of_a_commit() {
    let fixture = ahead().await;
    let state = "users: [{ login: hubot, name: \"<Hu>\\nbot\", email: \"a>b@example.com\" }]";
    fixture.service.apply(state).await;
    let merged = merge(&fixture, json!({})).await.expect(200).json();
    let commit = commit(&fixture, merged["sha"].as_str().expect("an id")).await;
    let committer = &commit["committer"];
    assert_eq!((&committer["name"], &committer["email"]), (&json!("Hubot"), &json!("ab@example.com")));
}
