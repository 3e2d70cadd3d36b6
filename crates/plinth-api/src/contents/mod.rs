//! Files and directories by their paths.

mod find;
mod handlers;
pub mod json;
mod readme;
mod submodules;

use crate::policy::table::{GetContents, GetReadme, GetReadmeInDirectory};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<GetContents, _, _>(handlers::get)
        .on::<GetReadme, _, _>(handlers::get_readme)
        .on::<GetReadmeInDirectory, _, _>(handlers::get_readme_in_directory)
}
