//! The whole API on one screen.

use crate::api::routes::Routes;
use crate::{installations, meta, oauth, profiles, repositories, web};

pub fn routes() -> Routes {
    let api = Routes::default()
        .merge(installations::routes())
        .merge(meta::routes())
        .merge(oauth::routes())
        .merge(profiles::routes())
        .merge(repositories::routes());
    web::with_pages(api)
}
