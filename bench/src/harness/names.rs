//! Names that the service defines, each in one place: flags, variables, metrics and keys of its ready line.

/// Bytes of the response cache; 0 turns it off.
pub const RESPONSE_CACHE_BYTES: &str = "--response-cache-bytes";
/// Caches that are turned off.
pub const DISABLED_CACHES: &str = "--disabled-caches";
/// The rate limits.
pub const RATE_LIMITS: [&str; 4] =
    ["--requests-per-hour", "--anonymous-requests-per-hour", "--content-per-minute", "--content-per-hour"];
/// Seconds after which a request is aborted.
pub const REQUEST_TIMEOUT: &str = "--request-seconds";
/// Addresses that webhooks may be sent to although they are not public.
pub const WEBHOOK_PRIVATE_TARGETS: &str = "--webhook-private-targets";
pub const WEBHOOK_ATTEMPTS: &str = "--webhook-attempts-max";
/// Prefix of the variables that configure the service.
pub const VARIABLE_PREFIX: &str = "PLINTH_";
/// SQLite's `synchronous` setting, for measurements only.
pub const SYNCHRONOUS_VARIABLE: &str = "PLINTH_DEV_SYNCHRONOUS";
/// SQL statements executed since the start.
pub const STATEMENTS_METRIC: &str = "plinth_store_statements_total";
/// Responses that came from the response cache.
pub const CACHE_HITS_METRIC: &str = "plinth_response_cache_hits_total";
pub const SHARED_BODY_HITS_METRIC: &str = "plinth_shared_body_hits_total";
pub const REF_HITS_METRIC: &str = "plinth_ref_hits_total";
pub const COMMENT_HITS_METRIC: &str = "plinth_comment_hits_total";
pub const COMMENT_PAGE_HITS_METRIC: &str = "plinth_comment_page_hits_total";
/// Webhooks that receivers have accepted.
pub const DELIVERIES_METRIC: &str = "plinth_webhook_deliveries_total{outcome=\"2xx\"}";
/// In the ready line: where the service and its metrics listen.
pub const READY_URL: &str = "url";
pub const READY_METRICS_URL: &str = "metrics_url";
/// In the data directory: the database and the repositories.
pub const DATABASE_FILE: &str = "plinth.db";
pub const REPOSITORIES_DIRECTORY: &str = "repositories";
