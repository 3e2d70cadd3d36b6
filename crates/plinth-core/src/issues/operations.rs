//! Creating and changing issues, each in one transaction.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, RepoId};
use plinth_store::Transaction;

use super::events::{self, By};
use super::labels::Rest;
use super::model::{Issue, IssueState, StateReason};
use super::store::{self, NewRow};
use super::{IssueChanges, NewIssue, assignees, labels, rules};
use crate::Core;
use crate::access::WriteAccess;
use crate::conversations::{self, Conversation};
use crate::issue_field_values::{self, Replaced};
use crate::notifications::{self, Notice, NoticeSubject, Reason, Recipient, find_mentions_in};
use crate::pulls::model::PullState;
use crate::pulls::rules::non_empty;
use crate::pulls::{self, PendingRefresh, PullRequestChanges, refresh_later};
use crate::repos::{Repo, RepoTarget};

/// An issue, ready to be inserted.
#[derive(Debug, Clone)]
pub struct CheckedIssue {
    pub new: NewIssue,
    pub author: AccountId,
    pub mentions: Vec<AccountId>,
}

/// Opens an issue. Labels, assignees and values are ignored if the caller may not set them, as on GitHub.
pub async fn create(core: &Core, access: &WriteAccess<RepoTarget>, mut new: NewIssue) -> Result<Issue> {
    let author = access.author()?;
    if !rules::may_triage(access.caller(), access.role) {
        new.labels.clear();
        new.assignees.clear();
    }
    if !rules::may_push(access.caller(), access.role) {
        new.field_values.clear();
    }
    rules::check_new(&new)?;
    core.limiter.admit_content(author, access.operation(), &new.title, core.clock.now()).await?;
    let mentions = find_mentions_in(core, new.body.as_deref().unwrap_or_default()).await?;
    let context = (access.repo.clone(), CheckedIssue { new, author, mentions }, core.clock.now());
    access.write(context, |tx, (repo, issue, now)| Box::pin(insert(tx, repo, issue, *now))).await
}

/// Inserts an issue with all that belongs to it.
pub async fn insert(tx: &mut Transaction, repo: &Repo, checked: &CheckedIssue, now: Timestamp) -> Result<Issue> {
    let CheckedIssue { new, author, mentions } = checked;
    let number = conversations::store::next_number(tx, repo.id).await?;
    let id = conversations::store::insert(tx, repo.id, number, false).await?;
    let body = new.body.as_deref().filter(|body| !body.is_empty());
    let row = NewRow { id, repo: repo.id, number, title: &new.title, body, author: *author };
    store::insert(tx, &row, now).await?;
    let of = Conversation { id, repo_id: repo.id, number, is_pull: false };
    let by = (Some(*author), now);
    events::record_opened(tx, &of, by).await?;
    labels::change(tx, &of, &new.labels, Rest::Stays, by).await?;
    assignees::replace(tx, &of, &new.assignees, by).await?;
    // After the assignees: a mention is the stronger reason.
    notify_mentioned(tx, &of, mentions, (*author, now)).await?;
    issue_field_values::change(tx, repo, id, (&new.field_values, Replaced::Same)).await?;
    get(tx, repo.id, number).await
}

async fn notify_mentioned(
    tx: &mut Transaction,
    of: &Conversation,
    mentions: &[AccountId],
    (actor, now): (AccountId, Timestamp),
) -> Result<()> {
    for user in mentions {
        conversations::store::insert_mention(tx, of.id, *user).await?;
    }
    let recipient = |user: &AccountId| Recipient { user: *user, reason: Reason::Mention, comment: None };
    let recipients = mentions.iter().map(recipient).collect();
    let notice = Notice { repo: of.repo_id, subject: NoticeSubject::Issue(of.id), actor, reader: None, recipients };
    notifications::notify(tx, &notice, now).await
}

