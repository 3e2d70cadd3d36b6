//! Notifications as they are stored.

use std::str::FromStr;

use crate::repos::Repo;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, CommentId, NotificationId, PullId, RepoId};
use plinth_store::{DbError, FromRow, Row, text_column};

/// The notification of one user about one pull request.
#[derive(Debug, Clone)]
pub struct Notification {
    pub id: NotificationId,
    pub reason: Reason,
    pub unread: bool,
    pub comment_id: Option<CommentId>,
    pub updated_at: Timestamp,
    pub last_read_at: Option<Timestamp>,
    pub pull_number: i64,
    pub pull_title: String,
    pub repo: Repo,
}

impl FromRow for Notification {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        const REPO_COLUMNS: usize = 16;
        Ok(Self {
            repo: Repo::from_row(row)?,
            id: row.get(REPO_COLUMNS)?,
            reason: row.get(REPO_COLUMNS + 1)?,
            unread: row.get(REPO_COLUMNS + 2)?,
            comment_id: row.get(REPO_COLUMNS + 3)?,
            updated_at: row.get(REPO_COLUMNS + 4)?,
            last_read_at: row.get(REPO_COLUMNS + 5)?,
            pull_number: row.get(REPO_COLUMNS + 6)?,
            pull_title: row.get(REPO_COLUMNS + 7)?,
        })
    }
}

/// Why a user is notified; the strongest reason comes last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The user commented in the thread.
    Comment,
    /// The user opened the pull request.
    Author,
    /// The user was mentioned.
    Mention,
    /// The user was asked for a review.
    ReviewRequested,
}

impl Reason {
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::Comment => "comment",
            Reason::Author => "author",
            Reason::Mention => "mention",
            Reason::ReviewRequested => "review_requested",
        }
    }
}

impl FromStr for Reason {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let all = [Reason::Comment, Reason::Author, Reason::Mention, Reason::ReviewRequested];
        all.into_iter().find(|reason| reason.as_str() == text).ok_or(())
    }
}

text_column!(Reason);

/// Comments that were published together.
#[derive(Debug)]
pub struct Notice {
    pub repo: RepoId,
    pub pull: PullId,
    /// The author of the comments, who is never notified.
    pub actor: AccountId,
    /// A user for whom the check that they can read the repository was made already.
    pub reader: Option<AccountId>,
    pub recipients: Vec<Recipient>,
}

/// A user to notify about a comment, or about the pull request itself.
#[derive(Debug, Clone, Copy)]
pub struct Recipient {
    pub user: AccountId,
    pub reason: Reason,
    pub comment: Option<CommentId>,
}
