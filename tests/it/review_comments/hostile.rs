//! Hostile comment bodies. Their HTML is checked with a parser that is not ours.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer};
use serde_json::{Value, json};

use super::fixture;
use crate::support::pull_request::{COMMENTS, PullRequestFixture};

#[path = "../../../crates/plinth-markdown/src/tests/texts.rs"]
mod texts;

const CORPUS: &str = include_str!("../../browser/attempts.json");

/// The tags and attributes that rendered HTML may contain.
const TAGS: &str = "a abbr b blockquote br cite code dd del details dfn div dl dt em h1 h2 h3 h4 h5 h6 hr i img input \
                    ins kbd li mark ol p pre q s samp small span strong sub summary sup table tbody td th thead tr ul var";
const ATTRIBUTES: &str = "a:class a:href a:name a:rel details:open div:align img:align img:alt img:height img:src \
                          img:width input:checked input:disabled input:type ol:start p:align pre:lang td:align \
                          td:colspan td:rowspan th:align th:colspan th:rowspan";
const ATTRIBUTES_OF_ALL: &str = "dir id title";

struct Tags(RefCell<Vec<Tag>>);

impl TokenSink for Tags {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        match token {
            Token::TagToken(tag) => self.0.borrow_mut().push(tag),
            Token::CommentToken(comment) => panic!("a comment is left: {comment}"),
            Token::DoctypeToken(_) => panic!("a declaration is left"),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

fn assert_harmless(html: &str, source: &str) {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    let reader = Tokenizer::new(Tags(RefCell::default()), Default::default());
    let _ = reader.feed(&input);
    reader.end();
    for tag in reader.sink.0.borrow().iter() {
        let name = tag.name.to_string();
        assert!(has(TAGS, &name), "<{name}> is left of {source:?}: {html}");
        assert!(tag.kind == TagKind::StartTag || tag.attrs.is_empty(), "{html}");
        for attribute in &tag.attrs {
            let (key, value) = (attribute.name.local.to_string(), attribute.value.to_string());
            let allowed = has(ATTRIBUTES_OF_ALL, &key) || has(ATTRIBUTES, &format!("{name}:{key}"));
            assert!(allowed, "{key} of <{name}> is left of {source:?}: {html}");
            assert!(is_harmless_value(&name, &key, &value), "{key}={value:?} of <{name}> from {source:?}: {html}");
        }
    }
}

fn has(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|known| known == word)
}

fn is_harmless_value(tag: &str, key: &str, value: &str) -> bool {
    match (tag, key) {
        ("a", "href") | ("img", "src") => {
            // Browsers ignore surrounding space, tabs and line breaks in URLs.
            let read: String = value.chars().filter(|character| !"\t\r\n".contains(*character)).collect();
            let read = read.trim_matches(|character: char| character <= ' ').to_ascii_lowercase();
            match url::Url::parse(&read) {
                Ok(address) => ["http", "https", "mailto"].contains(&address.scheme()),
                Err(error) => error == url::ParseError::RelativeUrlWithoutBase || read.starts_with("http"),
            }
        }
        (_, "id") | ("a", "name") => value.starts_with("user-content-"),
        ("a", "class") => ["", "user-mention"].contains(&value),
        ("a", "rel") => value == "nofollow",
        ("input", "type") => value == "checkbox",
        _ => true,
    }
}

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
