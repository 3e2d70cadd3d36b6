//! The last step: only known tags, attributes and schemes are left.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};

/// What a name that a user gave to a place starts with, so that it cannot be taken for one of ours.
pub(super) const NAME_PREFIX: &str = "user-content-";
pub(super) const SCHEMES: [&str; 3] = ["http", "https", "mailto"];

pub(super) const TAGS: [&str; 49] = [
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
    "ul",
    "var",
];

/// Attributes of a tag, apart from those that every tag may have.
pub(super) const TAG_ATTRIBUTES: [(&str, &[&str]); 10] = [
    ("a", &["href", "name"]),
    ("details", &["open"]),
    ("div", &["align"]),
    ("img", &["src", "alt", "width", "height", "align"]),
    ("input", &["type", "checked", "disabled"]),
    ("ol", &["start"]),
    ("p", &["align"]),
    ("pre", &["lang"]),
    ("td", &["align", "colspan", "rowspan"]),
    ("th", &["align", "colspan", "rowspan"]),
];

pub(super) const ATTRIBUTES: [&str; 3] = ["dir", "id", "title"];

/// How often cleaned HTML may change when it is cleaned again.
const ROUNDS_MAX: usize = 4;

/// Makes HTML safe to put into a page; nothing if that does not come to an end.
///
/// What is left when a tag is removed can be read in another way than before, which is how scripts have been smuggled
/// past sanitizers. So only what goes through unchanged is given out.
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

/// Makes HTML safe that has no tags which could move.
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

/// How much the sanitizer was given to do by this thread so far.
#[cfg(test)]
pub(super) fn steps() -> usize {
    STEPS.get()
}

/// Each tag is held against all that are open, as far as a reader without much knowledge of HTML can tell.
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
        .allowed_classes(HashMap::from([("a", HashSet::from(["user-mention"]))]))
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
        // Whatever it was written as, it is a box that shows a state and sends nothing.
        ("input", "type") => "checkbox".into(),
        _ => value.into(),
    }
}
