//! Which commits are compared. Commits are sampled by their ids, so that later commits hardly change the sample.

use super::HistoryFixture;
use crate::support::pull_request::WorkTree;

/// The number of pairs of each kind.
const MERGES: usize = 6;
const RENAMES: usize = 3;
const DISTANT: usize = 4;
const TURNED: usize = 4;
/// A pull request lists at most this many of its newest commits.
const COMMITS_MAX: usize = 250;

/// Two branches between which a pull request can be opened.
#[derive(Debug, Clone)]
pub struct Pair {
    pub base: String,
    pub head: String,
}

impl Pair {
    fn new(base: &str, head: &str) -> Self {
        Self { base: base.to_owned(), head: head.to_owned() }
    }

    /// The commits of the head that the base does not have.
    pub fn range(&self) -> String {
        format!("{}..{}", self.base, self.head)
    }

    /// Whether there are commits between the two, and no more than a pull request lists.
    fn is_listed(&self, work: &WorkTree) -> bool {
        let count = work.git(&["rev-list", "--count", &self.range()]);
        (1..=COMMITS_MAX).contains(&count.trim().parse().expect("a number"))
    }
}

/// Merges, commits that renamed files, commits far apart, and the reverse of such a pair.
pub fn draw(work: &WorkTree) -> Vec<Pair> {
    let mut commits = lines(&work.git(&["rev-list", "main"]));
    commits.sort();
    let mut pairs = merges(work);
    pairs.truncate(MERGES);
    let moved = work.git(&["log", "-M", "--diff-filter=R", "--no-merges", "--format=%H", "main"]);
    pairs.extend(lines(&moved).iter().take(RENAMES).map(|sha| Pair::new(&format!("{sha}^"), sha)));
    let apart = commits.chunks_exact(2).map(|two| Pair::new(&two[0], &two[1]));
    pairs.extend(apart.filter(|pair| pair.is_listed(work)).take(DISTANT));
    let turned = commits.rchunks_exact(2).map(|two| Pair::new(&two[0], &with_tree_of(work, &two[0], &two[1])));
    pairs.extend(turned.take(TURNED));
    pairs
}

/// Both sides of each merge that changed something.
fn merges(work: &WorkTree) -> Vec<Pair> {
    let mut listed = lines(&work.git(&["rev-list", "--merges", "--parents", "main"]));
    listed.sort();
    let pair = |line: &String| {
        let mut names = line.split(' ').skip(1);
        Pair::new(names.next().expect("a merge has parents"), names.next().expect("a merge has two"))
    };
    listed.iter().map(pair).filter(|pair| pair.is_listed(work)).collect()
}

/// A commit on `parent` with the tree of `other`.
fn with_tree_of(work: &WorkTree, parent: &str, other: &str) -> String {
    let tree = format!("{other}^{{tree}}");
    work.git(&["commit-tree", &tree, "-p", parent, "-m", "as it was elsewhere"]).trim().to_owned()
}

/// Creates a branch for both ends of each pair.
pub fn name(work: &WorkTree, pairs: &[Pair]) {
    for (number, pair) in pairs.iter().enumerate() {
        work.git(&["branch", &format!("base-{number}"), &pair.base]);
        work.git(&["branch", &format!("head-{number}"), &pair.head]);
    }
}

/// Opens a pull request for the pair of that number, and returns its path.
pub async fn propose(fixture: &HistoryFixture, number: usize) -> String {
    let body = serde_json::json!({
        "title": format!("Pair {number}"), "head": format!("head-{number}"), "base": format!("base-{number}"),
    });
    let made = fixture.mona().post("/repos/acme/rocket/pulls", body).await.expect(201).json();
    format!("/repos/acme/rocket/pulls/{}", made["number"])
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}
