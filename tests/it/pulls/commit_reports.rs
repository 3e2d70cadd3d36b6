//! Statuses, check runs and pull requests of a commit.

use expect_test::expect;
use serde_json::json;

use crate::support::pull_request::PullRequestFixture;

const COMMITS: &str = "/repos/acme/rocket/commits";

async fn fixture() -> PullRequestFixture {
    PullRequestFixture::new(&[("a", "1\n")], &[("a", Some("2\n"))]).await
}

#[tokio::test]
async fn commit_has_no_statuses_and_no_check_runs() {
    let fixture = fixture().await;
    let mona = fixture.user("mona");
    let body = json!({ "ref": "refs/heads/deep/er", "sha": fixture.head });
    mona.post("/repos/acme/rocket/git/refs", body).await.expect(201);
    for name in [fixture.head.as_str(), "feature", "deep/er", "deep%2Fer", "heads/feature"] {
        let status = mona.get(&format!("{COMMITS}/{name}/status")).await.expect(200).json();
        assert_eq!((&status["state"], &status["sha"]), (&json!("pending"), &json!(fixture.head)), "{name}");
        assert_eq!((&status["statuses"], &status["total_count"]), (&json!([]), &json!(0)));
        assert_eq!(status["repository"]["full_name"], "acme/rocket");
        assert_eq!(status["url"], format!("http://plinth.test{COMMITS}/{}/status", fixture.head));
        let runs = mona.get(&format!("{COMMITS}/{name}/check-runs")).await.expect(200).json();
        assert_eq!(runs, json!({ "total_count": 0, "check_runs": [] }));
    }
    let mut seen = String::new();
    for path in ["status", "check-runs", "pulls"] {
        let response = mona.get(&format!("{COMMITS}/none/{path}")).await;
        seen += &format!("{} {}\n", response.status, response.message());
    }
    expect![[r#"
        422 No commit found for SHA: none
        422 No commit found for SHA: none
        404 Not Found
    "#]]
    .assert_eq(&seen);
}

#[tokio::test]
async fn pulls_of_commit_are_those_that_contain_it() {
    let fixture = fixture().await;
    let guest = fixture.user("guest");
    let numbers = |sha: String| {
        let guest = &guest;
        async move {
            let list = guest.get(&format!("{COMMITS}/{sha}/pulls")).await.expect(200).json();
            list.as_array().expect("a list").iter().map(|pull| pull["number"].clone()).collect::<Vec<_>>()
        }
    };
    assert_eq!(numbers(fixture.head.clone()).await, [json!(1)]);
    assert_eq!(numbers(fixture.base.clone()).await, [] as [serde_json::Value; 0]);
    fixture.user("hubot").patch("/repos/acme/rocket/pulls/1", json!({ "state": "closed" })).await.expect(200);
    assert_eq!(numbers("feature".into()).await, [json!(1)]);
    guest.get(&format!("{COMMITS}/{}/pulls", "1".repeat(40))).await.expect(404);
}
