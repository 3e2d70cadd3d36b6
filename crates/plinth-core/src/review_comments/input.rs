//! What a caller sends.

use plinth_base::ids::CommentId;
use plinth_git::diff::Side;

/// The body of `POST …/pulls/{pull_number}/comments`.
#[derive(Debug, Clone)]
pub enum NewComment {
    /// Everything but the text is ignored.
    Reply {
        body: String,
        in_reply_to: CommentId,
    },
    Begin {
        body: String,
        subject: Subject,
    },
}

/// What a new thread is to be about.
#[derive(Debug, Clone)]
pub struct Subject {
    pub commit_id: String,
    pub path: String,
    pub at: At,
}

/// Where in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    File,
    Position(i64),
    Line { side: Side, line: i64, start: Option<(Side, i64)> },
}

/// One comment of a review that is sent as a whole; its commit is the review's.
#[derive(Debug, Clone)]
pub struct DraftComment {
    pub body: String,
    pub path: String,
    pub at: At,
}

/// A body that has a text and nothing else.
#[derive(Debug, Clone)]
pub struct Text {
    pub body: String,
}
