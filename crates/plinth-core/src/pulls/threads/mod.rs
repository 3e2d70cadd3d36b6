//! The places in a pull request's code that comments are about, and where they are now.

mod model;
mod place;
pub mod store;

pub use model::{NewThread, Place, Spot, StoredPosition, Thread, side_name, side_of};
pub use place::{place, reanchor};
