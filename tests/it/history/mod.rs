//! Tests on the history of this project, checked against git: real commits have cases that nobody thinks of inventing.

mod diffs;
mod git_oracle;
mod mails;
mod pairs;
mod positions;
mod refresh;

use std::io::Write;

use pairs::Pair;
use serde_json::Value;

use crate::support::pull_request::{WorkTree, acme};
use crate::support::{Client, Service};

/// A history with fewer commits is not this project's and proves nothing.
const COMMITS_MIN: usize = 100;

/// Fewer pairs mean that the sampling is broken.
const PAIRS_MIN: usize = 12;

/// A service with the project's own history, and a work tree with the same.
pub struct HistoryFixture {
    pub service: Service,
    pub work: WorkTree,
}

impl HistoryFixture {
    /// Adds the refs of `prepare`. Returns nothing if the sources come without their whole history.
    pub async fn with(prepare: impl FnOnce(&WorkTree)) -> Option<Self> {
        let work = own_history()?;
        prepare(&work);
        let rocket = format!(
            "default_branch: main, import: {}, collaborators: [{{ user: hubot, permission: write }}]",
            work.path().display(),
        );
        let state = acme().repo("acme/rocket", &rocket).to_string();
        Some(Self { service: Service::with(&state).await, work })
    }

    /// Adds branches for both ends of each sampled pair.
    pub async fn with_pairs() -> Option<(Self, Vec<Pair>)> {
        let mut drawn = Vec::new();
        let fixture = Self::with(|work| {
            drawn = pairs::draw(work);
            pairs::name(work, &drawn);
        });
        let fixture = fixture.await?;
        assert!(drawn.len() >= PAIRS_MIN, "{} pairs are too few", drawn.len());
        Some((fixture, drawn))
    }

    pub fn mona(&self) -> Client<'_> {
        self.service.with_token("ghp_mona")
    }
}

/// The history of the checkout around this test, as `main` of a new repository.
fn own_history() -> Option<WorkTree> {
    let checkout = crate::support::workspace_root();
    if !checkout.join(".git").exists() {
        return skip(&format!("{} is no clone, so there is no history to test with", checkout.display()));
    }
    let work = WorkTree::new();
    let source = checkout.to_str().expect("a path of the test");
    if work.git(&["-C", source, "rev-parse", "--is-shallow-repository"]).trim() != "false" {
        return skip(&format!("{source} is a shallow clone; `git fetch --unshallow` brings the history to test with"));
    }
    work.git(&["fetch", "-q", source, "+HEAD:refs/heads/main", "--update-head-ok"]);
    let count = work.git(&["rev-list", "--count", "main"]);
    assert!(count.trim().parse::<usize>().expect("a number") >= COMMITS_MIN, "{count} commits are too few");
    Some(work)
}

/// Prints to standard error directly, because the output of a passing test is captured.
fn skip(reason: &str) -> Option<WorkTree> {
    writeln!(std::io::stderr(), "SKIPPED: {reason}").expect("there is somewhere to say it");
    None
}

/// All files of a pull request, page by page.
pub async fn files_of(fixture: &HistoryFixture, pull: &str) -> Vec<Value> {
    const PAGES_MAX: usize = 30;
    let mut files = Vec::new();
    for page in 1..=PAGES_MAX {
        let listed = fixture.mona().get(&format!("{pull}/files?per_page=100&page={page}")).await.expect(200).json();
        let listed = listed.as_array().expect("a list").clone();
        let is_last = listed.len() < 100;
        files.extend(listed);
        if is_last {
            break;
        }
    }
    files
}
