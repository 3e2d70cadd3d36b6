//! Faults of deliveries, which test servers provoke.

use std::time::Duration;

/// What happens to a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryFault {
    /// It is not sent, and recorded as timed out.
    Lost,
    /// It is sent twice.
    Duplicated,
    /// It is sent after this time.
    Delayed(Duration),
    /// It is sent after the next one, or after ten seconds.
    Reordered,
}

/// Decides which deliveries meet a fault.
pub trait DeliveryFaults: Send + Sync {
    /// The fault of a delivery that is about to be sent.
    fn find(&self, event: &str) -> Option<DeliveryFault>;
}
