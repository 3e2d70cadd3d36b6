//! Markdown to unsanitized HTML, within limits.

use std::time::{Duration, Instant};

use comrak::arena_tree::NodeEdge;
use comrak::nodes::NodeValue;
use comrak::{Arena, Node, Options};

use super::{Context, SOURCE_CHARACTERS_MAX, links, mention, nesting};

/// Deeper documents are shown as typed; the sanitizer's time grows with the square of the depth.
const DEPTH_MAX: usize = 100;
/// Some short texts become long HTML, such as a table with only a head.
const HTML_BYTES_MAX: usize = 1024 * 1024;
/// Time for parsing. The limits above bound the steps after it.
const PARSE_TIME_MAX: Duration = Duration::from_millis(100);

/// HTML that still has to be sanitized.
pub(super) struct Unsafe {
    pub html: String,
    /// The text contains HTML tags, which may be nested in any way.
    pub has_html_tags: bool,
}

/// `None` if the text is over a limit.
pub(super) fn to_html(source: &str, context: &Context<'_>) -> Option<Unsafe> {
    if source.chars().nth(SOURCE_CHARACTERS_MAX).is_some() {
        return None;
    }
    let deadline = Instant::now() + PARSE_TIME_MAX;
    let options = options();
    let arena = Arena::new();
    let root = comrak::try_parse_document(&arena, source, &options, &|| Instant::now() >= deadline).ok()?;
    if !is_shallow(root) {
        return None;
    }
    let has_html_tags = root.descendants().any(is_html_tag);
    links::link(&arena, root, context);
    let mut html = Bounded(String::new());
    comrak::format_html(root, &options, &mut html).ok()?;
    nesting::is_harmless(&html.0).then_some(Unsafe { html: html.0, has_html_tags })
}

/// The logins that would become links; empty if the text is over a limit.
pub(super) fn mentions(source: &str) -> Vec<String> {
    if source.chars().nth(SOURCE_CHARACTERS_MAX).is_some() || !source.contains('@') {
        return Vec::new();
    }
    let deadline = Instant::now() + PARSE_TIME_MAX;
    let arena = Arena::new();
    match comrak::try_parse_document(&arena, source, &options(), &|| Instant::now() >= deadline) {
        Ok(root) if is_shallow(root) => mention::names(root),
        Ok(_) | Err(_) => Vec::new(),
    }
}

fn is_html_tag(node: Node<'_>) -> bool {
    matches!(node.data().value, NodeValue::HtmlBlock(_) | NodeValue::HtmlInline(_))
}

fn options() -> Options<'static> {
    let mut options = Options::default();
    options.extension.strikethrough = true;
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    options.extension.shortcodes = true;
    options.render.hardbreaks = true;
    options.render.github_pre_lang = true;
    // HTML passes through, because the sanitizer comes after it.
    options.render.r#unsafe = true;
    options
}

fn is_shallow(root: Node<'_>) -> bool {
    let mut depth = 0;
    for edge in root.traverse() {
        match edge {
            NodeEdge::Start(_) => depth += 1,
            NodeEdge::End(_) => depth -= 1,
        }
        if depth > DEPTH_MAX {
            return false;
        }
    }
    true
}

/// A text with a limit on its size, so that rendering stops at the limit.
struct Bounded(String);

impl std::fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        if self.0.len() + text.len() > HTML_BYTES_MAX {
            return Err(std::fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}
