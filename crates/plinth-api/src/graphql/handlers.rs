//! The handler of queries.

use std::sync::Arc;

use super::body::{QueryBody, QueryResult};
use super::document;
use super::errors::QueryError;
use super::executor::Executor;
use super::reader::Reader;
use crate::app::App;
use crate::policy::table::Query;
use crate::request::Allowed;
use crate::response::api_response::ApiResponse;
use crate::routes::Matcher;
use plinth_base::error::Result;
use plinth_core::access::NoTarget;

pub async fn query(
    matcher: Arc<Matcher>,
    access: Allowed<Query, NoTarget>,
    app: App,
    body: QueryBody,
) -> Result<ApiResponse> {
    let reader = Reader::new(matcher, access.shared_context(), app);
    let outcome = match document::parse(&body) {
        Ok(fields) => Executor::new(reader).run(&fields).await,
        Err(error) => Err(error),
    };
    let result = match outcome {
        Ok(result) => result,
        Err(QueryError::Invalid(error) | QueryError::Null(error)) => QueryResult { data: None, errors: vec![error] },
        Err(QueryError::Request(error)) => return Err(error),
    };
    Ok(ApiResponse::ok(&result).without_caching())
}
