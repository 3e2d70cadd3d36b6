//! Mentions: `@login`, except in code and in links.

use comrak::Node;
use comrak::nodes::NodeValue;

use super::MENTIONS_MAX;

/// The longest possible login.
const LOGIN_LENGTH_MAX: usize = 39;
/// HTML tags in which a name is not a mention.
const OPAQUE_TAGS: [&str; 5] = ["a", "code", "kbd", "pre", "tt"];

/// The logins of the first mentions, each once.
pub(super) fn names(root: Node<'_>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for node in texts(root, |text| text.contains('@')) {
        let NodeValue::Text(text) = &node.data().value else { continue };
        for login in text.match_indices('@').filter_map(|(at, _)| login_at(text, at)) {
            if names.len() == MENTIONS_MAX {
                return names;
            }
            if !names.iter().any(|name| name.eq_ignore_ascii_case(login)) {
                names.push(login.to_owned());
            }
        }
    }
    names
}

/// The text nodes outside of code and links that match a condition.
pub(super) fn texts<'a>(root: Node<'a>, matches: impl Fn(&str) -> bool) -> Vec<Node<'a>> {
    let mut opaque_depth = 0i32;
    let mut texts = Vec::new();
    for node in root.descendants() {
        match &node.data().value {
            NodeValue::HtmlInline(tag) => opaque_depth = (opaque_depth + opaque_step(tag)).max(0),
            NodeValue::Text(text) if opaque_depth == 0 && matches(text) && !is_in_link(node) => texts.push(node),
            _ => {}
        }
    }
    texts
}

fn opaque_step(tag: &str) -> i32 {
    let (name, step) = match tag.strip_prefix("</") {
        Some(name) => (name, -1),
        None => (tag.trim_start_matches('<'), 1),
    };
    let end = name.find(|character: char| !character.is_ascii_alphanumeric()).unwrap_or(name.len());
    let is_opaque = OPAQUE_TAGS.iter().any(|opaque| opaque.eq_ignore_ascii_case(&name[..end]));
    if is_opaque { step } else { 0 }
}

fn is_in_link(node: Node<'_>) -> bool {
    node.ancestors().any(|above| matches!(above.data().value, NodeValue::Link(_) | NodeValue::Image(_)))
}

/// The login after the `@` at an offset, unless it is part of an email address, a path or a longer word.
pub(super) fn login_at(text: &str, at: usize) -> Option<&str> {
    let before = text[..at].chars().next_back();
    if before.is_some_and(|character| character.is_alphanumeric() || "_/@.".contains(character)) {
        return None;
    }
    let rest = &text[at + 1..];
    let end = rest.find(|character: char| !character.is_ascii_alphanumeric() && character != '-').unwrap_or(rest.len());
    let login = &rest[..end];
    let is_login =
        !login.is_empty() && login.len() <= LOGIN_LENGTH_MAX && !login.starts_with('-') && !login.ends_with('-');
    let after = rest[end..].trim_start_matches('.').chars().next();
    let goes_on = after.is_some_and(|character| character.is_alphanumeric() || "_/@".contains(character));
    (is_login && !goes_on).then_some(login)
}
