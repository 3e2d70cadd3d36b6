//! Reviews as they are stored.

use std::str::FromStr;

use crate::pulls::model::{Author, words};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{PullId, ReviewId, Sha};
use plinth_store::{DbError, FromRow, Row, text_column};

/// A review with its author.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Review {
    pub id: ReviewId,
    pub pull_id: PullId,
    pub pull_number: i64,
    pub state: ReviewState,
    pub body: String,
    pub commit_sha: Sha,
    pub submitted_at: Option<Timestamp>,
    pub author: Author,
}

impl FromRow for Review {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            id: row.get(0)?,
            pull_id: row.get(1)?,
            pull_number: row.get(2)?,
            state: row.get(3)?,
            body: row.get(4)?,
            commit_sha: row.get(5)?,
            submitted_at: row.get(6)?,
            author: Author::from_columns(row, 7)?,
        })
    }
}

words! {
    /// The state of a review. Only its author sees a pending one.
    ReviewState {
        Pending = "PENDING",
        Commented = "COMMENTED",
        Approved = "APPROVED",
        ChangesRequested = "CHANGES_REQUESTED",
    }
}
