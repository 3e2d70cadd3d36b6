//! Permits for processes of git, of which a machine bears only so many at once.

use std::time::Duration;

use crate::app::App;
use crate::app::permits::Permit;
use crate::request::context::RequestContext;
use plinth_base::error::{Error, Result};

/// How long a clone or push waits for others to end before it is refused.
const PATIENCE: Duration = Duration::from_secs(30);
/// Clones and pushes of one caller that wait.
const WAITING_PER_CALLER_MAX: usize = 64;

/// A permit, after a wait where the caller or everyone together has too many. The request does not hold its own meanwhile.
pub async fn acquire(app: &App, context: &RequestContext) -> Result<Permit> {
    let acquiring = app.git_permits.acquire(context.caller(), 1, PATIENCE, WAITING_PER_CALLER_MAX);
    let acquired = context.permit.while_waiting(acquiring).await;
    acquired.ok_or_else(|| Error::Unavailable("too many clones and pushes at once".into()))
}
