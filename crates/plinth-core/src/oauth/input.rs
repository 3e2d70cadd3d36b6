//! Input of devices and of users who approve them.

use super::model::Decision;

/// The body of a device's request for its token.
#[derive(Debug, Clone, Default)]
pub struct TokenRequest {
    pub grant_type: Option<String>,
    pub code: Option<String>,
    pub client_id: Option<String>,
    pub client_secret: Option<String>,
    pub device_code: Option<String>,
}

/// A user's decision about a device.
#[derive(Debug, Clone)]
pub struct Approval {
    pub user_code: String,
    pub decision: Decision,
    /// Identifies the request that the user has seen; not needed to deny.
    pub confirmation: Option<String>,
}
