//! OAuth's device flow: a device shows a code, a user approves it, and the device gets its token.

pub mod body;
mod handlers;
pub mod json;

use crate::policy::table::{ApproveDevice, CreateDeviceCode, CreateOAuthToken, GetDevice};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<CreateDeviceCode, _, _>(handlers::create_code)
        .on::<CreateOAuthToken, _, _>(handlers::create_token)
        .on::<GetDevice, _, _>(handlers::preview)
        .on::<ApproveDevice, _, _>(handlers::approve)
}
