//! Requests on a large pull request cost as much as on a small one.

#![expect(clippy::print_stdout, reason = "what is measured is read by a person")]

use std::time::{Duration, Instant};

use plinth_base::ids::{PullId, RepoId};
use serde_json::json;

use crate::support::pull_request::{COMMENTS, PULL, PullRequestFixture};

/// The median times to create a comment and to list a page.
async fn cost(files: usize, comments: usize) -> (Duration, Duration) {
    let names: Vec<String> = (0..files).map(|number| format!("src/{:03}/{number}.txt", number % 200)).collect();
    let base: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "1\n2\n3\n")).collect();
    let head: Vec<(&str, Option<&str>)> = names.iter().map(|name| (name.as_str(), Some("1\ntwo\n3\n"))).collect();
    let fixture = PullRequestFixture::new(&base, &head).await;
    for number in 0..comments {
        let path = &names[number % names.len()];
        fixture.comment(json!({ "path": path, "line": 2, "body": number.to_string() })).await.expect(201);
    }
    let next = fixture.commit_on(&fixture.head, &[(names[0].as_str(), Some("0\n1\ntwo\n3\n"))]);
    fixture.push("feature", &next).await;
    let began = Instant::now();
    fixture.user("mona").get(COMMENTS).await.expect(200);
    println!("{files} files: the first page after a push took {:?}", began.elapsed());
    let id =
        |path: &'static str| async { fixture.user("mona").get(path).await.json()["id"].as_i64().expect("a number") };
    let (repo, pull) = (RepoId(id("/repos/acme/rocket").await), PullId(id(PULL).await));
    let began = Instant::now();
    plinth_core::pulls::refresh_pull(&fixture.service.app, repo, pull).await.expect("settled");
    println!("{files} files: all positions took {:?}", began.elapsed());
    let (mut creating, mut listing) = (Vec::new(), Vec::new());
    for number in 0..21 {
        let path = &names[number % names.len()];
        let began = Instant::now();
        fixture
            .comment(json!({ "path": path, "line": 2, "body": format!("{number}"), "commit_id": next }))
            .await
            .expect(201);
        creating.push(began.elapsed());
        let began = Instant::now();
        let page = 1 + number * (comments / 30) / 21;
        fixture.user("mona").get(&format!("{COMMENTS}?page={page}")).await.expect(200);
        listing.push(began.elapsed());
    }
    creating.sort_unstable();
    listing.sort_unstable();
    (creating[10], listing[10])
}

#[tokio::test]
#[ignore = "makes ten thousand files and comments, which takes minutes; run it when storage changes"]
async fn comment_and_page_cost_is_constant_at_ten_thousand_comments() {
    let small = cost(10, 60).await;
    let large = cost(10_000, 10_000).await;
    println!("small {small:?}, large {large:?}");
    assert!(large.0 < small.0 * 3, "creating: {small:?} {large:?}");
    assert!(large.1 < small.1 * 3, "listing: {small:?} {large:?}");
}
