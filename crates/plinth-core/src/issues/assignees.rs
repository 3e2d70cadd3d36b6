//! Assignees of issues and pull requests, each operation in one transaction.

use std::collections::BTreeSet;

use plinth_base::error::{Error, Result};
use plinth_base::ids::AccountId;
use plinth_store::Transaction;

use super::events::{self, By};
use super::model::Issue;
use super::{assignee_store, rules, store};
use crate::Core;
use crate::access::WriteAccess;
use crate::accounts::AccountSummary;
use crate::conversations::{self, Conversation};
use crate::notifications::{self, Notice, Reason, Recipient};
use crate::repos::{self, RepoTarget};

/// Assigns users. Those who cannot be assigned are ignored, as on GitHub.
pub async fn add_assignees(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    of: Conversation,
    logins: Vec<String>,
) -> Result<Issue> {
    rules::check_assignee_count(logins.len())?;
    let context = (of, logins, (access.caller().actor(), core.clock.now()));
    access
        .write(context, |tx, (of, logins, by)| {
            Box::pin(async move {
                let users = find_users(tx, of, logins).await?.into_iter().flatten().collect();
                assign(tx, of, users, *by).await?;
                get(tx, of).await
            })
        })
        .await
}

/// Removes assignees. Users who are not assigned are ignored.
pub async fn remove_assignees(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    of: Conversation,
    logins: Vec<String>,
) -> Result<Issue> {
    rules::check_assignee_count(logins.len())?;
    let context = (of, logins, (access.caller().actor(), core.clock.now()));
    access
        .write(context, |tx, (of, logins, by)| {
            Box::pin(async move {
                let before = assignee_store::list_of_one(tx, of.id).await?;
                let is_named =
                    |user: &AccountSummary| logins.iter().any(|login| login.eq_ignore_ascii_case(&user.login));
                unassign(tx, of, before.into_iter().filter(is_named).collect(), *by).await?;
                get(tx, of).await
            })
        })
        .await
}

/// Replaces all assignees, each of whom must be assignable. Returns whether anything changed.
pub(super) async fn replace(tx: &mut Transaction, of: &Conversation, logins: &[String], by: By) -> Result<bool> {
    rules::check_assignee_count(logins.len())?;
    let mut wanted = Vec::new();
    for user in find_users(tx, of, logins).await? {
        wanted.push(user.ok_or_else(rules::invalid_assignee)?);
    }
    let ids: BTreeSet<AccountId> = wanted.iter().map(|user| user.id).collect();
    let before = assignee_store::list_of_one(tx, of.id).await?;
    let removed = before.into_iter().filter(|user| !ids.contains(&user.id)).collect();
    let is_changed = unassign(tx, of, removed, by).await?;
    Ok(assign(tx, of, wanted, by).await? || is_changed)
}

/// The users behind logins; `None` for one who has no role in the repository.
async fn find_users(tx: &mut Transaction, of: &Conversation, logins: &[String]) -> Result<Vec<Option<AccountSummary>>> {
    let mut users = Vec::with_capacity(logins.len());
    for login in logins {
        let found = repos::lists::find_user(tx, of.repo_id, login).await?;
        users.push(found.filter(|found| found.role.is_some()).map(|found| found.user));
    }
    Ok(users)
}

/// Assigns users and notifies them. Returns whether anything changed.
async fn assign(tx: &mut Transaction, of: &Conversation, users: Vec<AccountSummary>, by: By) -> Result<bool> {
    let (actor, now) = by;
    let mut added = Vec::new();
    for user in users {
        if assignee_store::insert(tx, of.id, user.id, now).await? {
            added.push(user);
        }
    }
    if added.is_empty() {
        return Ok(false);
    }
    rules::check_assignee_count(assignee_store::list_of_one(tx, of.id).await?.len())?;
    conversations::store::update_time(tx, of, now).await?;
    let recipient = |user: &AccountSummary| Recipient { user: user.id, reason: Reason::Assign, comment: None };
    let recipients = added.iter().map(recipient).collect();
    let subject = get(tx, of).await?.notice_subject();
    // The operator's own account, which nobody has.
    let actor = actor.unwrap_or(AccountId(0));
    notifications::notify(tx, &Notice { repo: of.repo_id, subject, actor, reader: None, recipients }, now).await?;
    for user in &added {
        events::record_assignee(tx, of, ("assigned", user), by).await?;
    }
    Ok(true)
}

async fn unassign(tx: &mut Transaction, of: &Conversation, users: Vec<AccountSummary>, by: By) -> Result<bool> {
    let mut removed = Vec::new();
    for user in users {
        if assignee_store::delete(tx, of.id, user.id).await? {
            removed.push(user);
        }
    }
    if removed.is_empty() {
        return Ok(false);
    }
    conversations::store::update_time(tx, of, by.1).await?;
    for user in &removed {
        events::record_assignee(tx, of, ("unassigned", user), by).await?;
    }
    Ok(true)
}

async fn get(tx: &mut Transaction, of: &Conversation) -> Result<Issue> {
    store::find(tx, of.repo_id, of.number).await?.ok_or(Error::NotFound)
}
