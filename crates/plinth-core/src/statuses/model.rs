//! Statuses as they are stored.

use std::str::FromStr;

use plinth_base::clock::Timestamp;
use plinth_base::ids::{Sha, StatusId};
use plinth_store::{DbError, FromRow, Row, text_column};

use crate::accounts::AccountSummary;
use crate::pulls::model::{account_from_columns, words};

words! {
    StatusState { Error = "error", Failure = "failure", Pending = "pending", Success = "success" }
}

/// One status of a commit.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct CommitStatus {
    pub id: StatusId,
    pub sha: Sha,
    pub state: StatusState,
    pub context: String,
    pub description: Option<String>,
    pub target_url: Option<String>,
    pub created_at: Timestamp,
    /// `None` if the account was deleted.
    pub creator: Option<AccountSummary>,
}

impl FromRow for CommitStatus {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            id: row.get(0)?,
            sha: row.get(1)?,
            state: row.get(2)?,
            context: row.get(3)?,
            description: row.get(4)?,
            target_url: row.get(5)?,
            created_at: row.get(6)?,
            creator: account_from_columns(row, 7)?,
        })
    }
}

/// How many contexts of a commit have which state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub failed: i64,
    pub pending: i64,
    pub succeeded: i64,
}

impl Counts {
    pub fn total(self) -> i64 {
        self.failed + self.pending + self.succeeded
    }

    /// The state of the commit: one failure is enough, and a commit without statuses is pending.
    pub fn state(self) -> StatusState {
        match self {
            Counts { failed: 1.., .. } => StatusState::Failure,
            Counts { pending: 1.., .. } | Counts { succeeded: 0, .. } => StatusState::Pending,
            Counts { .. } => StatusState::Success,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_of_a_commit_is_that_of_its_worst_context() {
        for ((failed, pending, succeeded), state) in [
            ((0, 0, 0), StatusState::Pending),
            ((0, 0, 2), StatusState::Success),
            ((0, 1, 2), StatusState::Pending),
            ((1, 1, 2), StatusState::Failure),
            ((1, 0, 0), StatusState::Failure),
        ] {
            assert_eq!(Counts { failed, pending, succeeded }.state(), state);
        }
    }
}
