//! Permits for git processes, which limit how many run at once.

use std::time::Duration;

use crate::app::App;
use crate::app::permits::Permit;
use crate::request::context::RequestContext;
use plinth_base::error::{Error, Result};

/// How long a clone or push waits for a permit.
const PATIENCE: Duration = Duration::from_secs(30);
/// Clones and pushes of one caller that wait.
const WAITING_PER_CALLER_MAX: usize = 64;

/// Waits for a permit if the caller or the service has none left. The request's own permit is released meanwhile.
pub async fn acquire(app: &App, context: &RequestContext) -> Result<Permit> {
    let acquiring = app.git_permits.acquire(context.caller(), 1, PATIENCE, WAITING_PER_CALLER_MAX);
    let acquired = context.permit.while_waiting(acquiring).await;
    acquired.ok_or_else(|| Error::Unavailable("too many clones and pushes at once".into()))
}
