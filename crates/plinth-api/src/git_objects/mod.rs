//! Git objects by their ids: read, and created without a clone.

mod blob_body;
pub mod body;
mod handlers;
pub mod json;

pub use handlers::RAW;

use crate::policy::table::{CreateBlob, CreateCommit, CreateTag, CreateTree, GetBlob, GetCommit, GetTag, GetTree};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<GetCommit, _, _>(handlers::get_commit)
        .on::<CreateCommit, _, _>(handlers::create_commit)
        .on::<GetTag, _, _>(handlers::get_tag)
        .on::<CreateTag, _, _>(handlers::create_tag)
        .on::<GetTree, _, _>(handlers::get_tree)
        .on::<CreateTree, _, _>(handlers::create_tree)
        .on::<GetBlob, _, _>(handlers::get_blob)
        .on::<CreateBlob, _, _>(handlers::create_blob)
}
