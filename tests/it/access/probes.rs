//! Handlers for operations whose area does not exist yet: they answer 204 to whoever the table admits.
//!
//! With them the rows that the table alone decides are proven before the area is there. A real handler takes the place
//! of its probe by being registered; when the last one has come, this file goes.

use std::collections::BTreeSet;

use plinth_api::policy::Endpoint;
use plinth_api::policy::table::{self, TABLE};
use plinth_api::request::Allowed;
use plinth_api::response::api_response::ApiResponse;
use plinth_api::routes::Routes;
use plinth_core::access::{Org, Target};
use plinth_core::repos::RepoTarget;

async fn probe<E: Endpoint, T: Target>(_: Allowed<E, T>) -> ApiResponse {
    ApiResponse::no_content()
}

/// The real routes, the probes beside them, and the names of the probes.
pub fn routes() -> (Routes, BTreeSet<&'static str>) {
    let mut routes = plinth_api::router::routes();
    let real: BTreeSet<&str> = routes.rows().map(|row| row.operation).collect();
    let mut probes = BTreeSet::new();
    macro_rules! probe {
        ($target:ty: $($endpoint:ident)*) => {$(
            if !real.contains(table::$endpoint::ROW.operation) {
                probes.insert(table::$endpoint::ROW.operation);
                routes = routes.on::<table::$endpoint, _, _>(probe::<table::$endpoint, $target>);
            }
        )*};
    }
    probe!(Org: ListIssueFields CreateIssueField UpdateIssueField DeleteIssueField);
    probe!(RepoTarget: ListRepoReviewComments GetReviewComment UpdateReviewComment DeleteReviewComment
        ListReviewComments CreateReviewComment CreateReplyForReviewComment
        ListMatchingRefs GetRef CreateRef UpdateRef DeleteRef);
    (routes, probes)
}

/// Operations of the reference that nothing answers.
pub fn unanswered() -> BTreeSet<&'static str> {
    let (routes, _) = routes();
    let answered: BTreeSet<&str> = routes.rows().map(|row| row.operation).collect();
    TABLE.iter().map(|row| row.operation).filter(|operation| !answered.contains(operation)).collect()
}
