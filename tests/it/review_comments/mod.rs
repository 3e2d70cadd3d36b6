//! Review comments.

mod comment_context;
mod creating;
pub mod deep_pages;
mod diffs;
mod harmless;
mod hostile;
mod listing;
pub mod model;
mod random_pushes;
mod reanchoring;
mod resolutions;
mod responses;
mod scale;
mod threads;
mod update_pages;
mod versions;

use crate::support::pull_request::PullRequestFixture;

/// Twelve numbered lines, some of them replaced.
pub fn numbered(changes: &[(usize, &str)]) -> String {
    let line = |number: usize| {
        let changed = changes.iter().find(|(at, _)| *at == number);
        changed.map_or_else(|| format!("line {number}\n"), |(_, text)| (*text).to_owned())
    };
    (1..=30).map(line).collect()
}

/// Lines 3, 4 and 20 are changed, and 25 is deleted.
pub async fn fixture() -> PullRequestFixture {
    let head = numbered(&[(3, "three\n"), (4, "four\nand more\n"), (20, "twenty\n"), (25, "")]);
    PullRequestFixture::new(&[("file", &numbered(&[])), ("unchanged", "same\n")], &[("file", Some(&head))]).await
}
