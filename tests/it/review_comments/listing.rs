//! Lists: order, pages, filters, media types and conditional requests.

use serde_json::{Value, json};

use super::fixture;
use crate::support::Response;
use crate::support::pull_request::{COMMENTS, PullRequestFixture};

const ALL: &str = "/repos/acme/rocket/pulls/comments";

fn ids(response: &Response) -> Vec<i64> {
    let list = response.json();
    list.as_array().expect("a list").iter().map(|comment| comment["id"].as_i64().expect("a number")).collect()
}

/// Five comments, a minute apart, of which the second is edited last.
async fn five() -> PullRequestFixture {
    let fixture = fixture().await;
    for _ in 0..5 {
        fixture.comment(json!({ "line": 3 })).await.expect(201);
        fixture.service.advance(60);
    }
    fixture.user("mona").patch(&format!("{ALL}/2"), json!({ "body": "edited" })).await.expect(200);
    fixture
}

#[tokio::test]
async fn list_comments_sorts_and_filters() {
    let fixture = five().await;
    let mona = fixture.user("mona");
    for path in [COMMENTS, ALL] {
        for (query, expected) in [
            ("", [1, 2, 3, 4, 5].as_slice()),
            ("?direction=desc", &[1, 2, 3, 4, 5]),
            ("?sort=created", &[1, 2, 3, 4, 5]),
            ("?sort=created&direction=desc", &[5, 4, 3, 2, 1]),
            ("?sort=updated", &[1, 3, 4, 5, 2]),
            ("?sort=updated&direction=asc", &[1, 3, 4, 5, 2]),
            ("?sort=updated&direction=desc", &[2, 5, 4, 3, 1]),
            ("?sort=nonsense&direction=desc", &[1, 2, 3, 4, 5]),
            ("?per_page=2", &[1, 2]),
            ("?per_page=2&page=3", &[5]),
            ("?per_page=2&page=4", &[]),
            ("?per_page=2&page=1000000000", &[]),
            ("?sort=updated&direction=desc&per_page=2&page=2", &[4, 3]),
            ("?since=2026-02-25T06:15:20Z", &[2, 4, 5]),
            ("?since=2026-02-25T06:15:20Z&sort=updated&direction=desc&per_page=1", &[2]),
            ("?since=2030-01-01T00:00:00Z", &[]),
            ("?since=2026-02-25", &[1, 2, 3, 4, 5]),
            ("?since=2026-02-26", &[]),
            ("?since=2026-02-25T06:15:20", &[2, 4, 5]),
            ("?sort=created&direction=sideways", &[1, 2, 3, 4, 5]),
            ("?sort=updated&direction=sideways", &[1, 3, 4, 5, 2]),
        ] {
            let response = mona.get(&format!("{path}{query}")).await.expect(200);
            assert_eq!(ids(&response), expected, "{path}{query}");
        }
    }
    assert_eq!(ids(&mona.get(&format!("{ALL}?sort=created_at&direction=desc")).await), [5, 4, 3, 2, 1]);
    assert_eq!(ids(&mona.get(&format!("{COMMENTS}?sort=created_at&direction=desc")).await), [1, 2, 3, 4, 5]);
    let wrong = mona.get(&format!("{ALL}?since=yesterday")).await.expect(422);
    assert_eq!(wrong.message(), "Invalid request.\n\nyesterday is not a valid date-time.");
    mona.get("/repos/acme/rocket/pulls/9/comments").await.expect(404);
    mona.get("/repos/acme/rocket/pulls/x/comments").await.expect(404);
}

/// Pages in the second half of a list are read from its end.
#[tokio::test]
async fn pages_of_every_size_add_up_to_the_list() {
    let fixture = five().await;
    fixture.comment(json!({ "line": 3 })).await.expect(201);
    let pending = json!({ "comments": [{ "path": "file", "line": 3, "body": "later" }, { "path": "file", "line": 4, "body": "too" }] });
    fixture.user("mona").post("/repos/acme/rocket/pulls/1/reviews", pending).await.expect(200);
    let sorts = [
        "",
        "&sort=created&direction=desc",
        "&sort=updated",
        "&sort=updated&direction=desc",
        "&since=2026-02-25T06:15:20Z",
    ];
    for (login, count) in [("mona", 8), ("reader", 6)] {
        let client = fixture.user(login);
        for (path, sort) in [COMMENTS, ALL].into_iter().flat_map(|path| sorts.map(|sort| (path, sort))) {
            let whole = ids(&client.get(&format!("{path}?per_page=100{sort}")).await.expect(200));
            assert!(sort.contains("since") || whole.len() == count, "{login} {path}{sort}: {whole:?}");
            for size in 1..=count {
                let mut joined = Vec::new();
                for page in 1..=count / size + 2 {
                    let path = format!("{path}?per_page={size}&page={page}{sort}");
                    joined.extend(ids(&client.get(&path).await.expect(200)));
                }
                assert_eq!(joined, whole, "{login} {path}{sort}, pages of {size}");
            }
        }
    }
}

