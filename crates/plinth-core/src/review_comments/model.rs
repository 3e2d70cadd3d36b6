//! Review comments as the service keeps them.

use std::sync::Arc;

use crate::pulls::model::{Author, Version};
use crate::pulls::threads::{Place, StoredPosition, Thread};
use crate::repos::RepoRole;
use crate::tokens::Principal;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, CommentId, PullId, RepoId, ReviewId};
use plinth_store::{DbError, FromRow, Row};

/// A comment with its thread, the place of that in the last version, and its author.
#[derive(Debug, Clone)]
pub struct Comment {
    pub id: CommentId,
    pub review_id: ReviewId,
    pub in_reply_to_id: Option<CommentId>,
    pub pending: bool,
    pub body: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub pull_id: PullId,
    pub pull_number: i64,
    pub version: Version,
    pub thread: Thread,
    /// Nothing where nobody has looked yet.
    pub place: Option<Place>,
    pub author: Author,
}

impl FromRow for Comment {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        const VERSION: usize = 9;
        const THREAD: usize = VERSION + VERSION_COLUMNS;
        const PLACE: usize = THREAD + Thread::COLUMNS;
        let version = version_from_columns(row, VERSION)?;
        let thread = Thread::from_columns(row, THREAD)?;
        let place = StoredPosition::from_columns(row, PLACE)?.or_else(|| thread.place_in(&version));
        Ok(Self {
            id: row.get(0)?,
            review_id: row.get(1)?,
            in_reply_to_id: row.get(2)?,
            pending: row.get(3)?,
            body: row.get(4)?,
            created_at: row.get(5)?,
            updated_at: row.get(6)?,
            pull_id: row.get(7)?,
            pull_number: row.get(8)?,
            version,
            thread,
            place,
            author: Author::from_columns(row, PLACE + StoredPosition::COLUMNS)?,
        })
    }
}

/// What a new comment stands on.
#[derive(Debug, Clone)]
pub struct CommentContext {
    pub pull_number: i64,
    /// The author of the pull request, if that is a user who can read it, and so is told about comments.
    pub told: Option<AccountId>,
    pub version: Version,
    /// Whoever writes the comment.
    pub author: Author,
}

impl FromRow for CommentContext {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        const AUTHOR: usize = 2 + VERSION_COLUMNS;
        Ok(Self {
            pull_number: row.get(0)?,
            told: row.get(1)?,
            version: version_from_columns(row, 2)?,
            author: Author::from_columns(row, AUTHOR)?,
        })
    }
}

const VERSION_COLUMNS: usize = 5;

/// Comments say nothing about the size of a version, so it is not read for them.
fn version_from_columns(row: &Row<'_>, first: usize) -> Result<Version, DbError> {
    Ok(Version {
        number: row.get(first)?,
        base_sha: row.get(first + 1)?,
        head_sha: row.get(first + 2)?,
        merge_base: row.get(first + 3)?,
        size: None,
        created_at: row.get(first + 4)?,
    })
}

/// What a comment is written with.
#[derive(Debug, Clone)]
pub struct NewComment {
    pub repo: RepoId,
    pub pull: PullId,
    pub review: ReviewId,
    pub thread: i64,
    pub in_reply_to: Option<CommentId>,
    pub author: AccountId,
    pub pending: bool,
    pub body: String,
}

impl NewComment {
    /// The comment that it has become, as it would be read now.
    pub fn stored(
        self,
        id: CommentId,
        ground: &CommentContext,
        (thread, place): (Thread, Option<Place>),
        now: Timestamp,
    ) -> Comment {
        Comment {
            id,
            review_id: self.review,
            in_reply_to_id: self.in_reply_to,
            pending: self.pending,
            body: self.body,
            created_at: now,
            updated_at: now,
            pull_id: self.pull,
            pull_number: ground.pull_number,
            version: ground.version,
            thread,
            place,
            author: ground.author.clone(),
        }
    }
}

/// Another text for a comment.
#[derive(Debug, Clone)]
pub struct Edit {
    pub repo: RepoId,
    pub id: CommentId,
    pub editor: Arc<Principal>,
    pub role: Option<RepoRole>,
    pub body: String,
}

/// Which comments a list has, and in which order.
#[derive(Debug, Clone, Copy)]
pub struct Listing {
    pub scope: Scope,
    pub order: Order,
    /// Only what was changed after this moment.
    pub since: Option<Timestamp>,
    /// Whoever asks sees their own comments before they are submitted.
    pub viewer: Option<AccountId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Repo(RepoId),
    Pull(PullId),
    Review(ReviewId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By id, which is by creation.
    Up,
    Down,
    UpdatedUp,
    UpdatedDown,
}
