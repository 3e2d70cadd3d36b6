//! The whole API on one screen.

use crate::api::routes::Routes;
use crate::{git_http, installations, meta, profiles, repositories};

pub fn routes() -> Routes {
    Routes::default()
        .merge(git_http::routes())
        .merge(installations::routes())
        .merge(meta::routes())
        .merge(profiles::routes())
        .merge(repositories::routes())
}
