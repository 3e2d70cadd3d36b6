//! The whole API on one screen.

use crate::api::routes::Routes;
use crate::{git_http, git_refs, installations, meta, notifications, profiles, pulls, repositories, review_comments};

pub fn routes() -> Routes {
    Routes::default()
        .merge(git_refs::routes())
        .merge(git_http::routes())
        .merge(installations::routes())
        .merge(meta::routes())
        .merge(notifications::routes())
        .merge(profiles::routes())
        .merge(pulls::routes())
        .merge(repositories::routes())
        .merge(review_comments::routes())
}
