//! Pull request review comments, which stay at their lines when the code moves, and the reviews that they belong to.

mod comment_context;
mod edit_statement;
pub mod events;
mod indexed_lists;
mod input;
mod list_page;
mod lists;
mod lists_by_update;
pub mod model;
pub mod operations;
mod positions;
pub mod resolutions;
pub mod reviews;
pub mod rules;
mod sent_rows;
mod sparse_index;
pub mod store;
mod thread_start;

pub use comment_context::{CachedCommentContext, CommentContextCache, new_comment_context_cache};
pub use input::{At, DraftComment, NewComment, Subject, Text};
pub use list_page::{ListedRepo, list_length, list_page, list_published_ids};
pub use operations::{NewReply, NewThreadComment, reply, start_thread};
pub use positions::{Located, locate};
pub use rules::{InvalidPosition, check_body};
pub use sparse_index::SparseIndexes;