/// Changes an issue, or a pull request through its own operation. What the caller may not set is ignored, as on GitHub.
pub async fn update(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    of: Conversation,
    mut changes: IssueChanges,
) -> Result<Issue> {
    let before = store::find(&mut core.read().await?, of.repo_id, of.number).await?.ok_or(Error::NotFound)?;
    match of.is_pull {
        true => pulls::rules::check_editor(access.caller(), access.role, before.author.id())?,
        false => rules::check_editor(access.caller(), access.role, before.author.id())?,
    }
    if !rules::may_triage(access.caller(), access.role) {
        (changes.labels, changes.assignees) = (None, None);
    }
    if of.is_pull || !rules::may_push(access.caller(), access.role) {
        changes.field_values.clear();
    }
    rules::check_changes(&changes)?;
    let text = changes.body.as_ref().and_then(|body| body.as_deref()).unwrap_or_default();
    let mentions = if of.is_pull { Vec::new() } else { find_mentions_in(core, text).await? };
    let context = (access.repo.clone(), of, (changes, mentions), (access.caller().actor(), core.clock.now()));
    let (issue, is_new) =
        access.write(context, |tx, (repo, of, changes, by)| Box::pin(change(tx, (repo, of), changes, *by))).await?;
    if let Some(pull) = issue.pull.filter(|_| is_new) {
        refresh_later(core, issue.repo_id, PendingRefresh { pulls: vec![pull.id], default_branch: None });
    }
    Ok(issue)
}

/// Returns the issue, and whether a pull request has a new version.
async fn change(
    tx: &mut Transaction,
    (repo, of): (&Repo, &Conversation),
    (changes, mentions): &(IssueChanges, Vec<AccountId>),
    by: By,
) -> Result<(Issue, bool)> {
    let is_new = match of.is_pull {
        true => pulls::operations::change(tx, repo, of.number, &of_pull(changes), by).await?.1,
        false => {
            change_text_and_state(tx, of, changes, by).await?;
            false
        }
    };
    for user in mentions {
        conversations::store::insert_mention(tx, of.id, *user).await?;
    }
    if let Some(wanted) = &changes.labels {
        labels::change(tx, of, wanted, Rest::IsRemoved, by).await?;
    }
    if let Some(logins) = &changes.assignees {
        assignees::replace(tx, of, logins, by).await?;
    }
    if issue_field_values::change(tx, repo, of.id, (&changes.field_values, Replaced::Same)).await? {
        conversations::store::update_time(tx, of, by.1).await?;
    }
    Ok((get(tx, of.repo_id, of.number).await?, is_new))
}

fn of_pull(changes: &IssueChanges) -> PullRequestChanges {
    let state = changes.state.map(|state| match state {
        IssueState::Open => PullState::Open,
        IssueState::Closed => PullState::Closed,
    });
    let body = changes.body.clone().map(non_empty);
    PullRequestChanges { title: changes.title.clone(), body, state, base: None }
}

/// Changes text and state of an issue, and returns whether anything changed.
pub async fn change_text_and_state(
    tx: &mut Transaction,
    of: &Conversation,
    changes: &IssueChanges,
    by: By,
) -> Result<bool> {
    let before = get(tx, of.repo_id, of.number).await?;
    let title = changes.title.as_deref().unwrap_or(&before.title);
    let body = changes.body.as_ref().unwrap_or(&before.body).as_deref().filter(|body| !body.is_empty());
    let is_same_text = (title, body) == (before.title.as_str(), before.body.as_deref());
    if !is_same_text {
        store::update_text(tx, of.id, (title, body), by.1).await?;
    }
    let state = changes.state.unwrap_or(before.state);
    let reason = reason(&before, state, changes.state_reason);
    let is_same_state = (state, reason) == (before.state, before.state_reason);
    if !is_same_state {
        store::update_state(tx, of.id, (state, reason), by).await?;
    }
    if is_same_text && is_same_state {
        return Ok(false);
    }
    let after = get(tx, of.repo_id, of.number).await?;
    events::record_changes(tx, (&before, &after), by).await?;
    Ok(true)
}

/// The reason for a state: a closed issue is completed unless the caller says otherwise, and an open one was reopened or
/// has none.
fn reason(before: &Issue, state: IssueState, wanted: Option<StateReason>) -> Option<StateReason> {
    let wanted = wanted.filter(|reason| (*reason == StateReason::Reopened) == (state == IssueState::Open));
    match (before.state, state) {
        (IssueState::Open, IssueState::Closed) => Some(wanted.unwrap_or(StateReason::Completed)),
        (IssueState::Closed, IssueState::Closed) => wanted.or(before.state_reason),
        (IssueState::Closed, IssueState::Open) => Some(StateReason::Reopened),
        (IssueState::Open, IssueState::Open) => before.state_reason,
    }
}

async fn get(tx: &mut Transaction, repo: RepoId, number: i64) -> Result<Issue> {
    store::find(tx, repo, number).await?.ok_or(Error::NotFound)
}
