//! Comparisons of commits on the wire.

use schemars::JsonSchema;
use serde::Serialize;

use crate::pulls::json::commit::{CommitItem, People};
use crate::pulls::json::file::{ChangedFile, File};
use crate::wire::{Word, words};
use plinth_base::ids::Sha;
use plinth_base::urls::Part::{Fixed, Path};
use plinth_base::urls::{Url, Urls};
use plinth_core::repos::Repo;
use plinth_git::Commit;

/// Digits of the ids in `permalink_url`.
const SHORT_LENGTH: usize = 7;

/// What a comparison of two commits has found.
pub struct Found {
    pub base: (Sha, Commit),
    pub head: Sha,
    pub merge_base: (Sha, Commit),
    /// The number of commits of the head that are not in the base, and the other way round.
    pub ahead: usize,
    pub behind: usize,
    /// The commits of the page.
    pub commits: Vec<(Sha, Commit)>,
    /// The number of commits on all pages.
    pub listed: usize,
    pub files: Vec<File>,
}

/// Where a head is, seen from the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Diverged,
    Ahead,
    Behind,
    Identical,
}

words! { Relation: Diverged, Ahead, Behind, Identical }

impl Relation {
    fn new(ahead: usize, behind: usize) -> Self {
        match (ahead, behind) {
            (0, 0) => Relation::Identical,
            (_, 0) => Relation::Ahead,
            (0, _) => Relation::Behind,
            _ => Relation::Diverged,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Relation::Diverged => "diverged",
            Relation::Ahead => "ahead",
            Relation::Behind => "behind",
            Relation::Identical => "identical",
        }
    }
}

/// A comparison of two commits.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "commit-comparison")]
pub struct CommitComparison<'a> {
    url: Url<'a>,
    html_url: Url<'a>,
    #[schemars(with = "Url<'a>")]
    permalink_url: String,
    diff_url: Url<'a>,
    patch_url: Url<'a>,
    base_commit: CommitItem<'a>,
    merge_base_commit: CommitItem<'a>,
    status: Word<Relation>,
    ahead_by: usize,
    behind_by: usize,
    total_commits: usize,
    commits: Vec<CommitItem<'a>>,
    /// Empty on pages after the first.
    files: Vec<ChangedFile<'a>>,
}

impl<'a> CommitComparison<'a> {
    /// `basehead` is the part of the path that names both commits.
    pub fn new(found: &'a Found, basehead: &'a str, people: &'a People, repo: &'a Repo, urls: &'a Urls) -> Self {
        let (owner, name) = (repo.owner_login.as_str(), repo.name.as_str());
        let item = |(sha, commit): &'a (Sha, Commit)| CommitItem::new(*sha, commit, people, repo, urls);
        let page = urls.repo_page(owner, name);
        let html_url = page.then(Fixed("/compare/")).then(Path(basehead));
        let short = |sha: Sha| format!("{owner}:{:.SHORT_LENGTH$}", sha.to_string());
        Self {
            url: urls.repo(owner, name).then(Fixed("/compare/")).then(Path(basehead)),
            html_url,
            permalink_url: format!("{page}/compare/{}...{}", short(found.base.0), short(found.head)),
            diff_url: html_url.then(Fixed(".diff")),
            patch_url: html_url.then(Fixed(".patch")),
            base_commit: item(&found.base),
            merge_base_commit: item(&found.merge_base),
            status: Word(Relation::new(found.ahead, found.behind)),
            ahead_by: found.ahead,
            behind_by: found.behind,
            total_commits: found.ahead,
            commits: found.commits.iter().map(item).collect(),
            files: found.files.iter().map(|file| ChangedFile::new(file, found.head, repo, urls)).collect(),
        }
    }
}