#[tokio::test]
async fn list_comments_links_pages() {
    let fixture = five().await;
    let link = |response: Response| response.header("link").map(str::to_owned);
    let mona = fixture.user("mona");
    let base = format!("http://plinth.test{COMMENTS}");
    assert_eq!(
        link(mona.get(&format!("{COMMENTS}?per_page=2")).await),
        Some(format!("<{base}?per_page=2&page=2>; rel=\"next\", <{base}?per_page=2&page=3>; rel=\"last\""))
    );
    assert_eq!(
        link(mona.get(&format!("{COMMENTS}?page=3&per_page=2")).await),
        Some(format!("<{base}?page=2&per_page=2>; rel=\"prev\", <{base}?page=1&per_page=2>; rel=\"first\""))
    );
    assert_eq!(link(mona.get(COMMENTS).await), None);
    let since = mona.get(&format!("{ALL}?per_page=1&since=2026-02-25T06:15:20Z")).await;
    assert!(link(since).expect("there are more").contains("page=3>; rel=\"last\""));
    let deleted = mona.delete(&format!("{ALL}/5")).await;
    assert_eq!(deleted.status, 204);
    assert!(link(mona.get(&format!("{COMMENTS}?per_page=2")).await).expect("more").contains("page=2>; rel=\"last\""));
}

#[tokio::test]
async fn every_response_has_bodies_of_requested_media_type() {
    let fixture = fixture().await;
    let root = fixture.comment(json!({ "line": 3 })).await.expect(201).json();
    for (word, expected) in [
        ("raw", ["body"].as_slice()),
        ("text", &["body_text"]),
        ("html", &["body_html"]),
        ("full", &["body", "body_text", "body_html"]),
        ("", &["body"]),
    ] {
        let accept = match word {
            "" => "application/vnd.plinth+json".to_owned(),
            word => format!("application/vnd.plinth-commitcomment.{word}+json"),
        };
        let client = fixture.user("mona").header("accept", &accept);
        let body = json!({ "body": "**Hi** @hubot `x`", "line": 3, "path": "file", "commit_id": fixture.head });
        let made = client.post(COMMENTS, body).await.expect(201).json();
        let one = format!("{ALL}/{}", made["id"]);
        let text = json!({ "body": "**Hi** @hubot `x`" });
        let responses = [
            made.clone(),
            client.get(&one).await.expect(200).json(),
            client.patch(&one, text.clone()).await.expect(200).json(),
            client.post(&format!("{COMMENTS}/{}/replies", root["id"]), text).await.expect(201).json(),
            client
                .get(&format!("{COMMENTS}?per_page=100"))
                .await
                .expect(200)
                .json()
                .as_array()
                .expect("a list")
                .iter()
                .find(|comment| comment["id"] == made["id"])
                .expect("it is listed")
                .clone(),
        ];
        for response in responses {
            for (field, value) in [
                ("body", "**Hi** @hubot `x`"),
                ("body_text", "Hi @hubot x"),
                (
                    "body_html",
                    "<p><strong>Hi</strong> <a class=\"user-mention\" href=\"http://plinth.test/hubot\" rel=\"nofollow\">@hubot</a> <code>x</code></p>",
                ),
            ] {
                let shown = response.get(field).and_then(Value::as_str).map(str::trim_end);
                assert_eq!(shown, expected.contains(&field).then_some(value), "{word} {field}");
            }
        }
    }
}

#[tokio::test]
async fn comment_returns_304_until_it_or_its_code_changes() {
    let fixture = fixture().await;
    fixture.comment(json!({ "line": 3 })).await.expect(201);
    let one = format!("{ALL}/1");
    let first = fixture.user("mona").get(&one).await.expect(200);
    let (tag, modified) = (first.header("etag").expect("a tag"), first.header("last-modified").expect("a date"));
    fixture.user("mona").header("if-none-match", tag).get(&one).await.expect(304);
    fixture.user("mona").header("if-modified-since", modified).get(&one).await.expect(304);
    fixture.service.advance(60);
    let moved =
        fixture.commit_on(&fixture.head, &[("file", Some(&format!("new\n{}", super::numbered(&[(3, "three\n")]))))]);
    fixture.push("feature", &moved).await;
    fixture.user("mona").header("if-none-match", tag).get(&one).await.expect(200);
    fixture.user("mona").header("if-modified-since", modified).get(&one).await.expect(200);
}
