//! Comments on issues as they are stored.

use crate::comment_lists::Order;
use crate::conversations::Conversation;
use crate::pulls::model::Author;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{IssueCommentId, IssueId, RepoId};
use plinth_store::{DbError, FromRow, Row};

/// A comment with its author.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct IssueComment {
    pub id: IssueCommentId,
    pub repo_id: RepoId,
    pub issue_id: IssueId,
    /// The number of the issue or pull request.
    pub number: i64,
    pub is_pull: bool,
    pub body: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub author: Author,
}

impl IssueComment {
    /// What the comment is on.
    pub fn conversation(&self) -> Conversation {
        Conversation { id: self.issue_id, repo_id: self.repo_id, number: self.number, is_pull: self.is_pull }
    }
}

impl FromRow for IssueComment {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            id: row.get(0)?,
            repo_id: row.get(1)?,
            issue_id: row.get(2)?,
            number: row.get(3)?,
            is_pull: row.get(4)?,
            body: row.get(5)?,
            created_at: row.get(6)?,
            updated_at: row.get(7)?,
            author: Author::from_columns(row, 8)?,
        })
    }
}

/// Filter and order of a list.
#[derive(Debug, Clone, Copy)]
pub struct Listing {
    pub scope: Scope,
    pub order: Order,
    /// Only comments that were updated then or later.
    pub since: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Repo(RepoId),
    Issue(IssueId),
}
