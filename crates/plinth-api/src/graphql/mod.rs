//! The queries of GraphQL that tools send besides REST (decision 0150).
//!
//! A query is translated into reads of the REST operations, with the rights of its caller, and their responses into the types
//! of GitHub's schema. So a query shows nothing that REST does not show, and there is one implementation of everything.

pub mod body;
mod document;
mod errors;
mod executor;
mod fields;
mod handlers;
mod nesting;
mod nodes;
mod reader;
mod variables;

use std::sync::Arc;

use crate::app::App;
use crate::policy::table::Query;
use crate::request::Allowed;
use crate::routes::Routes;
use body::QueryBody;
use plinth_core::access::NoTarget;

/// Adds the endpoint to the routes that its queries read from.
pub fn with_queries(routes: Routes) -> Routes {
    let matcher = Arc::new(routes.clone().into_matcher());
    routes.on::<Query, _, _>(move |access: Allowed<Query, NoTarget>, app: App, body: QueryBody| {
        handlers::query(matcher.clone(), access, app, body)
    })
}
