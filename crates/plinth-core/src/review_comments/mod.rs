//! Pull request review comments: remarks on lines of a diff that move with the code, and the reviews they belong to.

mod comment_context;
mod input;
mod locate;
mod mentions;
pub mod model;
pub mod operations;
pub mod reviews;
pub mod rules;
pub mod store;

pub use comment_context::{CachedCommentContext, CommentContextCache, new_comment_context_cache};
pub use input::{At, DraftComment, NewComment, Subject, Text};
pub use locate::{Located, locate};
pub use operations::{Begin, Reply, begin, reply};
pub use rules::{InvalidPosition, check_body};
