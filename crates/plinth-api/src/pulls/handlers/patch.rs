//! A pull request as text: one diff, or a series of patches that `git am` takes.

use super::commits;
use crate::app::App;
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;
use plinth_core::pulls::diff_context::{DiffContext, Range, with_diff_context_large};
use plinth_core::pulls::model::Pull;
use plinth_git::diff::EMPTY_TREE;
use plinth_git::{Commit, Identity};

/// A longer series is refused: nobody reads it, and it must not fill the memory.
const BYTES_MAX: usize = 16 * 1024 * 1024;
/// What a series takes in memory, for each of its bytes: it grows by doubling.
const MEMORY_PER_BYTE: usize = 2;

pub async fn diff(app: &App, pull: &Pull) -> Result<ApiResponse> {
    let version = pull.version;
    let text = with_diff_context_large(app, pull.repo_id, move |desk| desk.unified(&desk.range(&version)?)).await?;
    ApiResponse::text("application/vnd.github.v3.diff; charset=utf-8", text.value).holding(text.reserved)
}

pub async fn patch(app: &App, pull: &Pull) -> Result<ApiResponse> {
    let version = pull.version;
    let text = with_diff_context_large(app, pull.repo_id, move |desk| {
        let commits = commits::commits(&desk, &version)?;
        // A merge has no patch of its own.
        let single: Vec<_> = commits.iter().filter(|(_, commit)| commit.parent_ids.len() < 2).collect();
        let mut text = Vec::new();
        for (index, (sha, commit)) in single.iter().enumerate() {
            let before = text.len();
            write_patch(&desk, *sha, commit, (index + 1, single.len()), &mut text)?;
            if text.len() > BYTES_MAX {
                return Err(Error::OverBudget("The patches are too large to be shown as text."));
            }
            desk.reader.budget().retain((MEMORY_PER_BYTE * (text.len() - before)) as u64)?;
        }
        Ok(text)
    });
    let text = text.await?;
    ApiResponse::text("application/vnd.github.v3.patch; charset=utf-8", text.value).holding(text.reserved)
}

fn write_patch(
    desk: &DiffContext<'_>,
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
    // The first commit of a history is compared with nothing, which git knows as the empty tree.
    let parent = commit.parent_ids.first().copied().unwrap_or(EMPTY_TREE);
    text.extend_from_slice(&desk.unified(&Range { base: parent, head: sha })?);
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
