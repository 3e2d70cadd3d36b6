//! Pathological texts. The work of each step is bounded by the size of its input, which is counted here; times are
//! measured in an optimized build, with a target of 200 ms.

use std::time::Instant;

use super::rendered;
use super::reparse::assert_clean;
use super::texts::{CHARACTERS_MAX, texts};
use crate::{SOURCE_CHARACTERS_MAX, sanitize};

/// The limit of the HTML, and what escaping and `rel` may add to it.
const HTML_BYTES_MAX: usize = 3 * 1024 * 1024;
/// The sanitizer compares each tag with the open ones, so its steps are tags times depth. The limits keep them to a
/// multiple of the length for any text.
const STEPS_PER_CHARACTER_MAX: usize = 200;

#[test]
fn pathological_text_is_rendered_within_limits() {
    assert_eq!(CHARACTERS_MAX, SOURCE_CHARACTERS_MAX);
    for (name, text) in texts() {
        assert!(text.chars().count() <= SOURCE_CHARACTERS_MAX, "{name}");
        let (start, before) = (Instant::now(), sanitize::steps());
        let shown = rendered(&text);
        let (taken, steps) = (start.elapsed(), sanitize::steps() - before);
        if std::env::var_os("SHOW_TIMES").is_some() {
            eprintln!("{:>6} ms {steps:>9} steps {:>8} bytes {name}", taken.as_millis(), shown.html.len());
        }
        assert!(steps <= STEPS_PER_CHARACTER_MAX * text.chars().count(), "{name} took {steps} steps");
        assert!(shown.html.len() <= HTML_BYTES_MAX, "{name} gave {} bytes", shown.html.len());
        assert_clean(name, &shown.html);
    }
}

#[test]
fn text_over_a_limit_is_shown_as_typed() {
    for text in ["> ".repeat(200), "<div>".repeat(600), format!("<a {}>", "x ".repeat(70)), "@a ".repeat(20_000)] {
        let shown = rendered(&text);
        assert!(shown.html.starts_with("<pre>"), "{}", &shown.html[..200]);
        assert_eq!(shown.text, text.trim());
    }
    let ordinary = "> - **a** `b` <kbd>c</kbd>\n".repeat(500);
    assert!(!rendered(&ordinary).html.starts_with("<pre>"));
}
