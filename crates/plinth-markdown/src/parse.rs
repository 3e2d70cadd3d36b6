//! Markdown to HTML that is not yet safe, within limits.

use std::time::{Duration, Instant};

use comrak::arena_tree::NodeEdge;
use comrak::nodes::NodeValue;
use comrak::{Arena, Node, Options};

use super::{Context, SOURCE_CHARACTERS_MAX, mention, nesting};

/// Deeper documents are shown as typed; the sanitizer's time grows with the square of the depth.
const DEPTH_MAX: usize = 100;
/// Some short texts make long HTML, such as a table of which only the head is filled.
const HTML_BYTES_MAX: usize = 1024 * 1024;
/// What parsing may take on a slow machine. The limits above keep the steps after it short.
const PARSE_TIME_MAX: Duration = Duration::from_millis(100);

/// HTML that still has to be sanitized.
pub(super) struct Unsafe {
    pub html: String,
    /// Some tags were written by hand, and may be nested in any way.
    pub has_written_tags: bool,
}

/// Nothing if the text goes beyond a limit.
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
    let has_written_tags = root.descendants().any(is_written_tag);
    mention::link(&arena, root, context);
    let mut html = Bounded(String::new());
    comrak::format_html(root, &options, &mut html).ok()?;
    nesting::is_harmless(&html.0).then_some(Unsafe { html: html.0, has_written_tags })
}

/// What would become links to accounts; nothing if the text goes beyond a limit.
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

fn is_written_tag(node: Node<'_>) -> bool {
    matches!(node.data().value, NodeValue::HtmlBlock(_) | NodeValue::HtmlInline(_))
}

fn options() -> Options<'static> {
    let mut options = Options::default();
    options.extension.strikethrough = true;
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.tasklist = true;
    options.render.hardbreaks = true;
    options.render.github_pre_lang = true;
    // Written HTML goes through, because the sanitizer comes after it.
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

/// Text that refuses to grow beyond the limit, so that nothing is made only to be thrown away.
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
