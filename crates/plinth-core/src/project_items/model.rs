//! Project items as they are stored.

use crate::accounts::AccountSummary;
use crate::pulls::model::account_from_columns;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{IssueId, ProjectFieldId, ProjectId, ProjectItemId, PullId, RepoId};
use plinth_store::{DbError, FromRow, Row, from_row};

/// An issue or a pull request in a project.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct ProjectItem {
    pub id: ProjectItemId,
    pub project_id: ProjectId,
    pub content: Content,
    /// `None` if the account was deleted.
    pub creator: Option<AccountSummary>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl FromRow for ProjectItem {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        const CREATOR: usize = 8;
        Ok(Self {
            id: row.get(0)?,
            project_id: row.get(1)?,
            created_at: row.get(2)?,
            updated_at: row.get(3)?,
            content: Content { issue: row.get(4)?, repo: row.get(5)?, number: row.get(6)?, pull: row.get(7)? },
            creator: account_from_columns(row, CREATOR)?,
        })
    }
}

/// What an item shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Content {
    /// Pull requests have an id as an issue, too.
    pub issue: IssueId,
    pub repo: RepoId,
    pub number: i64,
    /// `None` for an issue.
    pub pull: Option<PullId>,
}

from_row!(Content { issue, repo, number, pull });

impl Content {
    pub fn kind(&self) -> ContentKind {
        if self.pull.is_some() { ContentKind::PullRequest } else { ContentKind::Issue }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentKind {
    Issue,
    PullRequest,
}

impl ContentKind {
    pub fn as_str(self) -> &'static str {
        match self {
            ContentKind::Issue => "Issue",
            ContentKind::PullRequest => "PullRequest",
        }
    }
}

/// The value of a project's own field: a text, a date, a number in decimal digits, or the id of an option or an iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemValue {
    pub item: ProjectItemId,
    pub field: ProjectFieldId,
    pub text: String,
}

from_row!(ItemValue { item, field, text });
