//! Input to create or change a review comment.

use plinth_base::ids::CommentId;
use plinth_git::diff::Side;

/// The body of `POST …/pulls/{pull_number}/comments`.
#[derive(Debug, Clone)]
pub enum NewComment {
    /// All fields but the body are ignored.
    Reply {
        body: String,
        in_reply_to: CommentId,
    },
    Start {
        body: String,
        subject: Subject,
    },
}

/// The subject of a new thread.
#[derive(Debug, Clone)]
pub struct Subject {
    pub commit_id: String,
    pub path: String,
    pub at: At,
}

/// The position in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    File,
    Position(i64),
    Line { side: Side, line: i64, start: Option<(Side, i64)> },
}

/// A comment inside a new review; its commit is that of the review.
#[derive(Debug, Clone)]
pub struct DraftComment {
    pub body: String,
    pub path: String,
    pub at: At,
}

/// A request with a body text and nothing else.
#[derive(Debug, Clone)]
pub struct Text {
    pub body: String,
}
