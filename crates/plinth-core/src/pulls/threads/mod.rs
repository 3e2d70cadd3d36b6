//! Review threads: the anchors of comments, and their positions in each pull request version.

mod bytes;
mod model;
mod operations;
pub mod store;

pub use model::{DiffLocation, NewThread, Position, StoredPosition, Thread, side_name, side_of};
pub use operations::{find_positions, reanchor};
