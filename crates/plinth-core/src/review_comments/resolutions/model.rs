//! Whether threads are resolved, as it is stored.

use crate::accounts::AccountSummary;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, CommentId, PullId};
use plinth_store::{DbError, FromRow, Row};

/// A thread, and whether it is resolved.
#[derive(Debug, Clone)]
pub struct Resolution {
    pub thread: i64,
    pub pull_id: PullId,
    pub pull_number: i64,
    /// The author of the pull request.
    pub pull_author: Option<AccountId>,
    /// The first comment of the thread that the viewer sees.
    pub comment: CommentId,
    /// The first comment is part of a pending review, so nobody else sees the thread.
    pub pending: bool,
    /// `None` if the thread is not resolved.
    pub resolved_at: Option<Timestamp>,
    /// `None` also if the account was deleted.
    pub resolved_by: Option<AccountSummary>,
}

impl FromRow for Resolution {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let resolved_by = match row.get(7)? {
            Some(id) => {
                let (kind, login, site_admin) = (row.get(8)?, row.get(9)?, row.get(10)?);
                Some(AccountSummary { id, kind, login, site_admin })
            }
            None => None,
        };
        Ok(Self {
            thread: row.get(0)?,
            pull_id: row.get(1)?,
            pull_number: row.get(2)?,
            pull_author: row.get(3)?,
            comment: row.get(4)?,
            pending: row.get(5)?,
            resolved_at: row.get(6)?,
            resolved_by,
        })
    }
}
