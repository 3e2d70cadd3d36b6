//! Issues as they are stored.

use std::str::FromStr;

use crate::accounts::AccountSummary;
use crate::conversations::Conversation;
use crate::notifications::NoticeSubject;
use crate::pulls::model::{Author, account_from_columns, words};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{IssueId, PullId, RepoId};
use plinth_store::{DbError, FromRow, Row, text_column};

/// An issue, or what a pull request has in common with one.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Issue {
    pub id: IssueId,
    pub repo_id: RepoId,
    pub number: i64,
    pub title: String,
    pub body: Option<String>,
    pub state: IssueState,
    pub state_reason: Option<StateReason>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub closed_at: Option<Timestamp>,
    pub comments: i64,
    /// What only a pull request has.
    pub pull: Option<PullPart>,
    pub author: Author,
    /// `None` if it is open, or if the account was deleted.
    pub closed_by: Option<AccountSummary>,
}

/// What a pull request shows as an issue.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub struct PullPart {
    pub id: PullId,
    pub draft: bool,
    pub merged_at: Option<Timestamp>,
}

impl Issue {
    pub fn conversation(&self) -> Conversation {
        Conversation { id: self.id, repo_id: self.repo_id, number: self.number, is_pull: self.pull.is_some() }
    }

    /// What users are notified about.
    pub fn notice_subject(&self) -> NoticeSubject {
        match self.pull {
            Some(pull) => NoticeSubject::Pull(pull.id),
            None => NoticeSubject::Issue(self.id),
        }
    }
}

impl FromRow for Issue {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        const AUTHOR: usize = 14;
        let pull = match row.get::<Option<PullId>>(11)? {
            Some(id) => Some(PullPart { id, draft: row.get(12)?, merged_at: row.get(13)? }),
            None => None,
        };
        Ok(Self {
            id: row.get(0)?,
            repo_id: row.get(1)?,
            number: row.get(2)?,
            title: row.get(3)?,
            body: row.get(4)?,
            state: row.get(5)?,
            state_reason: row.get(6)?,
            created_at: row.get(7)?,
            updated_at: row.get(8)?,
            closed_at: row.get(9)?,
            comments: row.get(10)?,
            pull,
            author: Author::from_columns(row, AUTHOR)?,
            closed_by: account_from_columns(row, AUTHOR + Author::COLUMNS)?,
        })
    }
}

words! {
    IssueState { Open = "open", Closed = "closed" }
}

words! {
    /// Why an issue has its state.
    StateReason {
        Completed = "completed",
        NotPlanned = "not_planned",
        Duplicate = "duplicate",
        Reopened = "reopened",
    }
}
