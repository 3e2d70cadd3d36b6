//! Files and directories by their paths.

pub mod body;
mod find;
mod handlers;
pub mod json;
mod readme;
mod submodules;
mod writing;

use crate::policy::table::{DeleteFile, GetContents, GetReadme, GetReadmeInDirectory, WriteFile};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<GetContents, _, _>(handlers::get)
        .on::<WriteFile, _, _>(writing::write)
        .on::<DeleteFile, _, _>(writing::delete)
        .on::<GetReadme, _, _>(handlers::get_readme)
        .on::<GetReadmeInDirectory, _, _>(handlers::get_readme_in_directory)
}
