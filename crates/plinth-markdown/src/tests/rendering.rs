//! Ordinary comments.

use super::rendered;
use crate::{SOURCE_CHARACTERS_MAX, render_inline_plain};

#[test]
fn comment_renders_as_expected() {
    let mention = |login: &str| {
        format!("<a class=\"user-mention\" href=\"https://plinth.example/{login}\" rel=\"nofollow\">@{login}</a>")
    };
    let cases = [
        ("Done.", "<p>Done.</p>".to_owned(), "Done."),
        ("Use `foo()` here", "<p>Use <code>foo()</code> here</p>".to_owned(), "Use foo() here"),
        ("one\ntwo", "<p>one<br>\ntwo</p>".to_owned(), "one\ntwo"),
        ("a **b** _c_ ~~d~~", "<p>a <strong>b</strong> <em>c</em> <del>d</del></p>".to_owned(), "a b c d"),
        ("a\n\nb", "<p>a</p>\n<p>b</p>".to_owned(), "a\nb"),
        (
            "[x](https://example.com/?a=1&b=2)",
            "<p><a href=\"https://example.com/?a=1&amp;b=2\" rel=\"nofollow\">x</a></p>".to_owned(),
            "x",
        ),
        (
            "www.example.com",
            "<p><a href=\"http://www.example.com\" rel=\"nofollow\">www.example.com</a></p>".to_owned(),
            "www.example.com",
        ),
        (
            "- [x] done\n- [ ] open",
            "<ul>\n<li><input type=\"checkbox\" checked=\"\" disabled=\"\"> done</li>\n<li><input type=\"checkbox\" disabled=\"\"> open</li>\n</ul>".to_owned(),
            "done\n open",
        ),
        (
            "|a|b|\n|-|:-:|\n|1|2|",
            "<table>\n<thead>\n<tr>\n<th>a</th>\n<th align=\"center\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td align=\"center\">2</td>\n</tr>\n</tbody>\n</table>".to_owned(),
            "a\nb\n\n\n\n\n1\n2",
        ),
        (
            "```rust\nlet a = &b < c;\n```",
            "<pre lang=\"rust\"><code>let a = &amp;b &lt; c;\n</code></pre>".to_owned(),
            "let a = &b < c;",
        ),
        ("1 < 2 && 3 > 2", "<p>1 &lt; 2 &amp;&amp; 3 &gt; 2</p>".to_owned(), "1 < 2 && 3 > 2"),
        ("<details><summary>s</summary>t</details>", "<details><summary>s</summary>t</details>".to_owned(), "st"),
        ("@alice please", format!("<p>{} please</p>", mention("alice")), "@alice please"),
        ("(@bob-2), cc @carol.", format!("<p>({}), cc {}.</p>", mention("bob-2"), mention("carol")), "(@bob-2), cc @carol."),
        ("**@alice**", format!("<p><strong>{}</strong></p>", mention("alice")), "@alice"),
        ("", String::new(), ""),
    ];
    for (source, html, text) in cases {
        let shown = rendered(source);
        assert_eq!(shown.html, html, "{source}");
        assert_eq!(shown.text, text, "{source}");
    }
}

#[test]
fn name_inside_other_text_is_not_a_mention() {
    let sources = [
        "`@alice`",
        "```\n@alice\n```",
        "    @alice",
        "me@alice",
        "a/@alice",
        "@-alice",
        "@alice-",
        "@alice_b",
        "@@alice",
        "@alice/team",
        "@",
        "@ alice",
        "[@alice](https://example.com)",
        "![@alice](https://example.com/a.png)",
        "<code>@alice</code>",
        "<a href=\"https://example.com\">@alice</a>",
        "@alice.example",
        "someone@alice.example",
        "@aaaaaaaaaabbbbbbbbbbccccccccccdddddddddde",
        "é@alice",
    ];
    for source in sources {
        assert!(!rendered(source).html.contains("user-mention"), "{source}: {}", rendered(source).html);
    }
}

#[test]
fn user_ids_and_names_get_a_prefix() {
    let html = rendered("<a name=\"a\"></a><h1 id=\"b\">x</h1><p id=\"user-content-c\">y</p>").html;
    for name in ["name=\"user-content-a\"", "id=\"user-content-b\"", "id=\"user-content-c\""] {
        assert!(html.contains(name), "{html}");
    }
}

#[test]
fn text_over_length_limit_is_truncated_and_shown_as_typed() {
    let longest = "é".repeat(SOURCE_CHARACTERS_MAX);
    assert_eq!(rendered(&longest).html, format!("<p>{longest}</p>"));
    let too_long = rendered(&format!("{longest}**x**"));
    assert_eq!(too_long.html, format!("<pre>{longest}</pre>"));
    assert_eq!(too_long.text, longest);
}

#[test]
fn inline_text_is_not_markdown() {
    let cases = [
        ("In **progress**", "In **progress**"),
        ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"),
        ("R&D \"x\" @alice", "R&amp;D \"x\" @alice"),
        ("&lt;script&gt;", "&amp;lt;script&amp;gt;"),
    ];
    for (text, html) in cases {
        assert_eq!(render_inline_plain(text), html);
    }
}
