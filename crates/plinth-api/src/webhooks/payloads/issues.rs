//! Payloads about issues, their comments and labels.

use plinth_base::error::Result;
use plinth_core::issue_comments::events::IssueCommentData;
use plinth_core::issues::events::{IssueData, IssueSnapshot};
use plinth_core::labels::events::LabelData;
use serde::Serialize;

use super::Context;
use super::common::{From, TextChanges};
use crate::accounts::json::User;
use crate::issue_comments::json::{IssueComment, Ready as ReadyComment};
use crate::issues::json::{Issue, Ready};
use crate::labels::json::Label;
use crate::negotiation::Media;
use crate::pulls::json::user_of;

#[derive(Serialize)]
struct IssuePayload<'a> {
    issue: Issue<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<TextChanges<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<Label<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    assignee: Option<User<'a>>,
}

pub fn render(context: &Context<'_>) -> Result<Option<String>> {
    let IssueData { issue, changes, label, assignee } = context.data()?;
    let Some(repo) = &context.parties.repo else { return Ok(None) };
    let ready = ready(issue);
    let is_edit = context.event.action.as_deref() == Some("edited");
    context.write(IssuePayload {
        issue: Issue::new(&ready, Media::Json, repo, context.urls),
        changes: is_edit.then(|| TextChanges::new(changes.title.as_deref(), changes.body.as_deref())),
        label: label.as_ref().map(|label| Label::new(label, repo, context.urls)),
        assignee: assignee.as_ref().map(|assignee| user_of(assignee, context.urls)),
    })
}

#[derive(Serialize)]
struct CommentPayload<'a> {
    issue: Issue<'a>,
    comment: IssueComment<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<TextChanges<'a>>,
}

pub fn render_comment(context: &Context<'_>) -> Result<Option<String>> {
    let IssueCommentData { comment, issue, former_body } = context.data()?;
    let Some(repo) = &context.parties.repo else { return Ok(None) };
    let (issue, comment) = (ready(issue), ReadyComment { comment, rendered: None });
    context.write(CommentPayload {
        issue: Issue::new(&issue, Media::Json, repo, context.urls),
        comment: IssueComment::new(&comment, Media::Json, repo, context.urls),
        changes: former_body.as_deref().map(|from| TextChanges::new(None, Some(from))),
    })
}

#[derive(Serialize)]
struct LabelPayload<'a> {
    label: Label<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<LabelChanges<'a>>,
}

#[derive(Serialize)]
struct LabelChanges<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<From<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    color: Option<From<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<From<&'a str>>,
}

pub fn render_label(context: &Context<'_>) -> Result<Option<String>> {
    let LabelData { label, before } = context.data()?;
    let Some(repo) = &context.parties.repo else { return Ok(None) };
    let changes = before.as_ref().map(|before| LabelChanges {
        name: (before.name != label.name).then_some(From { from: before.name.as_str() }),
        color: (before.color != label.color).then_some(From { from: before.color.as_str() }),
        description: (before.description != label.description)
            .then_some(From { from: before.description.as_deref().unwrap_or_default() }),
    });
    context.write(LabelPayload { label: Label::new(&label, repo, context.urls), changes })
}

/// Issues are shown without the values of fields: hooks of a repository are not limited to members of the organization.
fn ready(snapshot: IssueSnapshot) -> Ready {
    let IssueSnapshot { issue, labels, assignees } = snapshot;
    Ready { issue, rendered: None, labels, assignees, values: Vec::new() }
}
