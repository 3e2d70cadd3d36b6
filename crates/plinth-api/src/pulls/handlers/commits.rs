//! The commits of a pull request.

use plinth_core::repos::RepoTarget;
use std::collections::BTreeSet;

use super::find_pull;
use crate::app::App;
use crate::policy::table::ListPullCommits;
use crate::pulls::json::commit::{CommitItem, People};
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use plinth_base::error::Result;
use plinth_base::ids::Sha;
use plinth_core::accounts;
use plinth_core::objects::Large;
use plinth_core::pulls::diff_context::{DiffContext, with_diff_context_large};
use plinth_core::pulls::model::Version;
use plinth_git::{Commit, Reader};

/// More commits are not listed on any page.
pub const COMMITS_MAX: usize = 250;

pub async fn list(access: Allowed<ListPullCommits, RepoTarget>, app: App) -> Result<ApiResponse> {
    let pull = find_pull(&app, &access).await?;
    let page = page::of(access.context());
    let version = pull.version;
    let found = with_diff_context_large(&app, pull.repo_id, move |diffs| {
        let ids = commit_ids(&diffs, &version)?;
        let skip = usize::try_from(page.offset()).unwrap_or(usize::MAX);
        let limit = usize::try_from(page.limit()).unwrap_or_default();
        let on_page: Vec<Sha> = ids.iter().skip(skip).take(limit).copied().collect();
        Ok((read_commits(diffs.reader, on_page)?, ids.len()))
    });
    let Large { value: (on_page, total), reserved } = found.await?;
    let total = i64::try_from(total).unwrap_or_default();
    let people = find_people(&app, on_page.iter().map(|(_, commit)| commit)).await?;
    let (repo, urls) = (&access.repo, access.urls());
    let shown: Vec<_> =
        on_page.iter().map(|(sha, commit)| CommitItem::new(*sha, commit, &people, repo, urls)).collect();
    ApiResponse::ok(&shown).with_link(page::link(page, access.context(), total)).holding(reserved)
}

/// The accounts with the e-mail addresses of the authors and committers.
pub async fn find_people(app: &App, commits: impl Iterator<Item = &Commit>) -> Result<People> {
    let identities = commits.flat_map(|commit| [&commit.author, &commit.committer]);
    let emails = identities.map(|identity| identity.email.to_ascii_lowercase());
    // PostgreSQL has no text with a NUL, so nobody has such an address.
    let emails: BTreeSet<String> = emails.filter(|email| !email.is_empty() && !email.contains('\0')).collect();
    Ok(accounts::store::find_by_emails(&mut app.read().await?, &emails).await?)
}

/// Oldest first.
pub fn commits(diffs: &DiffContext<'_>, version: &Version) -> Result<Vec<(Sha, Commit)>> {
    let ids = commit_ids(diffs, version)?;
    read_commits(diffs.reader, ids)
}

fn commit_ids(diffs: &DiffContext<'_>, version: &Version) -> Result<Vec<Sha>> {
    let range = diffs.reader.commits_between(&version.base_sha, &version.head_sha, COMMITS_MAX)?;
    Ok(range.commit_ids.into_iter().rev().collect())
}

/// Reads commits to show them.
pub fn read_commits(reader: &Reader<'_>, ids: impl IntoIterator<Item = Sha>) -> Result<Vec<(Sha, Commit)>> {
    let read = |sha: Sha| {
        let commit = reader.find_commit(&sha)?.ok_or_else(|| reader.missing(&sha))?;
        reader.budget().retain(shown_bytes(&commit))?;
        Ok((sha, commit))
    };
    ids.into_iter().map(read).collect()
}

/// The memory that a commit takes, as an object and in a response.
pub fn shown_bytes(commit: &Commit) -> u64 {
    const PARENT_BYTES: usize = 400;
    let payload = commit.signature.as_ref().map_or(0, |signed| signed.signature.len() + signed.payload.len());
    (3 * (commit.message.len() + payload) + PARENT_BYTES * (commit.parent_ids.len() + 4)) as u64
}
