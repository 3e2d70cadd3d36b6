//! Waiting for something that the server will see, instead of sleeping in a test.

use std::time::Duration;

use super::input::{RequestFilter, WaitQuery};
use super::pattern::{Asked, Pattern};
use super::requests::LoggedRequest;
use super::slot::Current;
use plinth_api::app::App;
use plinth_base::error::{Error, Result};
use plinth_core::webhooks::queue::count_due;

const TIMEOUT_MS_DEFAULT: u64 = 5_000;
const TIMEOUT_MS_MAX: u64 = 60_000;
/// How often the queue of webhooks is read.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

impl RequestFilter {
    /// The condition on a request of the log.
    pub fn into_condition(self) -> impl Fn(&LoggedRequest) -> bool {
        let Self { method, path, operation, status, after, unmatched } = self;
        let pattern = Pattern { method, path, operation, token: None };
        move |request: &LoggedRequest| {
            let method = request.method.parse().unwrap_or_default();
            let asked = Asked { method: &method, path: &request.path, operation: request.operation, token: None };
            pattern.matches(&asked)
                && status.is_none_or(|status| request.status == Some(status))
                && after.is_none_or(|after| request.id > after)
                && (!unmatched || request.operation.is_none())
        }
    }
}

/// What a wait has found.
pub enum Found {
    Request(Box<LoggedRequest>),
    /// Nothing is left to send.
    Deliveries,
    /// Not in time.
    Nothing {
        pending_deliveries: Option<i64>,
    },
}

pub async fn wait(current: &Current, query: &WaitQuery) -> Result<Found> {
    let timeout_ms = query.timeout_ms.unwrap_or(TIMEOUT_MS_DEFAULT);
    if timeout_ms > TIMEOUT_MS_MAX {
        return Err(Error::unprocessable(format!("timeout_ms is at most {TIMEOUT_MS_MAX}")));
    }
    let timeout = Duration::from_millis(timeout_ms);
    if query.deliveries {
        let waited = tokio::time::timeout(timeout, wait_for_deliveries(&current.instance.app)).await;
        return match waited {
            Ok(result) => result.map(|()| Found::Deliveries),
            Err(_) => Ok(Found::Nothing { pending_deliveries: Some(count_due(&current.instance.app).await?) }),
        };
    }
    let found = current.requests.wait(query.filter().into_condition(), timeout).await;
    Ok(found.map_or(Found::Nothing { pending_deliveries: None }, |request| Found::Request(Box::new(request))))
}

/// Waits until every event has been sent to all its hooks and each receiver has responded or failed. An attempt that is to
/// be repeated later counts as done.
pub async fn wait_for_deliveries(app: &App) -> Result<()> {
    while count_due(app).await? > 0 {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    Ok(())
}
