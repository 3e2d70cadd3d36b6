//! The OAuth device flow: a device shows a code, a user approves it, and the device gets its token.

pub mod browsers;
mod input;
pub mod model;
pub mod operations;
pub mod rules;
pub mod store;

pub use input::{Approval, TokenRequest};
pub use model::{ApprovalRequest, Decision, RequestingApp};
