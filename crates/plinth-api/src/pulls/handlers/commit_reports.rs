//! What other resources say about a commit: check runs, of which there are none, and pull requests.

use plinth_core::pulls::find_by_commit;
use plinth_core::repos::{Repo, RepoTarget};
use plinth_git::ObjectKind;

use super::commit::find_named;
use super::ready;
use crate::app::App;
use crate::policy::table::{ListCheckRuns, ListPullsOfCommit};
use crate::pulls::json::PullRequest;
use crate::pulls::json::commit_reports::CheckRuns;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;

pub async fn check_runs(access: Allowed<ListCheckRuns, RepoTarget>, app: App) -> Result<ApiResponse> {
    get_commit(&app, &access.repo, access.context().params.get("ref")).await?;
    Ok(ApiResponse::ok(&CheckRuns::none()))
}

pub async fn pulls(access: Allowed<ListPullsOfCommit, RepoTarget>, app: App) -> Result<ApiResponse> {
    let context = access.context();
    let found = find_commit(&app, &access.repo, context.params.get("commit_sha")).await?;
    let pulls = find_by_commit(&app, access.repo.id, found.ok_or(Error::NotFound)?).await?;
    let page = page::of(context);
    let skipped = usize::try_from(page.offset()).unwrap_or(usize::MAX);
    let limit = usize::try_from(page.limit()).unwrap_or_default();
    let total = i64::try_from(pulls.len()).unwrap_or(i64::MAX);
    let ready = ready(&app, context, &access.repo, pulls.into_iter().skip(skipped).take(limit).collect()).await?;
    let (media, repo, urls) = (context.media, &access.repo, access.urls());
    let shown: Vec<_> = ready.iter().map(|ready| PullRequest::new(ready, media, repo, urls)).collect();
    Ok(ApiResponse::ok(&shown).with_link(page::link(page, context, total)))
}

/// The commit with this id, or that of a branch or tag, or the error for a missing one.
pub async fn get_commit(app: &App, repo: &Repo, named: &str) -> Result<Sha> {
    let found = find_commit(app, repo, named).await?;
    found.ok_or_else(|| Error::unprocessable(format!("No commit found for SHA: {named}")))
}

/// The commit with this id, or that of a branch or tag.
async fn find_commit(app: &App, repo: &Repo, named: &str) -> Result<Option<Sha>> {
    let Some(target) = find_named(app, repo, named).await? else { return Ok(None) };
    let peeled = app.objects.read(repo.id, move |reader| reader.peel(&target)).await?;
    Ok(peeled.filter(|(_, kind)| *kind == ObjectKind::Commit).map(|(sha, _)| sha))
}
