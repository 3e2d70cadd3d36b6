//! The files that differ between two commits, according to git.

use crate::support::pull_request::WorkTree;

/// A changed file and its part of the diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub status: &'static str,
    pub path: String,
    pub previous_path: Option<String>,
    pub sha: String,
    pub additions: u64,
    pub deletions: u64,
    /// The file's part of the diff, from its header line.
    pub section: String,
}

impl Changed {
    /// The hunks without the last newline.
    pub fn patch(&self) -> Option<&str> {
        let start = self.section.find("\n@@")? + 1;
        self.section[start..].strip_suffix('\n')
    }
}

pub fn merge_base(work: &WorkTree, base: &str, head: &str) -> String {
    work.git(&["merge-base", base, head]).trim().to_owned()
}

/// All changed files in the order of the diff.
pub fn changed_files(work: &WorkTree, base: &str, head: &str) -> Vec<Changed> {
    let raw = work.git(&["diff", "-M", "--raw", "-z", "--no-abbrev", base, head]);
    let counts = work.git(&["diff", "-M", "--numstat", "-z", base, head]);
    let diff = work.git(&["diff", "-M", base, head]);
    let mut sections = sections(&diff).into_iter();
    let (mut raw, mut counts) = (raw.split('\0'), counts.split('\0'));
    let mut files = Vec::new();
    while let Some(record) = raw.next().filter(|record| !record.is_empty()) {
        let words: Vec<&str> = record.split(' ').collect();
        let first = raw.next().expect("every record has a path").to_owned();
        let (status, previous_path, path) = match words[4].chars().next() {
            Some('A') => ("added", None, first),
            Some('D') => ("removed", None, first),
            Some('M') => ("modified", None, first),
            Some('R') => ("renamed", Some(first), raw.next().expect("a rename has two paths").to_owned()),
            other => panic!("{other:?} of {first} is not in this history yet"),
        };
        let (additions, deletions) = numbers(&mut counts, previous_path.is_some());
        let sha = if status == "removed" { words[2] } else { words[3] };
        let section = sections.next().expect("every file has its part of the diff").to_owned();
        files.push(Changed { status, path, previous_path, sha: sha.to_owned(), additions, deletions, section });
    }
    assert_eq!(sections.next(), None);
    files
}

fn numbers<'a>(counts: &mut impl Iterator<Item = &'a str>, is_renamed: bool) -> (u64, u64) {
    let record = counts.next().expect("every file is counted");
    if is_renamed {
        // The two paths of a rename follow its numbers.
        counts.nth(1).expect("a rename has two paths");
    }
    let mut numbers = record.split('\t').map(|number| number.parse().unwrap_or_default());
    (numbers.next().expect("additions"), numbers.next().expect("deletions"))
}

/// Only header lines start with this word: rows of a patch start with their mark.
fn sections(diff: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = diff.match_indices("\ndiff --git ").map(|(at, _)| at + 1).collect();
    if !diff.is_empty() {
        starts.insert(0, 0);
    }
    let ends = starts.iter().copied().skip(1).chain([diff.len()]);
    starts.iter().zip(ends).map(|(start, end)| &diff[*start..end]).collect()
}
