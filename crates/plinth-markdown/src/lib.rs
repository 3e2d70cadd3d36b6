//! Markdown to safe HTML, and to plain text.
//!
//! Whatever is written, the result is sanitized last, bounded in size and made in bounded time. What is over a limit is
//! shown as it was typed.

mod cache;
mod mention;
mod nesting;
mod parse;
mod plain;
mod sanitize;
#[cfg(test)]
mod tests;

pub use cache::Cache;

/// Longer texts are cut before they are shown.
pub const SOURCE_CHARACTERS_MAX: usize = 65_536;

/// More people than this are not named in one text by accident.
pub const MENTIONS_MAX: usize = 50;

/// What a text needs to know of its surroundings.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// Where pages of accounts are, without a slash at the end.
    pub web_url: &'a str,
}

/// A text made ready to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    pub html: String,
    pub text: String,
}

/// Renders a comment: GitHub-flavoured Markdown in which a line break is a line break.
pub fn render(source: &str, context: &Context<'_>) -> Rendered {
    let html = parse::to_html(source, context).and_then(|parsed| match parsed.has_written_tags {
        true => sanitize::clean(&parsed.html),
        false => Some(sanitize::clean_once(&parsed.html)),
    });
    let html = html.unwrap_or_else(|| as_typed(source));
    let text = plain::text_of(&html);
    Rendered { html, text }
}

/// Renders a name or a title: no Markdown, every character as it is.
pub fn render_inline_plain(text: &str) -> String {
    sanitize::clean_once(&plain::escape(text))
}

/// The first [`MENTIONS_MAX`] logins that a comment names with `@`, each once, in the order in which they are written.
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
