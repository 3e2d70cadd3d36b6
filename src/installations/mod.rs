//! App installations: what apps are given on accounts, and the tokens that come from it.

mod access_tokens;
mod handlers;
mod json;
mod rules;
mod store;

use crate::api::access::table::{CreateInstallationToken, RevokeInstallationToken};
use crate::api::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<RevokeInstallationToken, _, _>(handlers::revoke_token)
        .on::<CreateInstallationToken, _, _>(access_tokens::create)
}
