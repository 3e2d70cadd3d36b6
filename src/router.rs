//! The whole API on one screen.

use crate::api::routes::Routes;
use crate::{installations, issue_fields, meta, profiles, repositories};

pub fn routes() -> Routes {
    Routes::default()
        .merge(issue_fields::routes())
        .merge(installations::routes())
        .merge(meta::routes())
        .merge(profiles::routes())
        .merge(repositories::routes())
}
