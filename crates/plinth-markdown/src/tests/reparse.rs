//! A strict HTML parser that checks sanitized output.

use crate::sanitize::{
    ATTRIBUTES, FOOTNOTES_CLASS, LINK_CLASSES, NAME_PREFIX, SCHEMES, TAG_ATTRIBUTES, TAGS, clean_once,
};

/// Checks every tag, attribute and URL against the lists, and that sanitizing again changes nothing.
pub fn assert_clean(source: &str, html: &str) {
    assert_eq!(clean_once(html), html, "cleaning again changes the output of {source:?}");
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let tag = &rest[at + 1..];
        let (name, mut attributes) = split_name(tag.strip_prefix('/').unwrap_or(tag));
        assert!(TAGS.contains(&name), "tag {name:?} in {html:?} from {source:?}");
        while !attributes.starts_with('>') {
            attributes = attributes.trim_start_matches(' ');
            let (attribute, after) = attributes.split_once("=\"").unwrap_or_else(|| panic!("{html:?} from {source:?}"));
            let (value, after) = after.split_once('"').unwrap_or_else(|| panic!("{html:?} from {source:?}"));
            assert_allowed(name, attribute, value, source);
            attributes = after;
        }
        rest = &attributes[1..];
    }
    assert!(!html.contains("<!"), "{html:?} from {source:?}");
}

fn split_name(tag: &str) -> (&str, &str) {
    tag.split_at(tag.find(|character: char| !character.is_ascii_alphanumeric()).unwrap_or(tag.len()))
}

fn assert_allowed(tag: &str, attribute: &str, value: &str, source: &str) {
    let by_tag = TAG_ATTRIBUTES.iter().find(|(name, _)| *name == tag).map_or(&[][..], |(_, names)| names);
    let ours = match (tag, attribute) {
        ("a", "rel") => value == "nofollow",
        ("a", "class") => value.is_empty() || value.split(' ').all(|class| LINK_CLASSES.contains(&class)),
        ("section", "class") => value.is_empty() || value == FOOTNOTES_CLASS,
        ("input", "type") => value == "checkbox",
        ("input", "disabled" | "checked") => value.is_empty(),
        _ => ATTRIBUTES.contains(&attribute) || by_tag.contains(&attribute),
    };
    assert!(ours, "{tag} {attribute}={value:?} from {source:?}");
    match attribute {
        "href" | "src" => assert!(is_allowed_url(value), "{value:?} from {source:?}"),
        "id" | "name" => assert!(value.starts_with(NAME_PREFIX), "{value:?} from {source:?}"),
        _ => {}
    }
}

/// Parses a URL as a browser does: without control characters and outer spaces, and with a scheme of letters only.
fn is_allowed_url(value: &str) -> bool {
    let value = value.replace("&amp;", "&");
    let read: String = value.trim().chars().filter(|character| !character.is_control()).collect();
    let Some((scheme, _)) = read.split_once(':') else { return true };
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|character| character.is_ascii_alphanumeric() || "+-.".contains(character));
    !is_scheme || SCHEMES.contains(&scheme.to_ascii_lowercase().as_str())
}
