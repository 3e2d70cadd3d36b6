//! Facts about the service: its URLs, version and rate limits.

mod handlers;
pub mod json;

use crate::policy::table::{GetMeta, GetRateLimit, GetRoot, ListVersions};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<GetRoot, _, _>(handlers::root)
        .on::<GetMeta, _, _>(handlers::meta)
        .on::<ListVersions, _, _>(handlers::versions)
        .on::<GetRateLimit, _, _>(handlers::rate_limit)
}
