//! Hostile comment bodies. Their HTML is checked with a parser that is not ours.

use serde_json::{Value, json};

use super::fixture;
use super::harmless::assert_harmless;
use crate::support::pull_request::{COMMENTS, PullRequestFixture};

#[path = "../../../crates/plinth-markdown/src/tests/texts.rs"]
mod texts;

const CORPUS: &str = include_str!("../../browser/attempts.json");

/// Creates a comment and returns its HTML, which must be the same in every response.
async fn html_of(fixture: &PullRequestFixture, body: &str) -> String {
    let ask = |media: &str| {
        fixture.user("mona").header("accept", &format!("application/vnd.github-commitcomment.{media}+json"))
    };
    let new = json!({ "body": body, "line": 3, "path": "file", "commit_id": fixture.head });
    let made = ask("html").post(COMMENTS, new).await.expect(201).json();
    let one = format!("/repos/acme/rocket/pulls/comments/{}", made["id"]);
    let full = ask("full").get(&one).await.expect(200).json();
    assert_eq!(full["body"], body);
    assert_eq!(full["body_html"], made["body_html"]);
    made["body_html"].as_str().expect("a text").to_owned()
}

#[tokio::test]
async fn rendered_body_contains_no_harmful_markup() {
    let fixture = fixture().await;
    let groups: Vec<Value> = serde_json::from_str(CORPUS).expect("the corpus is JSON");
    let mut count = 0;
    for attempt in groups.iter().flat_map(|group| group["texts"].as_array().expect("a list")) {
        let attempt = attempt.as_str().expect("a text");
        if attempt.contains('\0') {
            let rejected = fixture.comment(json!({ "body": attempt, "line": 3 })).await.expect(422);
            assert_eq!(rejected.json()["errors"][0]["message"], "Body cannot contain NUL characters");
            continue;
        }
        for body in [attempt.to_owned(), format!("> - {attempt}\n\n{attempt}")] {
            assert_harmless(&html_of(&fixture, &body).await, &body);
        }
        count += 1;
    }
    assert!(count >= 200, "{count} attempts are not the whole corpus");
}

#[tokio::test]
async fn slow_markdown_is_rendered_within_bounds() {
    const HTML_BYTES_MAX: usize = 3 * 1024 * 1024;
    let fixture = fixture().await;
    let texts = texts::texts();
    assert!(texts.len() >= 60, "{} texts", texts.len());
    for (name, text) in texts {
        assert!(text.chars().count() <= texts::CHARACTERS_MAX);
        if text.contains('\0') || text.trim().is_empty() {
            fixture.comment(json!({ "body": text, "line": 3 })).await.expect(422);
            continue;
        }
        let html = html_of(&fixture, &text).await;
        assert!(html.len() <= HTML_BYTES_MAX, "{name} gave {} bytes", html.len());
        assert_harmless(&html, name);
    }
}

#[test]
fn harmful_markup_detector_finds_examples() {
    let harmful = [
        "<script>x</script>",
        "<p onclick=x>",
        "<a href=javascript:x>",
        "<a href='java\nscript:x'>",
        "<a href=' &#1;javascript:x'>",
        "<img src=data:text/html,x>",
        "<p id=x>",
        "<p style=x>",
        "<input type=text>",
        "<!-- x -->",
    ];
    for html in harmful {
        assert!(std::panic::catch_unwind(|| assert_harmless(html, html)).is_err(), "{html}");
    }
    assert_harmless("<p dir=rtl>x <a href=\"https://example.com\" rel=nofollow>y</a> <a href=\"#z\">z</a></p>", "good");
}
