//! Changing refs, by the API, by a push or by a state file. Whatever moves a ref calls [`move_refs`], which also gives pull
//! requests their new versions, in the same transaction.

mod apply;
mod input;
mod operations;
pub mod push;
pub mod rules;

pub use apply::{RefMoves, Refused, move_refs};
pub use input::{NewRef, RefUpdate};
pub use operations::{check_not_empty, create, delete, update};
