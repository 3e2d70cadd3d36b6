//! Handlers for operations that are not implemented yet: they return 204 to every caller that the policy table admits.
//!
//! They test the rows that the table alone decides before the operation exists. A real handler replaces its probe when it
//! is registered; this file can be deleted with the last probe.

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

/// The real routes and the probes, and the operations of the probes.
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

/// Operations of the reference without a route.
pub fn unserved() -> BTreeSet<&'static str> {
    let (routes, _) = routes();
    let served: BTreeSet<&str> = routes.rows().map(|row| row.operation).collect();
    TABLE.iter().map(|row| row.operation).filter(|operation| !served.contains(operation)).collect()
}
