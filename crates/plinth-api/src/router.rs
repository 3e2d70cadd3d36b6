//! The whole API on one screen.

use std::sync::{Arc, LazyLock};

use crate::routes::{Matcher, Routes};
use crate::{
    accounts, branches, commits, contents, explorer, git_http, git_objects, graphql, installations, issue_comments,
    issue_fields, issues, labels, merges, meta, notifications, oauth, project_fields, project_items, projects, pulls,
    refs, releases, repos, review_comments, review_requests, statuses, webhooks,
};

pub fn routes() -> Routes {
    explorer::with_pages(graphql::with_queries(api()))
}

/// The matcher of [`routes`]. All services of a process share it: building it takes longer than the rest of a reset.
pub fn matcher() -> Arc<Matcher> {
    static MATCHER: LazyLock<Arc<Matcher>> = LazyLock::new(|| Arc::new(routes().into_matcher()));
    MATCHER.clone()
}

fn api() -> Routes {
    Routes::default()
        .merge(project_fields::routes())
        .merge(issue_fields::routes())
        .merge(review_comments::routes())
        .merge(refs::routes())
        .merge(git_objects::routes())
        .merge(branches::routes())
        .merge(commits::routes())
        .merge(contents::routes())
        .merge(installations::routes())
        .merge(git_http::routes())
        .merge(meta::routes())
        .merge(notifications::routes())
        .merge(oauth::routes())
        .merge(accounts::routes())
        .merge(projects::routes())
        .merge(project_items::routes())
        .merge(pulls::routes())
        .merge(issues::routes())
        .merge(issue_comments::routes())
        .merge(labels::routes())
        .merge(merges::routes())
        .merge(review_requests::routes())
        .merge(statuses::routes())
        .merge(releases::routes())
        .merge(repos::routes())
        .merge(webhooks::routes())
}
