//! Events of comments on issues.

use plinth_base::error::Result;
use plinth_store::Transaction;
use serde::{Deserialize, Serialize};

use super::model::IssueComment;
use crate::events::model::About;
use crate::events::{self, EventName, NewEvent};
use crate::issues::events::{By, IssueSnapshot, find_snapshot};

/// The data of the event `issue_comment`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct IssueCommentData {
    pub comment: IssueComment,
    pub issue: IssueSnapshot,
    /// The text before an edit.
    #[serde(default)]
    pub former_body: Option<String>,
}

/// Records that a comment was created, edited or deleted.
pub async fn record(
    tx: &mut Transaction,
    action: &'static str,
    (comment, former_body): (&IssueComment, Option<String>),
    (actor, now): By,
) -> Result<()> {
    let Some(issue) = find_snapshot(tx, &comment.conversation()).await? else { return Ok(()) };
    events::record(tx, now, || NewEvent {
        name: EventName::IssueComment,
        action: Some(action),
        about: About::Repo(comment.repo_id),
        actor,
        subject: Some(comment.id.0),
        data: events::to_data(&IssueCommentData { comment: comment.clone(), issue, former_body }),
    })
    .await
}
