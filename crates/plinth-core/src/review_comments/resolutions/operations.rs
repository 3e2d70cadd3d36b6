//! Resolving threads, each operation in one transaction.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, CommentId, RepoId};
use plinth_store::Transaction;

use super::model::Resolution;
use super::{events, rules, store};
use crate::Core;
use crate::access::{Current, WriteAccess};
use crate::pulls;
use crate::repos::RepoTarget;

/// Resolves the thread of a comment. A thread that is resolved stays as it is.
pub async fn resolve(core: &Core, access: &WriteAccess<RepoTarget>, comment: CommentId) -> Result<Resolution> {
    let context = (comment, access.author()?, core.clock.now());
    access
        .write_current(context, |tx, current, (comment, by, now)| {
            Box::pin(async move {
                let repo = current.target.repo.id;
                check_right(tx, current, *comment).await?;
                resolve_as(tx, repo, *comment, (*by, *now)).await
            })
        })
        .await
}

/// Opens the thread of a comment again.
pub async fn unresolve(core: &Core, access: &WriteAccess<RepoTarget>, comment: CommentId) -> Result<Resolution> {
    let context = (comment, access.author()?, core.clock.now());
    access
        .write_current(context, |tx, current, (comment, by, now)| {
            Box::pin(async move {
                let repo = current.target.repo.id;
                check_right(tx, current, *comment).await?;
                set(tx, repo, (*comment, *by), None, *now).await
            })
        })
        .await
}

/// Resolves the thread of a comment on behalf of a user whose right was checked, or whom a state file names.
pub async fn resolve_as(
    tx: &mut Transaction,
    repo: RepoId,
    comment: CommentId,
    (by, now): (AccountId, Timestamp),
) -> Result<Resolution> {
    set(tx, repo, (comment, by), Some((by, now)), now).await
}

/// The author of the pull request may resolve threads, and so may everyone who can push.
async fn check_right(tx: &mut Transaction, current: &Current<RepoTarget>, comment: CommentId) -> Result<()> {
    let found = find(tx, current.target.repo.id, (comment, current.caller.actor())).await?;
    pulls::rules::check_editor(&current.caller, current.target.role, found.pull_author)
}

async fn set(
    tx: &mut Transaction,
    repo: RepoId,
    (comment, by): (CommentId, AccountId),
    resolved: Option<(AccountId, Timestamp)>,
    now: Timestamp,
) -> Result<Resolution> {
    let found = find(tx, repo, (comment, Some(by))).await?;
    rules::check_published(&found)?;
    if found.resolved_at.is_some() == resolved.is_some() {
        return Ok(found);
    }
    store::update(tx, found.thread, resolved).await?;
    let action = if resolved.is_some() { "resolved" } else { "unresolved" };
    events::record(tx, repo, (action, &found), Some(by), now).await?;
    find(tx, repo, (comment, Some(by))).await
}

async fn find(
    tx: &mut Transaction,
    repo: RepoId,
    (comment, viewer): (CommentId, Option<AccountId>),
) -> Result<Resolution> {
    store::find(tx, repo, comment, viewer).await?.ok_or(Error::NotFound)
}
