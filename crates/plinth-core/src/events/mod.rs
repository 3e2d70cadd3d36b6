//! Events: what has happened, recorded in the transaction of the change and not dispatched to hooks yet
//! ([decision 0137](../../../../docs/decisions/0137-events-and-webhooks.md)).

pub mod model;
mod operations;
pub mod store;

pub use model::{Event, EventName, NewEvent};
pub use operations::{is_wanted, record, to_data};
