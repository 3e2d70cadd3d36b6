//! A pull request or a commit as text: one diff, or patches that `git am` takes.

use super::commits;
use crate::app::App;
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{RepoId, Sha};
use plinth_core::pulls::diff_context::{DiffContext, Range, with_diff_context_large};
use plinth_core::pulls::model::Pull;
use plinth_git::diff::{BinaryFiles, EMPTY_TREE};
use plinth_git::{Commit, Identity, ObjectKind};

/// A longer series is rejected, because it would take too much memory.
const BYTES_MAX: usize = 16 * 1024 * 1024;
/// What a series takes in memory, for each of its bytes: it grows by doubling.
const MEMORY_PER_BYTE: usize = 2;

const DIFF_TYPE: &str = "application/vnd.github.v3.diff; charset=utf-8";
const PATCH_TYPE: &str = "application/vnd.github.v3.patch; charset=utf-8";

pub async fn diff(app: &App, pull: &Pull) -> Result<ApiResponse> {
    let version = pull.version;
    diff_in(app, pull.repo_id, move |diffs| diffs.range(&version)).await
}

/// The diff of a range that `find` computes.
pub async fn diff_in(
    app: &App,
    repo: RepoId,
    find: impl FnOnce(&DiffContext<'_>) -> Result<Range> + Send + 'static,
) -> Result<ApiResponse> {
    let text =
        with_diff_context_large(app, repo, move |diffs| diffs.unified(&find(&diffs)?, BinaryFiles::Named)).await?;
    ApiResponse::text(DIFF_TYPE, text.value).holding(text.reserved)
}

/// The changes of one commit, compared with its first parent. `None` if there is no such commit.
pub async fn commit_diff(app: &App, repo: RepoId, named: Sha) -> Result<Option<ApiResponse>> {
    let text = with_diff_context_large(app, repo, move |diffs| {
        let Some((sha, commit)) = find_commit(&diffs, &named)? else { return Ok(None) };
        diffs.unified(&Range { base: first_parent(&commit), head: sha }, BinaryFiles::Named).map(Some)
    });
    let text = text.await?;
    text.value.map(|value| ApiResponse::text(DIFF_TYPE, value).holding(text.reserved)).transpose()
}

/// One commit as a patch, a merge too. `None` if there is no such commit.
pub async fn commit_patch(app: &App, repo: RepoId, named: Sha) -> Result<Option<ApiResponse>> {
    let text = with_diff_context_large(app, repo, move |diffs| {
        let Some((sha, commit)) = find_commit(&diffs, &named)? else { return Ok(None) };
        let mut text = Vec::new();
        write_patch(&diffs, sha, &commit, (1, 1), &mut text)?;
        diffs.reader.budget().retain((MEMORY_PER_BYTE * text.len()) as u64)?;
        Ok(Some(text))
    });
    let text = text.await?;
    text.value.map(|value| ApiResponse::text(PATCH_TYPE, value).holding(text.reserved)).transpose()
}

/// The commit that an object id names, directly or as a tag.
pub fn find_commit(diffs: &DiffContext<'_>, named: &Sha) -> Result<Option<(Sha, Commit)>> {
    let Some((sha, ObjectKind::Commit)) = diffs.reader.peel(named)? else { return Ok(None) };
    Ok(diffs.reader.find_commit(&sha)?.map(|commit| (sha, commit)))
}

/// The first commit of a history is compared with nothing, which git knows as the empty tree.
pub fn first_parent(commit: &Commit) -> Sha {
    commit.parent_ids.first().copied().unwrap_or(EMPTY_TREE)
}

pub async fn patch(app: &App, pull: &Pull) -> Result<ApiResponse> {
    let version = pull.version;
    patch_in(app, pull.repo_id, move |diffs| commits::commits(diffs, &version)).await
}

/// A series of patches, one for each commit that `find` returns.
pub async fn patch_in(
    app: &App,
    repo: RepoId,
    find: impl FnOnce(&DiffContext<'_>) -> Result<Vec<(Sha, Commit)>> + Send + 'static,
) -> Result<ApiResponse> {
    let text = with_diff_context_large(app, repo, move |diffs| {
        let commits = find(&diffs)?;
        // A merge has no patch of its own.
        let single: Vec<_> = commits.iter().filter(|(_, commit)| commit.parent_ids.len() < 2).collect();
        let mut text = Vec::new();
        for (index, (sha, commit)) in single.iter().enumerate() {
            let before = text.len();
            write_patch(&diffs, *sha, commit, (index + 1, single.len()), &mut text)?;
            if text.len() > BYTES_MAX {
                return Err(Error::OverBudget("The patches are too large to be shown as text."));
            }
            diffs.reader.budget().retain((MEMORY_PER_BYTE * (text.len() - before)) as u64)?;
        }
        Ok(text)
    });
    let text = text.await?;
    ApiResponse::text(PATCH_TYPE, text.value).holding(text.reserved)
}

fn write_patch(
    diffs: &DiffContext<'_>,
    sha: Sha,
    commit: &Commit,
    (number, count): (usize, usize),
    text: &mut Vec<u8>,
) -> Result<()> {
    let (subject, rest) = commit.message.split_once("\n\n").unwrap_or((&commit.message, ""));
    let subject = subject.trim_end().replace('\n', " ");
    let series = if count == 1 { "PATCH".to_owned() } else { format!("PATCH {number}/{count}") };
    let Identity { name, email, date } = &commit.author;
    let written = rfc2822(date.seconds, date.offset_minutes);
    let body = if rest.trim().is_empty() { String::new() } else { format!("{}\n", rest.trim_end()) };
    text.extend_from_slice(
        format!(
            "From {sha} Mon Sep 17 00:00:00 2001\nFrom: {name} <{email}>\nDate: {written}\n\
             Subject: [{series}] {subject}\n\n{body}---\n\n"
        )
        .as_bytes(),
    );
    let range = Range { base: first_parent(commit), head: sha };
    text.extend_from_slice(&diffs.unified(&range, BinaryFiles::Included)?);
    text.extend_from_slice(b"-- \nplinth\n\n");
    Ok(())
}

fn rfc2822(seconds: i64, offset_minutes: i32) -> String {
    let offset = jiff::tz::Offset::from_seconds(offset_minutes * 60).unwrap_or(jiff::tz::Offset::UTC);
    let moment = jiff::Timestamp::from_second(seconds).unwrap_or_default();
    let local = offset.to_datetime(moment);
    let sign = if offset_minutes < 0 { '-' } else { '+' };
    let minutes = offset_minutes.abs();
    format!("{} {sign}{:02}{:02}", local.strftime("%a, %-d %b %Y %H:%M:%S"), minutes / 60, minutes % 60)
}
