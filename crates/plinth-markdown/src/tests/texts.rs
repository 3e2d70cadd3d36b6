//! Pathological texts from the advisories of several renderers; the tests over HTTP use them too.

/// The longest text that is rendered.
pub const CHARACTERS_MAX: usize = 65_536;

/// All texts, with a description of each.
pub fn texts() -> Vec<(&'static str, String)> {
    [inline_texts(), block_texts(), html_texts(), other_texts()].concat()
}

/// The full length is for an optimized build, where times are measured.
const LENGTH: usize = if cfg!(debug_assertions) { CHARACTERS_MAX / 8 } else { CHARACTERS_MAX };

fn filled(piece: &str) -> String {
    piece.repeat(LENGTH / piece.chars().count())
}

/// As [`filled`], with room for a few words around it.
fn nearly_filled(piece: &str) -> String {
    piece.repeat((LENGTH - 100) / piece.chars().count())
}

fn counted(piece: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for number in 0.. {
        let next = piece(number);
        if text.len() + next.len() > LENGTH - 100 {
            break;
        }
        text.push_str(&next);
    }
    text
}

fn halves(open: &str, middle: &str, close: &str) -> String {
    let count = (LENGTH - middle.len()) / (open.len() + close.len());
    format!("{}{middle}{}", open.repeat(count), close.repeat(count))
}

fn inline_texts() -> Vec<(&'static str, String)> {
    vec![
        ("deep quotes", filled("> ")),
        ("deep quotes without spaces", filled(">")),
        ("open brackets", filled("[")),
        ("bracket pairs", halves("[", "a", "]")),
        ("link starts", filled("[a](")),
        ("link starts with brackets", filled("[a](<b")),
        ("nested links", halves("[", "a", "](b)")),
        ("image starts", filled("![")),
        ("stars", filled("*")),
        ("star words", filled("*a ")),
        ("nested emphasis", halves("*a ", "b", " a*")),
        ("stars and underscores", filled("*a_ ")),
        ("strong starts", filled("a**b")),
        ("underscores", filled("_a __b ")),
        ("tildes", filled("~~a ")),
        ("backtick runs", counted(|number| format!("a{}", "`".repeat(number + 1)))),
        ("backticks", filled("`a")),
        ("fences", filled("```\n")),
        ("reference definitions", counted(|number| format!("[{number}]: x\n"))),
        ("one reference many times", format!("[a]: {}\n\n{}", "x".repeat(1000), "[a]".repeat((LENGTH - 1100) / 3))),
    ]
}

fn block_texts() -> Vec<(&'static str, String)> {
    let columns = LENGTH / 16;
    vec![
        ("wide table", format!("{}\n{}\n{}", "|a".repeat(columns), "|-".repeat(columns), "|\n".repeat(columns * 5))),
        ("long table", format!("|a|\n|-|\n{}", nearly_filled("|b|\n"))),
        ("table that just fits", format!("{}\n{}\n{}", "|a".repeat(200), "|-".repeat(200), "|\n".repeat(LENGTH / 145))),
        ("table heads", filled("|a|\n|-|\n\n")),
        ("footnotes", counted(|number| format!("[^{number}]: a\n[^{number}]\n"))),
        ("one footnote many times", format!("[^a]: b\n\n{}", nearly_filled("[^a]"))),
        ("nested lists", counted(|number| format!("{}- a\n", "  ".repeat(number)))),
        ("list starts in a line", filled("- ")),
        ("numbered starts in a line", filled("1. ")),
        ("mixed list and quote starts", filled("> - ")),
    ]
}

fn html_texts() -> Vec<(&'static str, String)> {
    let few_bold = |bold: usize, rest: &str| {
        let head: String = (0..bold).map(|number| format!("<b id={number}>")).collect();
        let count = (LENGTH - head.len() - 8) / rest.len();
        format!("<div>{head}\n\n{}", rest.repeat(count))
    };
    let few_attributes = |bold: usize, rest: &str| {
        let attributes: String = (0..60).map(|number| format!(" a{number}")).collect();
        let head: String = (0..bold).map(|number| format!("<b id={number}{attributes}>")).collect();
        format!("<div>{head}\n\n{}", rest.repeat((LENGTH - head.len() - 8) / rest.len()))
    };
    vec![
        ("html divs", filled("<div>")),
        ("html spans", filled("<span>")),
        ("html bold", filled("<b>")),
        ("html bold that differ", counted(|number| format!("<b id={number}>"))),
        ("a hundred open bolds before many paragraphs", few_bold(100, "a\n\n")),
        ("ten open bolds before many paragraphs", few_bold(10, "a\n\n")),
        ("four open bolds before many paragraphs", few_bold(4, "a\n\n")),
        ("open bolds with many attributes", few_attributes(3, "a\n\n")),
        (
            "many open divs before many paragraphs",
            format!("{}\n\n{}", "<div>".repeat(120), "a\n\n".repeat((LENGTH - 700) / 3)),
        ),
        (
            "many open divs before many bolds",
            format!("{}{}", "<div>".repeat(120), "<b>a</b>".repeat((LENGTH - 700) / 8)),
        ),
        ("bolds closed in the wrong order", few_bold(100, "<p>a</b>\n\n")),
        ("bolds closed in comments", counted(|number| format!("<div><b id={number}><!-- </b> --></div>\n\n"))),
        ("bolds closed in attributes", counted(|number| format!("<b id={number} title='</b>'>"))),
        ("bolds closed in titles", counted(|number| format!("<b id={number}><title></b></title>"))),
        ("html tables", filled("<table><tr><td>")),
        ("html tables and text", filled("<table>a")),
        ("html links in tables", filled("<a><table>")),
        ("html selects", filled("<select><option>")),
        ("html lists", filled("<ul><li>")),
        ("html comments", filled("<!-- ")),
        ("html comment ends", filled("<!-- --!>")),
        ("html declarations", filled("<!A ")),
        ("html instructions", filled("<?")),
        ("html sections", filled("<![CDATA[")),
        ("html svg and math", filled("<svg><math>")),
        ("html attributes", format!("<a {}>", counted(|number| format!("a{number} ")))),
        ("html attributes without spaces", format!("<a {}>", nearly_filled("b=\"\""))),
        ("html attributes with slashes", format!("<a {}>", counted(|number| format!("/a{number}")))),
        ("unclosed html", filled("<a href=\"")),
        ("angle brackets", filled("<")),
        ("closing tags", filled("</b>")),
        ("closing paragraphs", filled("</p>")),
    ]
}

fn other_texts() -> Vec<(&'static str, String)> {
    vec![
        ("entities", filled("&amp;")),
        ("ampersands", filled("&")),
        ("mentions", filled("@a ")),
        ("mentions that just fit", "@a ".repeat(LENGTH / 6)),
        ("ats", filled("@")),
        ("URLs", filled("www.a.b ")),
        ("email addresses", filled("a@b.c ")),
        ("mail starts", filled("a@b")),
        ("URL with brackets", format!("www.a.b/{}", nearly_filled(")"))),
        ("URL of entities", format!("www.a.b/{}", nearly_filled("&a;"))),
        ("breaks", filled("a\n")),
        ("backslashes", filled("\\")),
        ("escaped brackets", filled("\\[")),
        ("headings", filled("# a\n")),
        ("underlines", filled("a\n-\n")),
        ("spaces", filled(" ")),
        ("tabs", filled("\t")),
        ("task boxes", filled("- [ ] a\n")),
        ("zero characters", filled("\0")),
        ("colons", filled(":")),
        ("schemes", filled("http://")),
    ]
}
