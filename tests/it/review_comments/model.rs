//! Diff rows and line movements of a file according to git.

use std::collections::HashMap;

use crate::support::pull_request::WorkTree;

/// A row of a patch: its mark, its line on each side, and its text.
#[derive(Debug, Clone)]
pub struct Row {
    pub mark: char,
    pub old: u32,
    pub new: u32,
    pub text: String,
}

/// The rows of one file between two commits.
pub fn rows(work: &WorkTree, old: &str, new: &str, path: &str) -> Vec<Row> {
    rows_of(&work.git(&["diff", "-M", old, new, "--", path]))
}

/// The rows below the header of a file's diff; the index of a row is its position.
pub fn rows_of(text: &str) -> Vec<Row> {
    let Some(start) = text.find("\n@@") else { return Vec::new() };
    let (mut before, mut after) = (0, 0);
    let body = text[start + 1..].strip_suffix('\n').expect("a diff ends with a line");
    let row = |line: &str| {
        let mark = line.chars().next().expect("every row has a mark");
        match mark {
            '@' => (before, after) = starts(line),
            '-' => before += 1,
            '+' => after += 1,
            ' ' => (before, after) = (before + 1, after + 1),
            _ => {}
        }
        Row { mark, old: before, new: after, text: line.to_owned() }
    };
    body.split('\n').map(row).collect()
}

/// The first lines of a hunk, from its header.
fn starts(header: &str) -> (u32, u32) {
    let mut numbers = header.split(' ').skip(1).take(2).map(|part| {
        let (start, count) = part[1..].split_once(',').unwrap_or((&part[1..], "1"));
        let start: u32 = start.parse().expect("a number");
        if count == "0" { start } else { start - 1 }
    });
    (numbers.next().expect("the old start"), numbers.next().expect("the new start"))
}

/// The text from the header of the hunk to the row at a position.
pub fn hunk(rows: &[Row], position: usize) -> String {
    let header = rows[..=position].iter().rposition(|row| row.mark == '@').expect("every row is in a hunk");
    rows[header..=position].iter().map(|row| row.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// The line in another blob for each line that survives.
pub fn line_map(work: &WorkTree, old: &str, new: &str) -> HashMap<u32, u32> {
    let count = |blob: &str| -> u32 {
        let text = work.git(&["show", blob]);
        text.lines().count().try_into().expect("few lines")
    };
    let whole = format!("-U{}", count(old) + count(new) + 10);
    let text = work.git(&["diff", &whole, old, new]);
    let Some(start) = text.find("\n@@") else { return (1..=count(old)).map(|line| (line, line)).collect() };
    let (mut before, mut after, mut map) = (0, 0, HashMap::new());
    for line in text[start + 1..].split('\n').skip(1) {
        match line.chars().next() {
            Some('-') => before += 1,
            Some('+') => after += 1,
            Some(' ') => {
                (before, after) = (before + 1, after + 1);
                map.insert(before, after);
            }
            _ => {}
        }
    }
    map
}
