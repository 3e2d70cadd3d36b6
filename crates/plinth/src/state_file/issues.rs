//! Issues of a state file, with their comments.

use super::accounts::find_user;
use super::issue::Issue;
use super::name::{problem, split_full_name};
use super::pulls::find_mentioned;
use super::report::{Effect, Report};
use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_core::conversations::Conversation;
use plinth_core::issue_comments;
use plinth_core::issue_comments::operations::NewIssueComment;
use plinth_core::issues::operations::{self, CheckedIssue};
use plinth_core::issues::{IssueChanges, IssueState, NewIssue, rules, store};
use plinth_core::labels::NewLabel;
use plinth_core::repos::{self, Repo};
use plinth_store::Transaction;

/// Creates what does not exist, and updates bodies and states. Labels, assignees and comments are created only together
/// with their issue.
pub async fn apply(tx: &mut Transaction, wanted: &[Issue], now: Timestamp, report: &mut Report) -> Result<()> {
    for issue in wanted {
        let (owner, name) = split_full_name(&issue.repo, "issues.repo")?;
        let found = repos::store::find(tx, owner, name, None).await?;
        let repo = found.ok_or_else(|| problem(&issue.repo, "issues.repo", "there is no such repository"))?.repo;
        let effect = match store::find_titled(tx, repo.id, &issue.title.value).await? {
            Some(number) => update(tx, &repo, (issue, number), now).await?,
            None => {
                create(tx, &repo, issue, now).await?;
                Effect::Created
            }
        };
        report.note(format_args!("issue {:?} of {}", issue.title.value, issue.repo.value), effect);
    }
    Ok(())
}

async fn create(tx: &mut Transaction, repo: &Repo, issue: &Issue, now: Timestamp) -> Result<()> {
    let author = find_user(tx, &issue.author, "issues.author").await?.id;
    let new = NewIssue {
        title: issue.title.value.clone(),
        body: issue.body.clone(),
        labels: issue.labels.iter().map(NewLabel::named).collect(),
        assignees: issue.assignees.clone(),
        field_values: Vec::new(),
    };
    rules::check_new(&new).map_err(|error| problem(&issue.title, "issues", error))?;
    let mentions = find_mentioned(tx, issue.body.as_deref().unwrap_or_default()).await?;
    let created = operations::insert(tx, repo, &CheckedIssue { new, author, mentions }, now).await;
    let of = created.map_err(|error| problem(&issue.title, "issues", error))?.conversation();
    for comment in &issue.comments {
        let author = find_user(tx, &comment.author, "issues.comments.author").await?.id;
        let body = comment.body.value.clone();
        let check = issue_comments::rules::check_body(&body);
        check.map_err(|error| problem(&comment.body, "issues.comments.body", error))?;
        let mentions = find_mentioned(tx, &body).await?;
        issue_comments::operations::insert(tx, &NewIssueComment { of, author, body, mentions }, now).await?;
    }
    if issue.closed {
        change(tx, &of, issue, now).await?;
    }
    Ok(())
}

async fn update(tx: &mut Transaction, repo: &Repo, (wanted, number): (&Issue, i64), now: Timestamp) -> Result<Effect> {
    let found = store::find(tx, repo.id, number).await?;
    let found = found.ok_or_else(|| problem(&wanted.title, "issues", "the issue was deleted meanwhile"))?;
    let is_changed = change(tx, &found.conversation(), wanted, now).await?;
    Ok(if is_changed { Effect::Changed } else { Effect::Unchanged })
}

/// Changes the body, and closes the issue if the file says so. A closed issue is not reopened.
async fn change(tx: &mut Transaction, of: &Conversation, wanted: &Issue, now: Timestamp) -> Result<bool> {
    let changes = IssueChanges {
        body: Some(wanted.body.clone()),
        state: wanted.closed.then_some(IssueState::Closed),
        ..IssueChanges::default()
    };
    operations::change_text_and_state(tx, of, &changes, (None, now)).await
}
