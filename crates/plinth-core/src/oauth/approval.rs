//! What a device asks for, shown to whoever is about to approve it.

use super::model::DeviceCode;
use super::{rules, store};
use crate::accounts;
use crate::apps::{self, App};
use crate::tokens::Scopes;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::AccountId;
use plinth_store::Connection;

/// A device that waits for its user, with all that an approval gives away.
pub struct Request {
    pub code: DeviceCode,
    pub app: App,
    /// The login of the account that the app belongs to.
    pub app_owner: String,
    /// Of an OAuth app; a GitHub App has permissions instead.
    pub scopes: Scopes,
    /// Stands for the account, the app and its rights.
    pub confirmation: String,
}

/// The device that shows this code, as it asks for the rights of `user`.
pub async fn find(db: &mut Connection, typed: &str, user: AccountId, now: Timestamp) -> Result<Request> {
    let code = store::find_undecided(db, &rules::user_code(typed), now).await?.ok_or(Error::NotFound)?;
    let app = apps::store::find(db, code.app_id).await?.ok_or(Error::NotFound)?;
    let app_owner = accounts::store::find(db, app.owner_id).await?.ok_or(Error::NotFound)?.login;
    let scopes = Scopes::parse(&code.scopes);
    let confirmation = rules::confirmation(user, &app, &scopes);
    Ok(Request { code, app, app_owner, scopes, confirmation })
}
