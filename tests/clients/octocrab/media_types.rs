//! A comment in the four media types.

use http::header::{ACCEPT, HeaderMap, HeaderValue};
use octocrab::models::CommentId;
use octocrab::params::pulls::MediaType;
use serde_json::Value;

use crate::support::{HUBOT, anonymous, with};

const RAW: &str = "**More** `code` and <b>tags</b> for @hubot";
const TEXT: &str = "More code and tags for @hubot";

#[tokio::test]
async fn full_media_type_has_all_three_bodies() {
    let nobody = anonymous();
    let pulls = nobody.pulls("octo-org", "hello").media_type(MediaType::Full);
    let comments = pulls.list_comments(Some(1)).per_page(100).send().await.unwrap();
    let full = comments.items.iter().find(|comment| comment.body == RAW).expect("the comment with marks");
    assert_eq!(full.body_text.as_deref(), Some(TEXT));
    let html = full.body_html.as_deref().expect("the rendered body");
    assert!(html.contains("<strong>More</strong>") && html.contains("<code"), "{html}");
    let plain = nobody.pulls("octo-org", "hello").comment(full.id).get().await.unwrap();
    assert_eq!((plain.body.as_str(), plain.body_text, plain.body_html), (RAW, None, None));
}

/// The client's own type requires `body`, which these media types omit.
#[tokio::test]
async fn each_media_type_has_its_own_body() {
    let id = marked().await;
    for vendor in ["github", "plinth"] {
        for (form, keys) in [
            ("raw", &["body"][..]),
            ("text", &["body_text"]),
            ("html", &["body_html"]),
            ("full", &["body", "body_html", "body_text"]),
        ] {
            let shown = ask(id, &format!("application/vnd.{vendor}-commitcomment.{form}+json")).await;
            let mut found: Vec<&str> = shown.keys().map(String::as_str).filter(|key| key.starts_with("body")).collect();
            found.sort_unstable();
            assert_eq!(found, keys, "{vendor} {form}");
        }
    }
    assert_eq!(ask(id, "application/vnd.github.text+json").await["body_text"], TEXT);
}

#[tokio::test]
async fn unsupported_media_type_is_rejected() {
    let response = with(HUBOT)._get_with_headers("/user", Some(accept("text/html"))).await.unwrap();
    assert_eq!(response.status(), 415);
}

async fn marked() -> CommentId {
    let nobody = anonymous();
    let comments = nobody.pulls("octo-org", "hello").list_comments(Some(1)).per_page(100).send().await.unwrap();
    comments.items.iter().find(|comment| comment.body == RAW).expect("the comment with marks").id
}

async fn ask(id: CommentId, media_type: &str) -> serde_json::Map<String, Value> {
    let route = format!("/repos/octo-org/hello/pulls/comments/{id}");
    anonymous().get_with_headers(route, None::<&()>, Some(accept(media_type))).await.unwrap()
}

fn accept(media_type: &str) -> HeaderMap {
    HeaderMap::from_iter([(ACCEPT, HeaderValue::from_str(media_type).expect("a media type"))])
}
