//! A pull request with one changed file, and comments on it.

use super::repo::TestRepo;
use crate::diff::{Anchor, Comparison, Comparisons, Reanchored, Side, Subject, reanchor};
use plinth_base::ids::{RepoId, Sha};

/// The lines `1` to `count`, some of them replaced.
pub fn numbered(count: u32, replaced: &[(u32, &str)]) -> String {
    let line = |number| match replaced.iter().find(|(replaced, _)| *replaced == number) {
        Some((_, text)) => (*text).to_owned(),
        None => format!("line {number}\n"),
    };
    (1..=count).map(line).collect()
}

/// A comment on `file`, which has 40 lines at the base and line 20 rewritten at the head.
pub struct Fixture {
    pub repo: TestRepo,
    pub base: Sha,
    pub head: Sha,
}

impl Fixture {
    pub fn new() -> Self {
        Self::of(numbered(40, &[]), numbered(40, &[(20, "changed\n")]))
    }

    pub fn of(base: impl AsRef<[u8]>, head: impl AsRef<[u8]>) -> Self {
        let repo = TestRepo::new();
        let base = repo.write("file", base).commit();
        let head = repo.write("file", head).commit();
        Self { repo, base, head }
    }

    pub fn anchor(&self, side: Side, line: u32) -> Anchor {
        let path = Some(b"file".to_vec());
        let subject = Subject::Line { side, line, start: None };
        Anchor { base: self.base, head: self.head, old_path: path.clone(), new_path: path, subject }
    }

    pub fn range(&self, start: (Side, u32), end: (Side, u32)) -> Anchor {
        let subject = Subject::Line { side: end.0, line: end.1, start: Some(start) };
        Anchor { subject, ..self.anchor(end.0, end.1) }
    }

    /// A further head with this content of the file.
    pub fn push(&self, content: impl AsRef<[u8]>) -> Sha {
        self.repo.write("file", content).commit()
    }

    /// A base and a head without a common history with the earlier ones.
    pub fn rebase(&self, base: &str, head: &str) -> (Sha, Sha) {
        self.repo.git(&["checkout", "-q", "--orphan", "other"]);
        (self.push(base), self.push(head))
    }

    /// Re-anchors a comment, both with a comparison of all files and with lookups of single ones.
    pub fn reanchor_to(&self, base: &Sha, head: &Sha, anchor: Anchor) -> Reanchored {
        let repo = self.repo.open();
        let anchors = [anchor];
        let target = Comparison::new(&repo, base, head).expect("both commits exist");
        let among_all = reanchor(&repo, &target, &anchors).expect("a readable repository").remove(0);
        let comparisons = Comparisons::default();
        let target = comparisons.between(RepoId(1), &repo, *base, *head);
        let alone = reanchor(&repo, &target, &anchors).expect("a readable repository").remove(0);
        assert_eq!(alone, among_all);
        alone
    }

    pub fn reanchor(&self, head: &Sha, anchor: Anchor) -> Reanchored {
        self.reanchor_to(&self.base, head, anchor)
    }
}

pub fn current(side: Side, line: u32, position: u32) -> Reanchored {
    Reanchored::Current { path: b"file".to_vec(), side, line, start: None, position }
}

pub fn current_range(start: Option<(Side, u32)>, end: (Side, u32), position: u32) -> Reanchored {
    Reanchored::Current { path: b"file".to_vec(), side: end.0, line: end.1, start, position }
}
