//! Requesting reviews, each operation in one transaction.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, PullId};
use plinth_store::{Connection, Transaction};

use super::{Reviewers, events, rules, store};
use crate::Core;
use crate::access::WriteAccess;
use crate::accounts::{self, Account, AccountKind};
use crate::notifications::{self, Notice, NoticeSubject, Reason, Recipient};
use crate::pulls::{self, model::Pull, model::PullFacts};
use crate::repos::{self, Repo, RepoTarget};

/// Requests reviews from users who have a role in the repository. There are no teams.
pub async fn request(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    pull: &PullFacts,
    reviewers: Reviewers,
) -> Result<Pull> {
    rules::check_count(reviewers.users.len())?;
    if !reviewers.teams.is_empty() {
        return Err(rules::not_a_collaborator(&access.repo));
    }
    let context = (access.repo.clone(), pull.id, reviewers.users, (access.author()?, core.clock.now()));
    access.write(context, |tx, (repo, pull, logins, by)| Box::pin(request_as(tx, repo, *pull, logins, *by))).await
}

/// Requests reviews on behalf of a user whose right was checked, or whom a state file names.
pub async fn request_as(
    tx: &mut Transaction,
    repo: &Repo,
    pull: PullId,
    logins: &[String],
    (actor, now): (AccountId, Timestamp),
) -> Result<Pull> {
    let before = get(tx, pull).await?;
    let mut added = Vec::new();
    for login in logins {
        let reviewer = find_reviewer(tx, repo, &before, login).await?;
        if store::insert(tx, pull, reviewer.id, now).await? {
            added.push(reviewer);
        }
    }
    if added.is_empty() {
        return Ok(before);
    }
    let all = store::list(tx, std::iter::once(pull)).await?.remove(&pull).unwrap_or_default();
    rules::check_count(all.len())?;
    store::update_time(tx, pull, now).await?;
    let recipient =
        |reviewer: &Account| Recipient { user: reviewer.id, reason: Reason::ReviewRequested, comment: None };
    let recipients = added.iter().map(recipient).collect();
    let notice = Notice { repo: repo.id, subject: NoticeSubject::Pull(pull), actor, reader: None, recipients };
    notifications::notify(tx, &notice, now).await?;
    let after = get(tx, pull).await?;
    for reviewer in &added {
        events::record_requested(tx, &after, reviewer, (Some(actor), now)).await?;
    }
    Ok(after)
}

async fn find_reviewer(db: &mut Connection, repo: &Repo, pull: &Pull, login: &str) -> Result<Account> {
    let found = accounts::store::find_of_kind(db, login, AccountKind::User).await?;
    let reviewer = found.ok_or_else(|| rules::not_a_collaborator(repo))?;
    if pull.author.id() == Some(reviewer.id) {
        return Err(rules::is_author());
    }
    let with_role = repos::store::find_by_id(db, repo.id, Some(reviewer.id)).await?.ok_or(Error::NotFound)?;
    match with_role.role {
        Some(_) => Ok(reviewer),
        None => Err(rules::not_a_collaborator(repo)),
    }
}

/// Removes requests. Users from whom no review is requested are ignored.
pub async fn remove(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    pull: &PullFacts,
    reviewers: Reviewers,
) -> Result<Pull> {
    rules::check_count(reviewers.users.len())?;
    let context = (pull.id, reviewers.users, (access.author()?, core.clock.now()));
    access.write(context, |tx, (pull, logins, by)| Box::pin(delete_all(tx, *pull, logins, *by))).await
}

async fn delete_all(
    tx: &mut Transaction,
    pull: PullId,
    logins: &[String],
    (actor, now): (AccountId, Timestamp),
) -> Result<Pull> {
    let mut removed = Vec::new();
    for login in logins {
        let Some(reviewer) = accounts::store::find_of_kind(tx, login, AccountKind::User).await? else { continue };
        if store::delete(tx, pull, reviewer.id).await? {
            removed.push(reviewer);
        }
    }
    if !removed.is_empty() {
        store::update_time(tx, pull, now).await?;
    }
    let after = get(tx, pull).await?;
    for reviewer in &removed {
        events::record_removed(tx, &after, reviewer, (Some(actor), now)).await?;
    }
    Ok(after)
}

/// A review was submitted: its author is not asked any more.
pub async fn fulfill(tx: &mut Transaction, pull: PullId, reviewer: AccountId) -> Result<()> {
    store::delete(tx, pull, reviewer).await?;
    Ok(())
}

async fn get(db: &mut Connection, pull: PullId) -> Result<Pull> {
    pulls::store::find_by_id(db, pull).await?.ok_or(Error::NotFound)
}
