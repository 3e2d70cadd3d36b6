//! A pull request as a mailbox: git parses ours to the same commits as its own.

use super::HistoryFixture;
use super::pairs::Pair;
use crate::support::pull_request::WorkTree;

/// The number of mails of each pull request that git parses; the diffs of all are compared.
const READ: usize = 2;
/// The constant date that git writes in the separator line of a mail.
const MARK: &str = " Mon Sep 17 00:00:00 2001";

/// Checks the response with the media type for patches.
pub async fn check(fixture: &HistoryFixture, pull: &str, pair: &Pair) {
    let client = fixture.mona().header("accept", "application/vnd.github.patch");
    let found = client.get(pull).await.expect(200);
    let found = String::from_utf8_lossy(&found.body);
    let words = ["format-patch", "--stdout", "--no-stat", "--signature=plinth", &pair.range()];
    let expected = fixture.work.git(&words);
    let (found, expected) = (split(&found), split(&expected));
    assert_eq!(found.len(), expected.len(), "{pull}");
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!((found.sha, found.outline()), (expected.sha, expected.outline()), "{pull}");
    }
    for (found, expected) in found.iter().zip(&expected).take(READ) {
        assert_eq!(found.read(&fixture.work), expected.read(&fixture.work), "{} of {pull}", found.sha);
    }
}

struct Mail<'a> {
    sha: &'a str,
    text: &'a str,
}

impl Mail<'_> {
    fn diff(&self) -> &str {
        let start = self.text.find("\ndiff --git ").unwrap_or(self.text.len());
        self.text[start..].trim_end()
    }

    /// The diff without the contents of binary files, of which git sends the differences if they are smaller. That
    /// git applies ours is tested where they are written.
    fn outline(&self) -> String {
        let mut is_content = false;
        let lines = self.diff().lines().filter(|line| {
            is_content = *line == "GIT binary patch" || (is_content && !line.starts_with("diff --git "));
            !is_content || *line == "GIT binary patch"
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Author, subject, date and message, as `git am` reads them.
    fn read(&self, work: &WorkTree) -> (String, String) {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        let path = |name: &str| directory.path().join(name).to_str().expect("a path of the test").to_owned();
        let reported = work.git_with(&["mailinfo", &path("message"), &path("patch")], self.text);
        let message = std::fs::read_to_string(path("message")).expect("git wrote the message");
        (reported, message.trim_end().to_owned())
    }
}

fn split(mails: &str) -> Vec<Mail<'_>> {
    let line = format!("{MARK}\n");
    // "From " and a commit id precede the mark.
    let starts: Vec<usize> = mails.match_indices(&line).map(|(at, _)| at - "From ".len() - 40).collect();
    let ends = starts.iter().copied().skip(1).chain([mails.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(&start, end)| Mail { sha: &mails[start + 5..start + 45], text: &mails[start..end] })
        .collect()
}
