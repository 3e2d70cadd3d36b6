//! A client that waits for the end of a rate limit.

use axum::http::{HeaderMap, Response};
use chrono::DateTime;

/// Repeats a request that met a rate limit, when the limit has passed. `sleep` gets the seconds to wait.
pub async fn patiently<B>(
    request: impl AsyncFn() -> octocrab::Result<Response<B>>,
    sleep: impl AsyncFn(i64),
) -> octocrab::Result<Response<B>> {
    loop {
        let response = request().await?;
        let Some(seconds) = seconds_to_wait(response.headers()) else { return Ok(response) };
        sleep(seconds).await;
    }
}

fn seconds_to_wait(headers: &HeaderMap) -> Option<i64> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    if let Some(seconds) = text("retry-after") {
        return seconds.parse().ok();
    }
    let is_exceeded = text("x-ratelimit-remaining") == Some("0");
    let reset: i64 = text("x-ratelimit-reset").filter(|_| is_exceeded)?.parse().ok()?;
    let now = DateTime::parse_from_rfc2822(text("date")?).ok()?;
    Some(reset - now.timestamp())
}
