//! The handler of a commit with its changes, which client libraries read before they comment on it.

use super::commits::{find_people, shown_bytes};
use super::files::{FILES_MAX, FileReader};
use super::patch;
use crate::app::App;
use crate::negotiation::Media;
use crate::policy::table::GetRepoCommit;
use crate::pulls::json::commit::{CommitItem, Stats, WholeCommit};
use crate::pulls::json::file::{ChangedFile, File};
use crate::request::Allowed;
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;
use plinth_core::objects::Large;
use plinth_core::pulls::diff_context::{DiffContext, Range, with_diff_context, with_diff_context_large};
use plinth_core::refs;
use plinth_core::repos::Repo;
use plinth_core::repos::RepoTarget;
use plinth_git::{Commit, RefName};

/// More files are counted, but not returned.
const SHOWN_MAX: usize = 300;
const SHA_TYPE: &str = "application/vnd.github.v3.sha; charset=utf-8";

type Access = Allowed<GetRepoCommit, RepoTarget>;

pub async fn get(access: Access, app: App) -> Result<ApiResponse> {
    let named = access.context().params.get("ref");
    let missing = || Error::unprocessable(format!("No commit found for SHA: {named}"));
    let target = find_named(&app, &access.repo, named).await?.ok_or_else(missing)?;
    match access.context().media {
        Media::Diff => patch::commit_diff(&app, access.repo.id, target).await?.ok_or_else(missing),
        Media::Patch => patch::commit_patch(&app, access.repo.id, target).await?.ok_or_else(missing),
        Media::Sha => show_id(&app, &access, target).await?.ok_or_else(missing),
        Media::Json | Media::Raw | Media::Text | Media::Html | Media::Full | Media::Object => {
            show(&app, &access, target).await?.ok_or_else(missing)
        }
    }
}

/// Clients compare it with the id that they know, to find out whether a branch has moved.
async fn show_id(app: &App, access: &Access, target: Sha) -> Result<Option<ApiResponse>> {
    let found = with_diff_context(app, access.repo.id, move |diffs| patch::find_commit(&diffs, &target)).await?;
    let shown = |(sha, _): (Sha, Commit)| ApiResponse::text(SHA_TYPE, sha.to_string().into_bytes());
    Ok(found.map(shown))
}

async fn show(app: &App, access: &Access, target: Sha) -> Result<Option<ApiResponse>> {
    let found = with_diff_context_large(app, access.repo.id, move |diffs| find(&diffs, &target)).await?;
    let Large { value: Some(found), reserved } = found else { return Ok(None) };
    let people = find_people(app, std::iter::once(&found.commit)).await?;
    let (repo, urls) = (&access.repo, access.urls());
    let shown = ApiResponse::ok(&WholeCommit {
        commit: CommitItem::new(found.sha, &found.commit, &people, repo, urls),
        stats: found.stats,
        files: found.files.iter().map(|file| ChangedFile::new(file, found.sha, repo, urls)).collect(),
    });
    shown.holding(reserved).map(Some)
}

/// As [`find_target`]; in an empty repository, the error for that.
pub async fn find_named(app: &App, repo: &Repo, text: &str) -> Result<Option<Sha>> {
    if let Some(target) = find_target(app, repo, text).await? {
        return Ok(Some(target));
    }
    let mut db = app.read().await?;
    if refs::store::has_branches(&mut db, repo.id).await? { Ok(None) } else { Err(refs::rules::empty_repository()) }
}

/// The target of a branch or a tag, or the object of a whole or an abbreviated id.
pub async fn find_target(app: &App, repo: &Repo, text: &str) -> Result<Option<Sha>> {
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
    drop(db);
    app.objects.find_by_prefix(repo.id, text).await
}

struct Found {
    sha: Sha,
    commit: Commit,
    stats: Stats,
    files: Vec<File>,
}

/// Compares a commit with its first parent, or with nothing.
fn find(diffs: &DiffContext<'_>, named: &Sha) -> Result<Option<Found>> {
    let Some((sha, commit)) = patch::find_commit(diffs, named)? else { return Ok(None) };
    let comparison = diffs.comparison(&Range { base: patch::first_parent(&commit), head: sha })?;
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
