//! Steps of the operations on installations.

use axum::extract::State;

use crate::api::access::table::RevokeInstallationToken;
use crate::api::access::{Allowed, NoTarget};
use crate::api::reply::Reply;
use crate::app::App;
use crate::error::{Error, Result};
use crate::tokens::{self, Principal};

pub async fn revoke_token(access: Allowed<RevokeInstallationToken, NoTarget>, State(app): State<App>) -> Result<Reply> {
    let Principal::Installation(token) = access.caller() else {
        return Err(Error::internal("the table admits only installation tokens here"));
    };
    let context = (token.token, app.clock.now());
    app.store
        .write(context, |tx, (token, now)| Box::pin(async move { Ok(tokens::store::end(tx, *token, *now).await?) }))
        .await?;
    Ok(Reply::no_content())
}
