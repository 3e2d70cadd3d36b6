//! Changes of refs: through the API, by a push, or by a state file. Every change goes through [`move_refs`], which also
//! adds versions to pull requests, in the same transaction.

pub mod events;
mod input;
mod model;
mod moves;
mod operations;
pub mod push;
pub mod rules;
mod single_transaction;
mod turns;

pub use input::{NewRef, RefUpdate};
pub(crate) use model::NewTarget;
pub use model::{Mover, PushSize, RefConflict, RefMoves};
pub use moves::move_refs;
pub(crate) use operations::validate_new;
pub use operations::{check_not_empty, create, delete, update};
pub use turns::RefTurns;
