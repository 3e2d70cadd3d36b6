//! Markdown to safe HTML, and to plain text.
//!
//! The result is always sanitized last, bounded in size, and rendered in bounded time. A text over a limit is shown as
//! typed.

mod cache;
mod links;
mod mention;
mod nesting;
mod parse;
mod plain;
mod sanitize;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

pub use cache::Cache;

/// Longer texts are truncated before they are shown.
pub const SOURCE_CHARACTERS_MAX: usize = 65_536;

/// Mentions of one text that count.
pub const MENTIONS_MAX: usize = 50;

/// Different pull requests, and different commits, that one text can link to.
pub const REFERENCES_MAX: usize = 50;

/// What rendering needs to know besides the text.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The URL above the pages of accounts, without a slash at the end.
    pub web_url: &'a str,
    /// The `owner/name` of the repository that the text is in.
    pub repo: Option<&'a str>,
    /// What is in that repository. References to anything else are not links.
    pub existing: &'a References,
}

/// Pull requests, issues and commits of one repository that a text refers to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct References {
    pub pulls: BTreeSet<i64>,
    /// Of a text, the same numbers as `pulls`: the text does not say which they are.
    pub issues: BTreeSet<i64>,
    /// The whole ids of commits by the digits in the text, all in lower case. Of a text, the digits themselves.
    pub commits: BTreeMap<String, String>,
}

impl References {
    /// What both have, with the ids of the other.
    pub fn intersection(&self, other: &Self) -> Self {
        Self {
            pulls: self.pulls.intersection(&other.pulls).copied().collect(),
            issues: self.issues.intersection(&other.issues).copied().collect(),
            commits: self
                .commits
                .keys()
                .filter_map(|digits| other.commits.get_key_value(digits))
                .map(|(digits, id)| (digits.clone(), id.clone()))
                .collect(),
        }
    }
}

/// A rendered text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    pub html: String,
    pub text: String,
}

/// Renders a comment: GitHub-flavoured Markdown in which a line break is a line break.
pub fn render(source: &str, context: &Context<'_>) -> Rendered {
    let html = parse::to_html(source, context).and_then(|parsed| match parsed.has_html_tags {
        true => sanitize::clean(&parsed.html),
        false => Some(sanitize::clean_once(&parsed.html)),
    });
    let mut html = html.unwrap_or_else(|| as_typed(source));
    html.truncate(html.trim_end_matches('\n').len());
    let text = plain::text_of(&html);
    Rendered { html, text }
}

/// What a text may refer to: callers look up which of it exists, for [`Context::existing`].
pub fn references(source: &str) -> References {
    links::references(source)
}

/// Renders a name or a title: no Markdown, only escaped.
pub fn render_inline_plain(text: &str) -> String {
    sanitize::clean_once(&plain::escape(text))
}

/// The first [`MENTIONS_MAX`] logins that a comment mentions with `@`, each once, in order.
///
/// Parsing takes up to a tenth of a second, so call this where blocking is fine, and never in a transaction.
pub fn mentions(source: &str) -> Vec<String> {
    parse::mentions(source)
}

fn as_typed(source: &str) -> String {
    let shown = match source.char_indices().nth(SOURCE_CHARACTERS_MAX) {
        Some((end, _)) => &source[..end],
        None => source,
    };
    sanitize::clean_once(&format!("<pre>{}</pre>", plain::escape(shown.trim_start_matches(['\r', '\n']))))
}
