//! One commit with all that it changed, which libraries read before they comment on it.

use serde::Serialize;

use super::commits::{CommitItem, find_people, shown_bytes};
use super::files::{ChangedFile, FILES_MAX, File, FileReader};
use crate::app::App;
use crate::policy::table::GetRepoCommit;
use crate::request::Allowed;
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;
use plinth_core::pulls::diff_context::{DiffContext, Range, with_diff_context_large};
use plinth_core::refs;
use plinth_core::repos::Repo;
use plinth_core::repos::RepoTarget;
use plinth_git::diff::EMPTY_TREE;
use plinth_git::{Commit, ObjectKind, RefName};

/// More files than this are counted, but not shown.
const SHOWN_MAX: usize = 300;

pub async fn get(access: Allowed<GetRepoCommit, RepoTarget>, app: App) -> Result<ApiResponse> {
    let named = access.context().params.get("ref");
    let target = find_named(&app, &access.repo, named).await?;
    let found = match target {
        Some(target) => Some(with_diff_context_large(&app, access.repo.id, move |desk| find(&desk, &target)).await?),
        None => None,
    };
    let (found, reserved) = found.map_or((None, None), |found| (found.value, found.reserved));
    let found = found.ok_or_else(|| Error::unprocessable(format!("No commit found for SHA: {named}")))?;
    let people = find_people(&app, std::iter::once(&found.commit)).await?;
    let (repo, urls) = (&access.repo, access.urls());
    ApiResponse::ok(&WholeCommit {
        commit: CommitItem::new(found.sha, &found.commit, &people, repo, urls),
        stats: found.stats,
        files: found.files.iter().map(|file| ChangedFile::new(file, found.sha, repo, urls)).collect(),
    })
    .holding(reserved)
}

/// What a full name, a branch or a tag points at.
async fn find_named(app: &App, repo: &Repo, text: &str) -> Result<Option<Sha>> {
    if let Ok(sha) = text.parse() {
        return Ok(Some(sha));
    }
    let mut db = app.read().await?;
    for namespace in ["refs/heads/", "refs/tags/", "refs/", ""] {
        let Ok(name) = RefName::parse(&format!("{namespace}{text}")) else { continue };
        if let Some(found) = refs::store::find(&mut db, repo.id, &name).await? {
            return Ok(Some(found.target));
        }
    }
    if refs::store::has_branches(&mut db, repo.id).await? { Ok(None) } else { Err(refs::rules::empty_repository()) }
}

struct Found {
    sha: Sha,
    commit: Commit,
    stats: Stats,
    files: Vec<File>,
}

/// Compares a commit with its first parent, or with nothing.
fn find(desk: &DiffContext<'_>, named: &Sha) -> Result<Option<Found>> {
    let Some((sha, ObjectKind::Commit)) = desk.reader.peel(named)? else { return Ok(None) };
    let Some(commit) = desk.reader.find_commit(&sha)? else { return Ok(None) };
    let base = commit.parent_ids.first().copied().unwrap_or(EMPTY_TREE);
    let comparison = desk.comparison(&Range { base, head: sha })?;
    desk.reader.budget().retain(shown_bytes(&commit))?;
    let (mut stats, mut files) = (Stats::default(), Vec::new());
    let mut reader = FileReader::new(*desk);
    for change in comparison.changes().iter().take(usize::try_from(FILES_MAX).unwrap_or_default()) {
        if files.len() < SHOWN_MAX {
            let file = reader.read(change)?;
            stats.add(file.additions, file.deletions);
            files.push(file);
        } else {
            let diff = reader.diff(change)?;
            stats.add(diff.additions(), diff.deletions());
        }
    }
    Ok(Some(Found { sha, commit, stats, files }))
}

#[derive(Serialize)]
struct WholeCommit<'a> {
    #[serde(flatten)]
    commit: CommitItem<'a>,
    stats: Stats,
    files: Vec<ChangedFile<'a>>,
}

#[derive(Default, Serialize)]
struct Stats {
    total: u64,
    additions: u64,
    deletions: u64,
}

impl Stats {
    fn add(&mut self, additions: u32, deletions: u32) {
        self.additions += u64::from(additions);
        self.deletions += u64::from(deletions);
        self.total = self.additions + self.deletions;
    }
}
