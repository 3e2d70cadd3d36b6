//! Links from `@login`, `#1`, `owner/repo#1` and commit ids to their pages, except in code and in links.

use std::ops::Range;

use comrak::nodes::{Ast, AstNode, NodeValue};
use comrak::{Arena, Node};

use super::mention::{self, login_at};
use super::{Context, REFERENCES_MAX, References, plain};

/// The digits of the largest pull request number.
const DIGITS_MAX: usize = 10;
/// The digits of a commit id; shorter ones are ambiguous.
const SHA_DIGITS: usize = 40;
/// The digits that are shown of it.
const SHORT_SHA_DIGITS: usize = 7;

/// Part of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Link<'a> {
    Mention(&'a str),
    /// `#1`, or `owner/repo#1` with the repository.
    Pull {
        repo: Option<&'a str>,
        number: i64,
    },
    Commit(&'a str),
}

/// Replaces each mention, and each reference to something that exists, by a link.
pub(super) fn link<'a>(arena: &'a Arena<'a>, root: Node<'a>, context: &Context<'_>) {
    for node in mention::texts(root, may_link) {
        let NodeValue::Text(text) = node.data().value.clone() else { continue };
        let start = node.data().sourcepos.start;
        let anchors: Vec<_> = found_in(&text)
            .filter_map(|(range, link)| Some((anchor(&text[range.clone()], &link, context)?, range)))
            .collect();
        if anchors.is_empty() {
            continue;
        }
        let insert = |value| node.insert_before(arena.alloc(AstNode::from(Ast::new(value, start))));
        let mut done = 0;
        for (anchor, range) in anchors {
            if range.start > done {
                insert(NodeValue::Text(text[done..range.start].to_owned().into()));
            }
            insert(NodeValue::HtmlInline(anchor));
            done = range.end;
        }
        if done < text.len() {
            insert(NodeValue::Text(text[done..].to_owned().into()));
        }
        node.detach();
    }
}

/// What a text may refer to, as far as the limit allows. Code is not left out, so this is only what to look up.
pub(super) fn references(source: &str) -> References {
    let mut references = References::default();
    for (_, link) in found_in(source) {
        match link {
            Link::Pull { number, .. } if references.pulls.len() < REFERENCES_MAX => {
                references.pulls.insert(number);
                references.issues.insert(number);
            }
            Link::Commit(sha) if references.commits.len() < REFERENCES_MAX => {
                references.commits.insert(sha.to_ascii_lowercase());
            }
            Link::Mention(_) | Link::Pull { .. } | Link::Commit(_) => {}
        }
    }
    references
}

fn may_link(text: &str) -> bool {
    text.contains(['@', '#']) || text.len() >= SHA_DIGITS
}

/// The HTML of a link, unless there is nothing to link to.
fn anchor(shown: &str, link: &Link<'_>, context: &Context<'_>) -> Option<String> {
    let web = plain::escape(context.web_url);
    let repo = context.repo.map(plain::escape);
    match link {
        Link::Mention(login) => Some(format!("<a class=\"user-mention\" href=\"{web}/{login}\">@{login}</a>")),
        Link::Pull { repo: named, number } => {
            let is_here = named.is_none_or(|named| context.repo.is_some_and(|repo| repo.eq_ignore_ascii_case(named)));
            let page = match is_here {
                true if context.existing.pulls.contains(number) => "pull",
                true if context.existing.issues.contains(number) => "issues",
                _ => return None,
            };
            let (repo, shown) = (repo?, plain::escape(shown));
            Some(format!("<a class=\"issue-link\" href=\"{web}/{repo}/{page}/{number}\">{shown}</a>"))
        }
        Link::Commit(sha) => {
            let sha = sha.to_ascii_lowercase();
            if !context.existing.commits.contains(&sha) {
                return None;
            }
            let short = &sha[..SHORT_SHA_DIGITS];
            Some(format!("<a class=\"commit-link\" href=\"{web}/{}/commit/{sha}\"><tt>{short}</tt></a>", repo?))
        }
    }
}

/// Everything in a text that may become a link, in order and without overlap.
pub(super) fn found_in(text: &str) -> impl Iterator<Item = (Range<usize>, Link<'_>)> {
    let mut done = 0;
    text.char_indices().filter_map(move |(at, character)| {
        if at < done {
            return None;
        }
        let found = match character {
            '@' => login_at(text, at).map(|login| (at..at + 1 + login.len(), Link::Mention(login))),
            '#' => pull_at(text, at, done),
            character if character.is_ascii_hexdigit() => commit_at(text, at),
            _ => None,
        };
        if let Some((range, _)) = &found {
            done = range.end;
        }
        found
    })
}

/// The reference at a `#`, with the repository before it if that is named.
fn pull_at(text: &str, at: usize, from: usize) -> Option<(Range<usize>, Link<'_>)> {
    let rest = &text[at + 1..];
    let digits = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
    let is_number = (1..=DIGITS_MAX).contains(&digits) && !rest.starts_with('0');
    if !is_number || continues(&rest[digits..]) {
        return None;
    }
    let number = rest[..digits].parse().ok()?;
    let before = &text[from..at];
    let is_name = |character: char| character.is_ascii_alphanumeric() || "-_./".contains(character);
    let start = before
        .rfind(|character| !is_name(character))
        .map_or(0, |index| index + before[index..].chars().next().map_or(1, char::len_utf8));
    let repo = &before[start..];
    // A `#` in a word, a URL or an entity is no reference.
    if text[..from + start].ends_with(|character: char| character.is_alphanumeric() || "&@#:_".contains(character)) {
        return None;
    }
    let range = from + start..at + 1 + digits;
    if repo.is_empty() {
        return Some((range, Link::Pull { repo: None, number }));
    }
    let (owner, name) = repo.split_once('/')?;
    let is_repo = !owner.is_empty() && !name.is_empty() && !name.contains('/');
    is_repo.then_some((range, Link::Pull { repo: Some(repo), number }))
}

/// The commit id that begins here, unless it is part of a longer word.
fn commit_at(text: &str, at: usize) -> Option<(Range<usize>, Link<'_>)> {
    let is_inside = text[..at].ends_with(|character: char| character.is_alphanumeric() || "_-/.@#".contains(character));
    let sha = text.get(at..at + SHA_DIGITS)?;
    let is_sha = sha.bytes().all(|byte| byte.is_ascii_hexdigit());
    (!is_inside && is_sha && !continues(&text[at + SHA_DIGITS..])).then_some((at..at + SHA_DIGITS, Link::Commit(sha)))
}

/// Whether a word goes on.
fn continues(rest: &str) -> bool {
    rest.starts_with(|character: char| character.is_alphanumeric() || character == '_')
}
