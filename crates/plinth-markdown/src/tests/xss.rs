//! Attempts to inject a script, a style or a form into a page.

use proptest::prelude::*;

use super::reparse::assert_clean;
use super::{CONTEXT, rendered};
use crate::{Context, References, render, render_inline_plain, sanitize};

/// The corpus that the tests over HTTP and in a browser use too.
const CORPUS: &str = include_str!("../../../../tests/browser/attempts.json");

fn attempts() -> Vec<String> {
    let groups: Vec<serde_json::Value> = serde_json::from_str(CORPUS).expect("the corpus is JSON");
    let texts = groups.iter().flat_map(|group| group["texts"].as_array().expect("a list"));
    texts.map(|text| text.as_str().expect("a text").to_owned()).collect()
}

#[test]
fn injection_attempts_are_sanitized() {
    let attempts = attempts();
    assert!(attempts.len() >= 200, "{} are not the whole corpus", attempts.len());
    for attempt in &attempts {
        for source in [attempt.clone(), format!("> - {attempt}"), format!("text {attempt} text\n\n{attempt}")] {
            let shown = rendered(&source);
            assert_clean(&source, &shown.html);
            assert_clean(&source, &sanitize::clean(&source).unwrap_or_default());
        }
        assert_clean(attempt, &render_inline_plain(attempt));
        assert!(!render_inline_plain(attempt).contains('<'), "{attempt}");
    }
}

#[test]
fn hostile_web_url_is_escaped() {
    let existing = References { pulls: [1].into(), ..References::default() };
    let hostile = "https://x.example/\"><script>alert(1)</script>";
    let context = Context { web_url: hostile, repo: Some("<b>/\"onclick=\"x"), existing: &existing };
    for source in ["@alice", "see #1"] {
        assert_clean(source, &render(source, &context).html);
    }
}

#[test]
fn checker_detects_unclean_html() {
    for unclean in
        ["<script>", "<p onclick=\"x\">", "<a href=\"javascript:x\" rel=\"nofollow\">", "<p id=\"x\"></p>", "<!--x-->"]
    {
        assert!(std::panic::catch_unwind(|| assert_clean("", unclean)).is_err(), "{unclean}");
    }
}

/// Fragments that are special to one of the parsers.
fn soup() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "<",
        ">",
        "\"",
        "'",
        "`",
        "&",
        "/",
        "=",
        " ",
        "\n",
        "\n\n",
        "    ",
        "*",
        "_",
        "[",
        "](",
        ")",
        "!",
        "#",
        "|",
        "-",
        "<!--",
        "-->",
        "--!>",
        "<![CDATA[",
        "]]>",
        "<a ",
        "</a>",
        "<b>",
        "</b>",
        "<p>",
        "<table>",
        "<td>",
        "<svg>",
        "</svg>",
        "<math>",
        "<mtext>",
        "<mglyph>",
        "<style>",
        "</style>",
        "<script>",
        "</script>",
        "<title>",
        "</title>",
        "<textarea>",
        "<select>",
        "<template>",
        "<noscript>",
        "<img ",
        "src=",
        "href=",
        "onerror=",
        "id=",
        "name=",
        "javascript:",
        "data:",
        "https://",
        "@alice",
        "x",
        "&lt;",
        "&#106;",
        "\0",
        "\u{a0}",
        "\r",
        "é",
        "- [x] ",
        "```",
    ];
    proptest::collection::vec(proptest::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn random_dangerous_fragments_are_sanitized(source in soup()) {
        assert_clean(&source, &render(&source, &CONTEXT).html);
        assert_clean(&source, &render_inline_plain(&source));
        if let Some(html) = sanitize::clean(&source) {
            prop_assert_eq!(sanitize::clean(&html), Some(html.clone()));
            assert_clean(&source, &html);
        }
    }
}
