//! Git objects by their names: shown, and made without a clone.

mod blob_body;
mod body;
mod create;
mod handlers;
mod json;

use crate::policy::table::{CreateBlob, CreateCommit, CreateTag, CreateTree, GetBlob, GetCommit, GetTag, GetTree};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<GetCommit, _, _>(handlers::get_commit)
        .on::<CreateCommit, _, _>(create::commit)
        .on::<GetTag, _, _>(handlers::get_tag)
        .on::<CreateTag, _, _>(create::tag)
        .on::<GetTree, _, _>(handlers::get_tree)
        .on::<CreateTree, _, _>(create::tree)
        .on::<GetBlob, _, _>(handlers::get_blob)
        .on::<CreateBlob, _, _>(create::blob)
}
