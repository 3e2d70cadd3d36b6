//! The whole API on one screen.

use crate::api::routes::Routes;
use crate::{installations, meta, profiles, pulls, repositories};

pub fn routes() -> Routes {
    Routes::default()
        .merge(installations::routes())
        .merge(meta::routes())
        .merge(profiles::routes())
        .merge(pulls::routes())
        .merge(repositories::routes())
}
