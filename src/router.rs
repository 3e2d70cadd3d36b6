//! The whole API on one screen.

use crate::api::routes::Routes;
use crate::{
    git_http, git_refs, installations, issue_fields, meta, notifications, oauth, profiles, project_fields, projects,
    pulls, repositories, review_comments, web,
};

pub fn routes() -> Routes {
    web::with_pages(api())
}

fn api() -> Routes {
    Routes::default()
        .merge(project_fields::routes())
        .merge(issue_fields::routes())
        .merge(review_comments::routes())
        .merge(git_refs::routes())
        .merge(installations::routes())
        .merge(git_http::routes())
        .merge(meta::routes())
        .merge(notifications::routes())
        .merge(oauth::routes())
        .merge(profiles::routes())
        .merge(projects::routes())
        .merge(pulls::routes())
        .merge(repositories::routes())
}
