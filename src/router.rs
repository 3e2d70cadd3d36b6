//! The whole API on one screen.

use crate::api::routes::Routes;
use crate::{
    git_http, git_refs, installations, issue_fields, meta, oauth, profiles, project_fields, projects, repositories, web,
};

pub fn routes() -> Routes {
    web::with_pages(api())
}

fn api() -> Routes {
    Routes::default()
        .merge(project_fields::routes())
        .merge(issue_fields::routes())
        .merge(git_refs::routes())
        .merge(git_http::routes())
        .merge(installations::routes())
        .merge(meta::routes())
        .merge(oauth::routes())
        .merge(profiles::routes())
        .merge(projects::routes())
        .merge(repositories::routes())
}
