//! What the control interface returns.

use schemars::JsonSchema;
use serde::Serialize;

use super::slot::Slot;
use crate::state_file::StoreSnapshot;
use plinth_base::clock::{Clock, Timestamp};

#[derive(Debug, Serialize, JsonSchema)]
pub struct SnapshotName {
    pub name: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct AppliedState {
    /// A line for each change, and one with their numbers.
    pub report: Vec<String>,
}

/// A state file with everything.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExportedState {
    pub snapshot: StoreSnapshot,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ClockState {
    pub now: Timestamp,
    pub frozen: bool,
}

impl ClockState {
    pub fn of(clock: &Clock) -> Self {
        Self { now: clock.now(), frozen: clock.is_frozen() }
    }
}

/// Every webhook was responded to.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NoDeliveries {
    pub pending_deliveries: i64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct NothingInTime {
    pub message: &'static str,
    /// The webhooks that are left, if these were waited for.
    pub pending_deliveries: Option<i64>,
}

/// A namespace and its address.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ShownNamespace {
    pub name: String,
    pub url: String,
}

impl ShownNamespace {
    pub fn of(slot: &Slot) -> Self {
        Self { name: slot.name.clone(), url: slot.url.clone() }
    }
}
