//! Comments in Markdown, with mentions.

use plinth_markdown::{Context, MENTIONS_MAX, References, mentions, render, render_inline_plain};

use crate::Target;
use crate::input::texts;

#[path = "../../../tests/it/review_comments/harmless.rs"]
mod harmless;

/// What rendering adds to HTML that is within the limit of the crate.
const HTML_BYTES_MAX: usize = 3 << 20;

const COMMIT: &str = "1c002dd4b536e7479fe34593e72e6c6c1819e53b";

/// The HTML contains nothing that a browser would run, is bounded, and is the same when it is rendered again.
pub const MARKDOWN: Target = Target {
    name: "markdown",
    seeds: || {
        texts(&[
            "# Title\n\n*a* **b** ~~c~~ `d` @mona, not mona@example.com\n",
            "#1 mona/rocket#2 hubot/tools#3 1c002dd mona@1c002dd4b536e7479fe34593e72e6c6c1819e53b :tada: a[^b]\n\n[^b]: note\n",
            "- [x] task\n- [ ] @hubot\n\n> quote\n> > deeper\n\n1. one\n",
            "| a | b |\n|---|:-:|\n| 1 | 2 |\n",
            "```rust\nfn main() {}\n```\n\n    code\n\n---\n",
            "[link](https://example.com \"title\") ![image](http://example.com/a.png) <https://a.b> www.example.com\n[a]: javascript:alert(1)\n[a]\n",
            "<div align=\"center\" onclick=\"alert(1)\"><a href=\"java\tscript:x\" id=b>x</a><img src=x onerror=y></div>\n",
            "<svg><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">\n",
            "<details open><summary>s</summary><input type=text><table><td><p></table></details><script>alert(1)</script>",
            "&lt;script&gt; &#60;b&#62; \\<a\\> a\\\nb  \nc<!-- comment --><?x?><![CDATA[y]]>",
        ])
    },
    check: |data| {
        let Ok(source) = std::str::from_utf8(data) else { return };
        let existing = References {
            pulls: [1].into(),
            issues: [2].into(),
            commits: [(COMMIT.to_owned(), COMMIT.to_owned())].into(),
        };
        let context = Context { web_url: "https://plinth.example", repo: Some("mona/rocket"), existing: &existing };
        let rendered = render(source, &context);
        harmless::assert_harmless(&rendered.html, source);
        assert!(rendered.html.len() <= HTML_BYTES_MAX && rendered.text.len() <= rendered.html.len() + 16);
        let plain = render_inline_plain(source);
        assert!(!plain.contains(['<', '>']), "{plain}");
        let mentioned = mentions(source);
        assert!(mentioned.len() <= MENTIONS_MAX);
        for login in &mentioned {
            assert!(login.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'), "{login:?}");
            assert!(source.contains(&format!("@{login}")), "{login:?}");
        }
    },
};
