//! Settings in the store.

use plinth_base::error::{Error, Result};
use plinth_store::{Connection, internal_authority, params};

use crate::Core;
use crate::tokens::random_text;

internal_authority!(
    /// Creates the secret of a new store.
    FirstStart = "app/first-start"
);

const CURSOR_SECRET: &str = "cursor_secret";
const CURSOR_SECRET_LENGTH: usize = 43;

/// The secret that signs list cursors; created on first use. If two nodes create one, the first wins.
pub(crate) async fn cursor_secret(core: &Core) -> Result<Vec<u8>> {
    let mut db = core.read().await?;
    if let Some(secret) = find_setting(&mut db, CURSOR_SECRET).await? {
        return Ok(secret);
    }
    drop(db);
    core.store
        .write(FirstStart, random_text(CURSOR_SECRET_LENGTH), |tx, secret| {
            Box::pin(async move {
                let sql = "insert into setting (name, value) values ($1, $2) on conflict (name) do nothing";
                tx.takes_no_right().execute(sql, params![CURSOR_SECRET, secret.as_bytes()]).await?;
                find_setting(tx, CURSOR_SECRET)
                    .await?
                    .ok_or_else(|| Error::internal("a setting that was just stored is missing"))
            })
        })
        .await
}

async fn find_setting(db: &mut Connection, name: &str) -> Result<Option<Vec<u8>>> {
    let found = db.optional::<(Vec<u8>,)>("select value from setting where name = $1", params![name]).await?;
    Ok(found.map(|(value,)| value))
}
