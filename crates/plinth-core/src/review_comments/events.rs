//! Events of review comments.

use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::{AccountId, RepoId};
use plinth_store::Transaction;
use serde::{Deserialize, Serialize};

use super::model::Comment;
use crate::events::model::About;
use crate::events::{self, EventName, NewEvent};

/// The data of the event `pull_request_review_comment`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CommentData {
    pub comment: Comment,
    /// The text before an edit.
    #[serde(default)]
    pub former_body: Option<String>,
}

/// What happened to a comment.
#[derive(Debug, Clone)]
pub enum CommentAction {
    Created,
    /// With the text before.
    Edited(String),
    Deleted,
}

/// Records what happened to a comment. Nobody but its author knows of a pending one, so that is no event.
pub async fn record_comment(
    tx: &mut Transaction,
    repo: RepoId,
    (action, comment): (CommentAction, &Comment),
    actor: Option<AccountId>,
    now: Timestamp,
) -> Result<()> {
    if comment.pending {
        return Ok(());
    }
    events::record(tx, now, || {
        let (action, former_body) = match action {
            CommentAction::Created => ("created", None),
            CommentAction::Edited(body) => ("edited", Some(body)),
            CommentAction::Deleted => ("deleted", None),
        };
        NewEvent {
            name: EventName::PullRequestReviewComment,
            action: Some(action),
            about: About::Repo(repo),
            actor,
            subject: Some(comment.id.0),
            data: events::to_data(&CommentData { comment: comment.clone(), former_body }),
        }
    })
    .await
}
