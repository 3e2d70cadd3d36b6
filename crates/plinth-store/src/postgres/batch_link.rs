//! How a member of a batch reaches the connection that all members share.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::pipeline::{Output, Purpose, Step};
use crate::DbError;

/// Statements whose results a member waits for.
pub(super) struct Submission {
    pub steps: Vec<Step>,
    /// Whether one of them may use what is not changed before the end of the batch.
    pub uses_deferred: bool,
    /// Whether an earlier one has changed something.
    pub has_changed: bool,
}

/// The results of a submission.
pub(super) struct Delivery {
    pub outputs: Vec<(Purpose, Output)>,
    /// Whether there is an active webhook.
    pub webhooks: Option<bool>,
}

#[derive(Clone, Default)]
pub(super) struct BatchLink(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    submission: Option<Submission>,
    sender: Option<oneshot::Sender<Delivery>>,
}

impl BatchLink {
    pub async fn submit(&self, submission: Submission) -> Result<Delivery, DbError> {
        let (sender, receiver) = oneshot::channel();
        *self.0.lock() = State { submission: Some(submission), sender: Some(sender) };
        receiver.await.map_err(|_| DbError::timed_out())
    }

    /// Whether the member waits, and nobody has taken its statements.
    pub fn is_waiting(&self) -> bool {
        self.0.lock().submission.is_some()
    }

    pub fn take(&self) -> Option<Submission> {
        self.0.lock().submission.take()
    }

    pub fn deliver(&self, delivery: Delivery) {
        if let Some(sender) = self.0.lock().sender.take() {
            // The member may have been given up.
            let _ = sender.send(delivery);
        }
    }
}
