//! Releases: a tag with a text and files.

pub mod assets;
mod described;
pub mod events;
mod input;
mod model;
mod notes;
mod operations;
mod rules;
pub mod store;
mod tag;

pub use described::{Written, put, put_asset};
pub use input::{MakeLatest, NewRelease, NotesRequest, ReleaseUpdate};
pub use model::{Asset, AssetState, Release};
pub use notes::{Notes, generate};
pub use operations::{create, delete, update};
