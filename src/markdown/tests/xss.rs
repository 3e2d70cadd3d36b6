//! Attempts to get a script, a style or a false form into a page.

use proptest::prelude::*;

use super::reparse::assert_clean;
use super::{CONTEXT, rendered};
use crate::markdown::{Context, render, render_inline_plain, sanitize};

const ATTEMPTS: &[&str] = &[
    // Plain tags and handlers.
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<img src=x onerror=alert(1)>",
    "<img src=x onerror\x0b=alert(1)>",
    "<img/src='x'/onerror=alert(1)>",
    "<body onload=alert(1)>",
    "<details open ontoggle=alert(1)>x</details>",
    "<input autofocus onfocus=alert(1)>",
    "<select><option><img src=x onerror=alert(1)></select>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<video><source onerror=alert(1)></video>",
    "<audio src=x onerror=alert(1)>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=javascript:alert(1)></object>",
    "<embed src=javascript:alert(1)>",
    "<form action=javascript:alert(1)><button>x</button></form>",
    "<button formaction=javascript:alert(1)>x</button>",
    "<isindex type=image src=1 onerror=alert(1)>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    "<base href=javascript:alert(1)//>",
    "<p style='background:url(javascript:alert(1))'>x</p>",
    "<div style=\"position:fixed;inset:0\">x</div>",
    "<style>*{background:url(//evil.example)}</style>",
    "<a href=x class='btn admin' style=x target=_blank ping=//evil.example>x</a>",
    // Addresses of scripts, written in many ways.
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java&#x73;cript:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](javascript&#58;alert(1))",
    "[x](\x01javascript:alert(1))",
    "[x](<java\tscript:alert(1)>)",
    "[x](%6a%61vascript:alert(1))",
    "[x](vbscript:msgbox(1))",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](file:///etc/passwd)",
    "[x](blob:https://example.com/1)",
    "[x]: javascript:alert(1)\n\n[x]",
    "<javascript:alert(1)>",
    "<data:text/html,x>",
    "![x](javascript:alert(1))",
    "![x](data:image/svg+xml;base64,PHN2Zy8+)",
    "<a href=\"java\nscript:alert(1)\">x</a>",
    "<a href=\" &#14; javascript:alert(1)\">x</a>",
    "<a href=\"javascript&NewLine;:alert(1)\">x</a>",
    "<a href='feed:javascript:alert(1)'>x</a>",
    "<img src='http://x' srcset='javascript:alert(1) 1x' longdesc=javascript:alert(1)>",
    "<a xlink:href=javascript:alert(1)>x</a>",
    // Breaking out of attributes and constructs of Markdown.
    "[x](https://example.com \"onmouseover=alert(1) x='\")",
    "[x](https://example.com/\"onmouseover=alert(1))",
    "![\"onerror=alert(1) x=\"](https://example.com/a.png)",
    "![x](https://example.com/a.png \"'><script>alert(1)</script>\")",
    "```\"><script>alert(1)</script>\nx\n```",
    "```x onload=alert(1)\nx\n```",
    "`</code><script>alert(1)</script>`",
    "| a |\n|-|\n| <script>alert(1)</script> |",
    "https://example.com/\"onmouseover=\"alert(1)",
    "www.example.com/<script>alert(1)</script>",
    "mailto:a@example.com?x=<script>",
    // Task lists.
    "- [x] <script>alert(1)</script>",
    "- [x]<input type=text name=password onchange=alert(1)>",
    "- [ ] <input type=image src=javascript:alert(1)>",
    "<input type=submit formaction=//evil.example value=Go>",
    // Mentions.
    "@alice\" onmouseover=\"alert(1)",
    "@<script>alert(1)</script>",
    "@alice<img src=x onerror=alert(1)>",
    "<a href=\"@alice\" title='@bob'>@carol</a>",
    // Other languages in HTML, and texts that change when they are read twice.
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><a xlink:href=javascript:alert(1)><text>x</text></a></svg>",
    "<svg><animate attributeName=href values=javascript:alert(1) /></svg>",
    "<math><maction actiontype=statusline xlink:href=javascript:alert(1)>x</maction></math>",
    "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
    "<svg></p><style><a id=\"</style><img src=1 onerror=alert(1)>\">",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
    "<template><img src=x onerror=alert(1)></template>",
    "<textarea><img title='</textarea><img src=x onerror=alert(1)>'>",
    "<title><img title='</title><img src=x onerror=alert(1)>'>",
    "<xmp><img title='</xmp><img src=x onerror=alert(1)>'>",
    "<noembed><img title='</noembed><img src=x onerror=alert(1)>'>",
    "<plaintext><script>alert(1)</script>",
    "<svg><![CDATA[><img src=x onerror=alert(1)>]]></svg>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<!-- --!><img src=x onerror=alert(1)> -->",
    "<?xml version=1?><script>alert(1)</script>",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<table><td><a href=javascript:alert(1)><table><td>x",
    "<b><p></b><script>alert(1)</script>",
    "<p id=window name=document><img name=getElementById id=cookie>",
    "<a id=constructor name=__proto__></a>",
    "<<script>script>alert(1)<</script>/script>",
    "<scr\0ipt>alert(1)</script>",
    "<img src=\"x` `<script>alert(1)</script>\"` `>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "\\<script>alert(1)\\</script>",
    "<ſcript>alert(1)</ſcript>",
    "[a]: <javascript:alert(1)> 'x'\n[a][a] <div\nonclick=alert(1)\n>",
];

#[test]
fn no_attempt_gets_through() {
    for attempt in ATTEMPTS {
        for source in [(*attempt).to_owned(), format!("> - {attempt}"), format!("text {attempt} text\n\n{attempt}")] {
            let shown = rendered(&source);
            assert_clean(&source, &shown.html);
            assert_clean(&source, &sanitize::clean(&source).unwrap_or_default());
        }
        assert_clean(attempt, &render_inline_plain(attempt));
        assert!(!render_inline_plain(attempt).contains('<'), "{attempt}");
    }
    assert!(ATTEMPTS.len() >= 60);
}

#[test]
fn a_hostile_address_of_the_service_stays_an_address() {
    let context = Context { web_url: "https://x.example/\"><script>alert(1)</script>" };
    assert_clean("@alice", &render("@alice", &context).html);
}

#[test]
fn the_checker_itself_sees_what_is_not_clean() {
    for unclean in
        ["<script>", "<p onclick=\"x\">", "<a href=\"javascript:x\" rel=\"nofollow\">", "<p id=\"x\"></p>", "<!--x-->"]
    {
        assert!(std::panic::catch_unwind(|| assert_clean("", unclean)).is_err(), "{unclean}");
    }
}

/// Pieces that mean something to one of the readers on the way.
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
    fn nothing_made_of_dangerous_pieces_gets_through(source in soup()) {
        assert_clean(&source, &render(&source, &CONTEXT).html);
        assert_clean(&source, &render_inline_plain(&source));
        if let Some(html) = sanitize::clean(&source) {
            prop_assert_eq!(sanitize::clean(&html), Some(html.clone()));
            assert_clean(&source, &html);
        }
    }
}
