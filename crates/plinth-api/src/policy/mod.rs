//! The policy table: every endpoint with its path and the rule for its callers.
//!
//! A handler that takes an `Allowed` cannot run before the decision, and a route can only be registered with the
//! endpoint that its handler names, so a route without a row in the table does not compile.

mod declaration;
mod row;
pub mod table;

pub use row::{Caching, Endpoint, Row, Wire};
