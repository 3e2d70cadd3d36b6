//! Unified diffs: their lines with numbers, and the table that shows them.

use maud::{Markup, html};

use crate::model::{ChangedFile, FileStatus, Side};

/// What a line of a diff is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Hunk,
    Context,
    Addition,
    Deletion,
    Note,
}

/// One line of a diff, with its numbers in the two files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    pub kind: Kind,
    pub old: Option<i64>,
    pub new: Option<i64>,
    pub text: &'a str,
}

impl Line<'_> {
    /// Whether a comment at this line of this side is about it.
    pub fn is_at(&self, side: Side, number: i64) -> bool {
        match side {
            Side::Left => self.old == Some(number),
            Side::Right => self.new == Some(number),
        }
    }
}

/// The lines of a patch of one file.
pub fn parse(patch: &str) -> Vec<Line<'_>> {
    let (mut old, mut new) = (0, 0);
    let mut lines = Vec::new();
    for text in patch.lines() {
        let line = match text.as_bytes().first() {
            Some(b'@') => {
                (old, new) = starts(text).unwrap_or((old, new));
                Line { kind: Kind::Hunk, old: None, new: None, text }
            }
            Some(b'+') => Line { kind: Kind::Addition, old: None, new: Some(new), text: without_sign(text) },
            Some(b'-') => Line { kind: Kind::Deletion, old: Some(old), new: None, text: without_sign(text) },
            Some(b'\\') => Line { kind: Kind::Note, old: None, new: None, text },
            _ => Line { kind: Kind::Context, old: Some(old), new: Some(new), text: without_sign(text) },
        };
        old = old.wrapping_add(i64::from(line.old.is_some()));
        new = new.wrapping_add(i64::from(line.new.is_some()));
        lines.push(line);
    }
    lines
}

/// The first numbers of a hunk, from `@@ -1,2 +3,4 @@`.
fn starts(header: &str) -> Option<(i64, i64)> {
    let mut parts = header.split(' ').skip(1);
    let number = |part: &str, sign: char| part.strip_prefix(sign)?.split(',').next()?.parse().ok();
    Some((number(parts.next()?, '-')?, number(parts.next()?, '+')?))
}

/// A line without the sign that begins it.
pub fn without_sign(line: &str) -> &str {
    line.get(1..).unwrap_or_default()
}

/// One row of the table. Classes and cells are short, because a page has hundreds.
pub fn row(line: &Line<'_>) -> Markup {
    let class = match line.kind {
        Kind::Hunk => "h",
        Kind::Context => "",
        Kind::Addition => "a",
        Kind::Deletion => "d",
        Kind::Note => "n",
    };
    html! {
        tr class=[(!class.is_empty()).then_some(class)] {
            @if line.kind == Kind::Hunk { td colspan="3" { (line.text) } }
            @else {
                td { @if let Some(number) = line.old { (number) } }
                td { @if let Some(number) = line.new { (number) } }
                td { (line.text) }
            }
        }
    }
}

/// A whole patch without comments.
pub fn table(lines: &[Line<'_>]) -> Markup {
    html! { table class="diff" { tbody { @for line in lines { (row(line)) } } } }
}

/// The name of a file, with what happened to it.
pub fn file_title(file: &ChangedFile) -> Markup {
    html! {
        @if let Some(previous) = &file.previous_filename { (previous) " → " }
        b { (file.filename) }
        " " span class="soft" { (file.status.word()) }
        " " (change_counts(file.additions, file.deletions))
    }
}

pub fn change_counts(additions: i64, deletions: i64) -> Markup {
    html! { span class="counts" { ins { "+" (additions) } " " del { "−" (deletions) } } }
}

/// A file of a commit or a comparison. Where `elsewhere` has a URL, its lines are there, to be loaded when it is opened.
pub fn file(file: &ChangedFile, elsewhere: Option<&str>) -> Markup {
    html! {
        details class="file box" open[elsewhere.is_none()] data-path=(file.filename) data-load=[elsewhere]
            data-raw=[content_url(file)] {
            summary { (file_title(file)) }
            @match (elsewhere, &file.patch) {
                (Some(url), _) => p class="padded" { a href=(url) { "Show this file" } },
                (None, Some(patch)) => (table(&parse(patch))),
                (None, None) => p class="padded soft" { "Binary, or too large to show here." },
            }
        }
    }
}

/// Where a script loads the lines that a diff leaves out; `None` if it leaves out none.
pub fn content_url(file: &ChangedFile) -> Option<&str> {
    let is_partial = !matches!(file.status, FileStatus::Added | FileStatus::Removed) && file.patch.is_some();
    file.raw_url.as_deref().filter(|_| is_partial)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_numbers_of_their_files() {
        let lines = parse(
            "@@ -3,3 +3,4 @@ fn a()\n one\n-two\n+2\n+2.5\n three\n\\ No newline at end of file\n@@ -20 +21 @@\n-x\n+y",
        );
        let shown: Vec<_> = lines.iter().map(|line| (line.kind, line.old, line.new, line.text)).collect();
        assert_eq!(shown[1], (Kind::Context, Some(3), Some(3), "one"));
        assert_eq!(shown[2], (Kind::Deletion, Some(4), None, "two"));
        assert_eq!(shown[3], (Kind::Addition, None, Some(4), "2"));
        assert_eq!(shown[4], (Kind::Addition, None, Some(5), "2.5"));
        assert_eq!(shown[5], (Kind::Context, Some(5), Some(6), "three"));
        assert_eq!(shown[6].0, Kind::Note);
        assert_eq!(shown[8], (Kind::Deletion, Some(20), None, "x"));
        assert_eq!(shown[9], (Kind::Addition, None, Some(21), "y"));
    }

    #[test]
    fn hostile_patches_do_not_panic() {
        for patch in ["", "@@", "@@ -x +y @@\n+", "é\n+é", "@@ -9223372036854775807 +1 @@\n a"] {
            parse(patch);
        }
    }
}
