//! Footnotes and emoji.

use super::rendered;

#[test]
fn footnotes_link_to_each_other() {
    let html = rendered("Text[^1]\n\n[^1]: Note").html;
    assert!(html.contains("href=\"#user-content-fn-1\"") && html.contains("id=\"user-content-fn-1\""), "{html}");
    assert!(html.contains("href=\"#user-content-fnref-1\"") && html.contains("id=\"user-content-fnref-1\""), "{html}");
    assert!(html.contains("class=\"footnotes\""), "{html}");
}

#[test]
fn emoji_have_short_names() {
    assert_eq!(rendered(":tada: :+1:").html, "<p>\u{1f389} \u{1f44d}</p>");
    assert_eq!(rendered(":nothing: `:tada:`").html, "<p>:nothing: <code>:tada:</code></p>");
}
