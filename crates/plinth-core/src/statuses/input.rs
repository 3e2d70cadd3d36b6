//! Input to create a status.

use super::StatusState;

/// The context of a status that names none, as on GitHub.
pub const DEFAULT_CONTEXT: &str = "default";

/// The body of `POST …/statuses/{sha}`.
#[derive(Debug, Clone)]
pub struct NewStatus {
    pub state: StatusState,
    pub context: String,
    pub description: Option<String>,
    pub target_url: Option<String>,
}
