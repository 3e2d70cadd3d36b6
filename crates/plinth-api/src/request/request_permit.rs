//! The permit of one request, which is held while the service works and not while it waits for the client.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::app::permits::{Caller, Permit, Permits};
use plinth_base::error::{Error, Result};

/// The timeout of the request comes first.
const PATIENCE: Duration = Duration::from_secs(24 * 3600);

/// The permit of one request.
#[derive(Debug)]
pub struct RequestPermit {
    permits: Arc<Permits>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    held: Option<Permit>,
    caller: Option<Caller>,
}

impl RequestPermit {
    /// Nothing where too many requests are at work.
    pub fn try_new(permits: &Arc<Permits>) -> Option<Arc<Self>> {
        let held = Some(permits.try_acquire_for_nobody()?);
        Some(Arc::new(Self { permits: permits.clone(), state: Mutex::new(State { held, caller: None }) }))
    }

    /// Counts it for its caller, who may have too many already.
    pub fn count_for(&self, caller: Caller) -> Result<()> {
        let mut state = self.state.lock();
        state.caller = Some(caller);
        if state.held.as_mut().is_none_or(|permit| self.permits.count_for(permit, caller)) {
            return Ok(());
        }
        Err(Error::Unavailable("too many requests of one caller at once".into()))
    }

    /// Gives it back for the time being.
    pub fn release(&self) {
        self.state.lock().held = None;
    }

    /// Whether it is held, or can be at once.
    pub fn try_hold(&self) -> bool {
        let mut state = self.state.lock();
        if state.held.is_none() {
            state.held = match state.caller {
                Some(caller) => self.permits.try_acquire(caller),
                None => self.permits.try_acquire_for_nobody(),
            };
        }
        state.held.is_some()
    }

    /// Waits until it is held again.
    pub async fn hold(self: Arc<Self>) {
        if self.try_hold() {
            return;
        }
        let Some(caller) = self.state.lock().caller else { return };
        let permit = self.permits.acquire(caller, 1, PATIENCE, usize::MAX).await;
        self.state.lock().held = permit;
    }

    /// Does not hold it while something else is waited for.
    pub async fn while_waiting<T>(self: &Arc<Self>, waiting: impl Future<Output = T>) -> T {
        self.release();
        let done = waiting.await;
        self.clone().hold().await;
        done
    }
}
