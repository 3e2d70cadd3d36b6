//! The last step: removes all but known tags, attributes and URL schemes.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};

/// The prefix of ids and names that a user writes, so that they cannot collide with ours.
pub(super) const NAME_PREFIX: &str = "user-content-";
pub(super) const SCHEMES: [&str; 3] = ["http", "https", "mailto"];

pub(super) const TAGS: [&str; 51] = [
    "a",
    "abbr",
    "b",
    "blockquote",
    "br",
    "cite",
    "code",
    "dd",
    "del",
    "details",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "img",
    "input",
    "ins",
    "kbd",
    "li",
    "mark",
    "ol",
    "p",
    "pre",
    "q",
    "s",
    "samp",
    "section",
    "small",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "tt",
    "ul",
    "var",
];

/// Attributes of single tags, in addition to those of every tag.
pub(super) const TAG_ATTRIBUTES: [(&str, &[&str]); 11] = [
    ("a", &["href", "name", "data-footnote-ref", "data-footnote-backref", "aria-label"]),
    ("details", &["open"]),
    ("div", &["align"]),
    ("img", &["src", "alt", "width", "height", "align"]),
    ("input", &["type", "checked", "disabled"]),
    ("ol", &["start"]),
    ("p", &["align"]),
    ("pre", &["lang"]),
    ("section", &["data-footnotes"]),
    ("td", &["align", "colspan", "rowspan"]),
    ("th", &["align", "colspan", "rowspan"]),
];

pub(super) const ATTRIBUTES: [&str; 3] = ["dir", "id", "title"];

pub(super) const LINK_CLASSES: [&str; 4] = ["user-mention", "issue-link", "commit-link", "footnote-backref"];
pub(super) const FOOTNOTES_CLASS: &str = "footnotes";
/// Links between footnotes and their references, whose ids get the prefix.
const FOOTNOTE_LINKS: [&str; 2] = ["#fn-", "#fnref-"];

/// How often sanitized HTML may change when it is sanitized again.
const ROUNDS_MAX: usize = 4;

/// Sanitizes HTML; `None` if repeated passes do not converge.
///
/// The rest after a tag is removed can parse differently, which has been used to pass scripts through sanitizers. So
/// only HTML that a second pass does not change is returned.
pub(super) fn clean(html: &str) -> Option<String> {
    let mut html = clean_once(html);
    for _ in 0..ROUNDS_MAX {
        let again = clean_once(&html);
        if again == html {
            return Some(html);
        }
        html = again;
    }
    None
}

/// Sanitizes HTML in one pass; only for HTML without tags from the text.
pub(super) fn clean_once(html: &str) -> String {
    static SANITIZER: LazyLock<Builder<'static>> = LazyLock::new(sanitizer);
    #[cfg(test)]
    STEPS.set(STEPS.get() + steps_of(html));
    SANITIZER.clean(html).to_string()
}

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The work of the sanitizer on this thread so far.
#[cfg(test)]
pub(super) fn steps() -> usize {
    STEPS.get()
}

/// An estimate: each tag is compared with all open ones.
#[cfg(test)]
fn steps_of(html: &str) -> usize {
    const NEVER_OPEN: [&str; 4] = ["br", "hr", "img", "input"];
    let mut open = 0usize;
    html.split('<').skip(1).fold(0, |steps, tag| {
        let name: &str = tag.split(|character: char| !character.is_ascii_alphanumeric()).next().unwrap_or_default();
        match tag.as_bytes().first() {
            Some(b'/') => open = open.saturating_sub(1),
            Some(first) if first.is_ascii_alphabetic() && !NEVER_OPEN.contains(&name) => open += 1,
            _ => {}
        }
        steps + 1 + open
    })
}

fn sanitizer() -> Builder<'static> {
    let mut builder = Builder::empty();
    let attributes: HashMap<_, HashSet<_>> =
        TAG_ATTRIBUTES.iter().map(|(tag, names)| (*tag, names.iter().copied().collect())).collect();
    builder
        .tags(HashSet::from(TAGS))
        .clean_content_tags(HashSet::from(["script", "style", "svg", "math", "iframe", "noembed", "noframes", "title"]))
        .tag_attributes(attributes)
        .generic_attributes(HashSet::from(ATTRIBUTES))
        .allowed_classes(HashMap::from([
            ("a", HashSet::from(LINK_CLASSES)),
            ("section", HashSet::from([FOOTNOTES_CLASS])),
        ]))
        .url_schemes(HashSet::from(SCHEMES))
        .url_relative(UrlRelative::PassThrough)
        .link_rel(Some("nofollow"))
        .attribute_filter(|tag, name, value| Some(filtered(tag, name, value)))
        .set_tag_attribute_value("input", "disabled", "");
    builder
}

fn filtered<'a>(tag: &str, name: &str, value: &'a str) -> Cow<'a, str> {
    match (tag, name) {
        (_, "id" | "name") if !value.starts_with(NAME_PREFIX) => format!("{NAME_PREFIX}{value}").into(),
        ("a", "href") if FOOTNOTE_LINKS.iter().any(|start| value.starts_with(start)) => {
            format!("#{NAME_PREFIX}{}", &value[1..]).into()
        }
        // Every input becomes a checkbox, which is disabled.
        ("input", "type") => "checkbox".into(),
        _ => value.into(),
    }
}
