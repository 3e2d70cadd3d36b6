//! The whole API on one screen.

use crate::api::routes::Routes;
use crate::{git_http, git_refs, installations, meta, profiles, repositories};

pub fn routes() -> Routes {
    Routes::default()
        .merge(git_refs::routes())
        .merge(git_http::routes())
        .merge(installations::routes())
        .merge(meta::routes())
        .merge(profiles::routes())
        .merge(repositories::routes())
}
