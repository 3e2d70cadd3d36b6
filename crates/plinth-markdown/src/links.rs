//! Links from `@login`, `#1`, `owner/repo#1`, commit ids, `user@id` and `owner/repo@id` to their pages, except in code and in
//! links.

use std::ops::Range;

use comrak::nodes::{Ast, AstNode, NodeValue};
use comrak::{Arena, Node};

use super::mention::{self, login_at};
use super::{Context, REFERENCES_MAX, References, plain};

/// The digits of the largest pull request number.
const DIGITS_MAX: usize = 10;
/// The digits of a commit id.
const SHA_DIGITS: usize = 40;
/// The digits that are shown of it; a text must have as many.
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
    /// At least [`SHORT_SHA_DIGITS`] digits, with the user or the repository before them if that is named.
    Commit {
        repo: Option<&'a str>,
        digits: &'a str,
    },
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
            Link::Commit { digits, .. } if references.commits.len() < REFERENCES_MAX => {
                let digits = digits.to_ascii_lowercase();
                references.commits.insert(digits.clone(), digits);
            }
            Link::Mention(_) | Link::Pull { .. } | Link::Commit { .. } => {}
        }
    }
    references
}

fn may_link(text: &str) -> bool {
    text.contains(['@', '#']) || text.len() >= SHORT_SHA_DIGITS
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
        Link::Commit { repo: named, digits } => {
            if !named.is_none_or(|named| is_here(named, context)) {
                return None;
            }
            let sha = context.existing.commits.get(&digits.to_ascii_lowercase())?;
            let (short, named) = (
                sha.get(..SHORT_SHA_DIGITS)?,
                named.map_or(String::new(), |named| format!("{}@", plain::escape(named))),
            );
            Some(format!("<a class=\"commit-link\" href=\"{web}/{}/commit/{sha}\">{named}<tt>{short}</tt></a>", repo?))
        }
    }
}

/// Whether a name before an `@` is that of the repository or of its owner.
fn is_here(named: &str, context: &Context<'_>) -> bool {
    context.repo.is_some_and(|repo| {
        let owner = repo.split('/').next().unwrap_or_default();
        repo.eq_ignore_ascii_case(named) || owner.eq_ignore_ascii_case(named)
    })
}

/// Everything in a text that may become a link, in order and without overlap.
pub(super) fn found_in(text: &str) -> impl Iterator<Item = (Range<usize>, Link<'_>)> {
    let mut done = 0;
    text.char_indices().filter_map(move |(at, character)| {
        if at < done {
            return None;
        }
        let found = match character {
            '@' => commit_in_repo_at(text, at, done)
                .or_else(|| login_at(text, at).map(|login| (at..at + 1 + login.len(), Link::Mention(login)))),
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
    let (start, repo) = name_before(text, at, from)?;
    let range = start..at + 1 + digits;
    if repo.is_empty() {
        return Some((range, Link::Pull { repo: None, number }));
    }
    is_repo(repo).then_some((range, Link::Pull { repo: Some(repo), number }))
}

/// The name that ends here, which may be empty, and where it begins. In a URL or an entity there is none.
fn name_before(text: &str, at: usize, from: usize) -> Option<(usize, &str)> {
    let before = &text[from..at];
    let is_name = |character: char| character.is_ascii_alphanumeric() || "-_./".contains(character);
    let start = before
        .rfind(|character| !is_name(character))
        .map_or(0, |index| index + before[index..].chars().next().map_or(1, char::len_utf8));
    let is_inside =
        text[..from + start].ends_with(|character: char| character.is_alphanumeric() || "&@#:_".contains(character));
    (!is_inside).then_some((from + start, &before[start..]))
}

fn is_repo(text: &str) -> bool {
    text.split_once('/').is_some_and(|(owner, name)| !owner.is_empty() && !name.is_empty() && !name.contains('/'))
}

/// The commit id that begins here, unless it is part of a longer word.
fn commit_at(text: &str, at: usize) -> Option<(Range<usize>, Link<'_>)> {
    let is_inside = text[..at].ends_with(|character: char| character.is_alphanumeric() || "_-/.@#".contains(character));
    if is_inside {
        return None;
    }
    let digits = digits_at(text, at)?;
    Some((at..at + digits.len(), Link::Commit { repo: None, digits }))
}

/// The commit id after an `@`, with the user or the repository before it.
fn commit_in_repo_at(text: &str, at: usize, from: usize) -> Option<(Range<usize>, Link<'_>)> {
    let digits = digits_at(text, at + 1)?;
    let (start, name) = name_before(text, at, from)?;
    let is_name = is_repo(name) || (!name.is_empty() && !name.contains('/'));
    is_name.then_some((start..at + 1 + digits.len(), Link::Commit { repo: Some(name), digits }))
}

/// The digits of a commit id that begin here and end with the word.
fn digits_at(text: &str, at: usize) -> Option<&str> {
    let rest = &text[at..];
    let length = rest.find(|character: char| !character.is_ascii_hexdigit()).unwrap_or(rest.len());
    ((SHORT_SHA_DIGITS..=SHA_DIGITS).contains(&length) && !continues(&rest[length..])).then_some(&rest[..length])
}

/// Whether a word goes on.
fn continues(rest: &str) -> bool {
    rest.starts_with(|character: char| character.is_alphanumeric() || character == '_')
}
