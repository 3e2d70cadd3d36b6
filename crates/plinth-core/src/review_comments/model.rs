//! Review comments as they are stored.

use std::sync::Arc;

use crate::access::Role;
pub use crate::comment_lists::Order;
use crate::pulls::model::{Author, Version};
use crate::pulls::threads::{Position, StoredPosition, Thread};
use crate::tokens::Principal;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, CommentId, PullId, RepoId, ReviewId};
use plinth_store::{CommitGenerations, DbError, FromRow, Generations, Row, from_row};

/// A comment with its author, its thread and the position of the thread in the last version.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
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
    /// `None` until it is computed.
    pub position: Option<Position>,
    pub author: Author,
}

impl FromRow for Comment {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        const VERSION: usize = 9;
        const THREAD: usize = VERSION + VERSION_COLUMNS;
        const POSITION: usize = THREAD + Thread::COLUMNS;
        let version = version_from_columns(row, VERSION)?;
        let thread = Thread::from_columns(row, THREAD)?;
        let position = StoredPosition::from_columns(row, POSITION)?.or_else(|| thread.position_in(&version));
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
            position,
            author: Author::from_columns(row, POSITION + StoredPosition::COLUMNS)?,
        })
    }
}

/// A comment as a transaction has left it.
#[derive(Debug, Clone)]
pub struct WrittenComment {
    pub comment: Comment,
    /// As of which the comment is right, if that is known.
    pub generations: Option<Generations>,
}

impl From<(Comment, CommitGenerations)> for WrittenComment {
    /// After the commit.
    fn from((comment, generations): (Comment, CommitGenerations)) -> Self {
        Self { comment, generations: generations.get() }
    }
}

/// The columns of a comment's own row that can change or are shown. What else is shown of a comment depends on rights and on
/// pull requests of its repository: the author, their association, the repository, the thread and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommentColumns {
    pub id: CommentId,
    pub pull_id: PullId,
    pub review_id: ReviewId,
    pub thread_id: i64,
    pub in_reply_to_id: Option<CommentId>,
    pub author_id: Option<AccountId>,
    pub pending: bool,
    pub body: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

from_row!(CommentColumns {
    id,
    pull_id,
    review_id,
    thread_id,
    in_reply_to_id,
    author_id,
    pending,
    body,
    created_at,
    updated_at,
});

impl From<&Comment> for CommentColumns {
    fn from(comment: &Comment) -> Self {
        Self {
            id: comment.id,
            pull_id: comment.pull_id,
            review_id: comment.review_id,
            thread_id: comment.thread.id,
            in_reply_to_id: comment.in_reply_to_id,
            author_id: comment.author.id(),
            pending: comment.pending,
            body: comment.body.clone(),
            created_at: comment.created_at,
            updated_at: comment.updated_at,
        }
    }
}

/// What a new comment needs to know about its pull request and its author.
#[derive(Debug, Clone)]
pub struct CommentContext {
    pub pull_number: i64,
    /// The author of the pull request, who is notified if that is a user who can read the repository.
    pub notified: Option<AccountId>,
    pub version: Version,
    /// The author of the comment.
    pub author: Author,
}

impl FromRow for CommentContext {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Self::from_columns(row, 0)
    }
}

impl CommentContext {
    fn from_columns(row: &Row<'_>, first: usize) -> Result<Self, DbError> {
        Ok(Self {
            pull_number: row.get(first)?,
            notified: row.get(first + 1)?,
            version: version_from_columns(row, first + 2)?,
            author: Author::from_columns(row, first + 2 + VERSION_COLUMNS)?,
        })
    }
}

const VERSION_COLUMNS: usize = 5;

/// Comments do not show the size of a version, so it is not read.
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

/// The columns of a new comment.
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
    /// The comment as a read would return it now.
    pub fn stored(
        self,
        id: CommentId,
        context: &CommentContext,
        (thread, position): (Thread, Option<Position>),
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
            pull_number: context.pull_number,
            version: context.version,
            thread,
            position,
            author: context.author.clone(),
        }
    }
}

/// The columns of a new comment that everyone sees, without its review and its thread.
#[derive(Debug, Clone, Copy)]
pub struct PublishedComment<'a> {
    pub repo: RepoId,
    pub pull: PullId,
    pub in_reply_to: Option<CommentId>,
    pub author: AccountId,
    pub body: &'a str,
}

impl PublishedComment<'_> {
    pub fn with_parents(&self, review: ReviewId, thread: i64) -> NewComment {
        let Self { repo, pull, in_reply_to, author, body } = *self;
        NewComment { repo, pull, review, thread, in_reply_to, author, pending: false, body: body.to_owned() }
    }
}

/// The rows of a thread that was started, and the comment context of its first comment.
#[derive(Debug, Clone)]
pub struct StartedThread {
    pub review: ReviewId,
    pub thread: i64,
    pub comment: CommentId,
    /// Whether the author has a pending review.
    pub has_pending: bool,
    pub context: Arc<CommentContext>,
}

impl FromRow for StartedThread {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            review: row.get(0)?,
            thread: row.get(1)?,
            comment: row.get(2)?,
            has_pending: row.get(3)?,
            context: Arc::new(CommentContext::from_columns(row, 4)?),
        })
    }
}

/// A new body for a comment.
#[derive(Debug, Clone)]
pub struct Edit {
    pub repo: RepoId,
    pub id: CommentId,
    pub editor: Arc<Principal>,
    pub role: Option<Role>,
    pub body: String,
}

/// Filter and order of a list.
#[derive(Debug, Clone, Copy)]
pub struct Listing {
    pub scope: Scope,
    pub order: Order,
    /// Only comments that were updated after this time.
    pub since: Option<Timestamp>,
    /// The caller, who also sees their own pending comments.
    pub viewer: Option<AccountId>,
}

/// How long a list is, and how it came to be so long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Comments that everyone sees.
    pub published: i64,
    /// Comments that everyone saw before they were deleted.
    pub deleted: i64,
    /// Pending comments of the caller.
    pub pending: i64,
    /// Published comments with a greater id than a given one.
    pub after: i64,
}

from_row!(Extent { published, deleted, pending, after });

impl Extent {
    /// The length of the list for the caller.
    pub fn total(&self) -> i64 {
        self.published + self.pending
    }
}

/// The same list, of which only the comments' own columns are read.
#[derive(Debug, Clone, Copy)]
pub struct ListingOfColumns(pub Listing);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    Repo(RepoId),
    Pull(PullId),
    Review(ReviewId),
    Thread(i64),
}
