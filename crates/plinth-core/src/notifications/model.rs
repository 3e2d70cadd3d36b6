//! Notifications as they are stored.

use std::str::FromStr;

use crate::repos::Repo;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, CommentId, IssueCommentId, IssueId, NotificationId, PullId, RepoId};
use plinth_store::{DbError, FromRow, Row, text_column};

/// The notification of one user about one pull request or issue.
#[derive(Debug, Clone)]
pub struct Notification {
    pub id: NotificationId,
    pub reason: Reason,
    pub unread: bool,
    /// The last comment.
    pub comment: Option<NotifiedComment>,
    pub updated_at: Timestamp,
    pub last_read_at: Option<Timestamp>,
    pub is_pull: bool,
    pub number: i64,
    pub title: String,
    pub repo: Repo,
}

impl FromRow for Notification {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        const REPO_COLUMNS: usize = 19;
        Ok(Self {
            repo: Repo::from_row(row)?,
            id: row.get(REPO_COLUMNS)?,
            reason: row.get(REPO_COLUMNS + 1)?,
            unread: row.get(REPO_COLUMNS + 2)?,
            comment: NotifiedComment::from_columns(row, REPO_COLUMNS + 3)?,
            updated_at: row.get(REPO_COLUMNS + 5)?,
            last_read_at: row.get(REPO_COLUMNS + 6)?,
            is_pull: row.get(REPO_COLUMNS + 7)?,
            number: row.get(REPO_COLUMNS + 8)?,
            title: row.get(REPO_COLUMNS + 9)?,
        })
    }
}

/// Why a user is notified; the strongest reason comes last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The user commented in the thread or on the issue.
    Comment,
    /// The user opened the pull request or the issue.
    Author,
    /// The user was assigned.
    Assign,
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
            Reason::Assign => "assign",
            Reason::Mention => "mention",
            Reason::ReviewRequested => "review_requested",
        }
    }
}

impl FromStr for Reason {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let all = [Reason::Comment, Reason::Author, Reason::Assign, Reason::Mention, Reason::ReviewRequested];
        all.into_iter().find(|reason| reason.as_str() == text).ok_or(())
    }
}

text_column!(Reason);

/// What users are notified about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeSubject {
    Pull(PullId),
    Issue(IssueId),
}

/// Comments that were published together.
#[derive(Debug)]
pub struct Notice {
    pub repo: RepoId,
    pub subject: NoticeSubject,
    /// The author of the comments, who is never notified.
    pub actor: AccountId,
    /// A user for whom the check that they can read the repository was made already.
    pub reader: Option<AccountId>,
    pub recipients: Vec<Recipient>,
}

/// A comment that a user is notified about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotifiedComment {
    Review(CommentId),
    Issue(IssueCommentId),
}

impl NotifiedComment {
    fn from_columns(row: &Row<'_>, first: usize) -> Result<Option<Self>, DbError> {
        let review = row.get::<Option<CommentId>>(first)?.map(NotifiedComment::Review);
        let issue = row.get::<Option<IssueCommentId>>(first + 1)?.map(NotifiedComment::Issue);
        Ok(review.or(issue))
    }

    /// The two columns that a comment is stored in.
    pub(super) fn columns(comment: Option<Self>) -> (Option<CommentId>, Option<IssueCommentId>) {
        match comment {
            None => (None, None),
            Some(NotifiedComment::Review(id)) => (Some(id), None),
            Some(NotifiedComment::Issue(id)) => (None, Some(id)),
        }
    }
}

/// A user to notify about a comment, or about the pull request or issue itself.
#[derive(Debug, Clone, Copy)]
pub struct Recipient {
    pub user: AccountId,
    pub reason: Reason,
    pub comment: Option<NotifiedComment>,
}
