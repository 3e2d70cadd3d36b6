//! Lists of issues.

use serde_json::json;

use super::{ISSUES, fixture, numbers, texts, three_issues};

#[tokio::test]
async fn list_shows_issues_and_pull_requests_newest_first() {
    let fixture = fixture().await;
    three_issues(&fixture).await;
    assert_eq!(numbers(&fixture, "").await, [4, 3, 2, 1]);
    assert_eq!(numbers(&fixture, "?direction=asc").await, [1, 2, 3, 4]);
    assert_eq!(numbers(&fixture, "?sort=nonsense&direction=sideways&milestone=none&type=x").await, [4, 3, 2, 1]);
    let list = fixture.service.anonymous().get(ISSUES).await.expect(200).json();
    assert_eq!(list[3]["pull_request"]["url"], "http://plinth.test/repos/acme/rocket/pulls/1");
    assert!(list[0].get("pull_request").is_none());
    assert_eq!(texts(&list[2]["labels"], "name"), ["bug", "later"]);
    assert_eq!(texts(&list[2]["assignees"], "login"), ["hubot"]);
    let one = fixture.service.anonymous().get(&format!("{ISSUES}/2")).await.expect(200).json();
    assert_eq!(list[2], one, "as one by one");
}

#[tokio::test]
async fn list_is_filtered() {
    let fixture = fixture().await;
    three_issues(&fixture).await;
    let mona = fixture.user("mona");
    mona.patch(&format!("{ISSUES}/4"), json!({ "state": "closed" })).await.expect(200);
    mona.post(&format!("{ISSUES}/1/labels"), json!({ "labels": ["bug"] })).await.expect(200);
    for (query, expected) in [
        ("?state=open", vec![3, 2, 1]),
        ("?state=closed", vec![4]),
        ("?state=all", vec![4, 3, 2, 1]),
        ("?state=all&labels=bug", vec![4, 2, 1]),
        ("?state=all&labels=BUG,later", vec![2]),
        ("?labels=bug,missing", vec![]),
        ("?creator=guest", vec![3]),
        ("?creator=Mona", vec![2, 1]),
        ("?creator=nobody", vec![]),
        ("?assignee=hubot", vec![2]),
        ("?assignee=*", vec![2]),
        ("?assignee=none", vec![3, 1]),
        ("?mentioned=reader", vec![3]),
        ("?mentioned=guest", vec![]),
        ("?milestone=*", vec![]),
        ("?state=all&creator=hubot&labels=bug&since=2026-02-25T06:00:00Z", vec![4]),
    ] {
        assert_eq!(numbers(&fixture, query).await, expected, "{query}");
    }
    mona.get(&format!("{ISSUES}?assignee=nobody")).await.expect(422);
    mona.get(&format!("{ISSUES}?since=never")).await.expect(422);
    let many = (0..17).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
    mona.get(&format!("{ISSUES}?labels={many}")).await.expect(422);
}

#[tokio::test]
async fn list_is_sorted_by_update_and_by_comments() {
    let fixture = fixture().await;
    three_issues(&fixture).await;
    fixture.service.advance(60);
    for (number, comments) in [(2, 2), (1, 1)] {
        for _ in 0..comments {
            let path = format!("{ISSUES}/{number}/comments");
            fixture.user("mona").post(&path, json!({ "body": "Hm" })).await.expect(201);
        }
    }
    fixture.service.advance(60);
    fixture.user("mona").patch(&format!("{ISSUES}/3"), json!({ "title": "New" })).await.expect(200);
    assert_eq!(numbers(&fixture, "?sort=updated").await, [3, 2, 1, 4]);
    assert_eq!(numbers(&fixture, "?sort=updated&direction=asc").await, [4, 1, 2, 3]);
    assert_eq!(numbers(&fixture, "?sort=comments").await, [2, 1, 4, 3]);
    assert_eq!(numbers(&fixture, "?sort=comments&direction=asc").await, [3, 4, 1, 2]);
    assert_eq!(numbers(&fixture, "?since=2026-02-25T06:18:20Z").await, [3], "at or after");
}

#[tokio::test]
async fn list_has_pages() {
    let fixture = fixture().await;
    three_issues(&fixture).await;
    for state in ["open", "all"] {
        for (page, expected) in [(1, vec![4, 3]), (2, vec![2, 1]), (3, vec![])] {
            let query = format!("?state={state}&per_page=2&page={page}");
            assert_eq!(numbers(&fixture, &query).await, expected, "{query}");
        }
    }
    let first = fixture.user("mona").get(&format!("{ISSUES}?per_page=3")).await.expect(200);
    assert_eq!(
        first.header("link"),
        Some(
            "<http://plinth.test/repos/acme/rocket/issues?per_page=3&page=2>; rel=\"next\", \
             <http://plinth.test/repos/acme/rocket/issues?per_page=3&page=2>; rel=\"last\""
        )
    );
    let tag = first.header("etag").expect("a tag").to_owned();
    let again = fixture.user("mona").header("if-none-match", &tag).get(&format!("{ISSUES}?per_page=3")).await;
    assert_eq!(again.status, 304);
}
