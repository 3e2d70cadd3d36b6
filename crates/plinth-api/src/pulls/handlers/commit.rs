//! The handler of a commit with its changes, which client libraries read before they comment on it.

use super::commits::{find_people, shown_bytes};
use super::files::{FILES_MAX, FileReader};
use crate::app::App;
use crate::policy::table::GetRepoCommit;
use crate::pulls::json::commit::{CommitItem, Stats, WholeCommit};
use crate::pulls::json::file::{ChangedFile, File};
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

/// More files are counted, but not returned.
const SHOWN_MAX: usize = 300;

pub async fn get(access: Allowed<GetRepoCommit, RepoTarget>, app: App) -> Result<ApiResponse> {
    let named = access.context().params.get("ref");
    let target = find_named(&app, &access.repo, named).await?;
    let found = match target {
        Some(target) => Some(with_diff_context_large(&app, access.repo.id, move |diffs| find(&diffs, &target)).await?),
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

/// The target of an object id, a branch or a tag.
pub(super) async fn find_named(app: &App, repo: &Repo, text: &str) -> Result<Option<Sha>> {
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
fn find(diffs: &DiffContext<'_>, named: &Sha) -> Result<Option<Found>> {
    let Some((sha, ObjectKind::Commit)) = diffs.reader.peel(named)? else { return Ok(None) };
    let Some(commit) = diffs.reader.find_commit(&sha)? else { return Ok(None) };
    let base = commit.parent_ids.first().copied().unwrap_or(EMPTY_TREE);
    let comparison = diffs.comparison(&Range { base, head: sha })?;
    diffs.reader.budget().retain(shown_bytes(&commit))?;
    let (mut stats, mut files) = (Stats::default(), Vec::new());
    let mut reader = FileReader::new(*diffs);
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
