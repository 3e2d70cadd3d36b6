//! SQL for device codes; the device's own code is stored as a hash.

use super::model::{Decision, DeviceCode};
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, AppId};
use plinth_store::{Connection, DbError, Transaction, params};

/// The columns of a new code.
pub struct NewDeviceCode<'a> {
    pub hash: [u8; 32],
    pub user_code: &'a str,
    pub app: Option<AppId>,
    pub scopes: &'a str,
    pub interval_seconds: i64,
    pub expires_at: Timestamp,
}

pub async fn insert(db: &mut Transaction, new: &NewDeviceCode<'_>, now: Timestamp) -> Result<()> {
    let sql = "insert into device_code (hash, user_code, app_id, scopes, interval_seconds, created_at, expires_at) \
               values ($1, $2, $3, $4, $5, $6, $7)";
    let values = params![new.hash, new.user_code, new.app, new.scopes, new.interval_seconds, now, new.expires_at];
    let taken = || Error::Unavailable("a code of the same letters is waiting for its user".into());
    db.content_only().execute(sql, values).await.map_err(|error| error.on_unique(taken))?;
    Ok(())
}

/// The code of a device of this app.
pub async fn find(db: &mut Connection, hash: &[u8; 32], app: AppId) -> Result<Option<DeviceCode>, DbError> {
    let sql = "select id, user_code, app_id, scopes, interval_seconds, expires_at, polled_at, decision, user_id \
               from device_code where hash = $1 and app_id = $2";
    db.optional(sql, params![hash, app]).await
}

/// The code of a browser.
pub async fn find_of_browser(db: &mut Connection, hash: &[u8; 32]) -> Result<Option<DeviceCode>, DbError> {
    let sql = "select id, user_code, app_id, scopes, interval_seconds, expires_at, polled_at, decision, user_id \
               from device_code where hash = $1 and app_id is null";
    db.optional(sql, params![hash]).await
}

/// The code with this user code, if it is neither decided nor expired.
pub async fn find_undecided(
    db: &mut Connection,
    user_code: &str,
    now: Timestamp,
) -> Result<Option<DeviceCode>, DbError> {
    let sql = "select id, user_code, app_id, scopes, interval_seconds, expires_at, polled_at, decision, user_id \
               from device_code where user_code = $1 and decision is null and expires_at > $2";
    db.optional(sql, params![user_code, now]).await
}

pub async fn update_decision(
    db: &mut Transaction,
    id: i64,
    decision: Decision,
    user: Option<AccountId>,
) -> Result<(), DbError> {
    let sql = "update device_code set decision = $2, user_id = $3 where id = $1";
    db.content_only().execute(sql, params![id, decision, user]).await?;
    Ok(())
}

/// Records the time of a poll and the new interval.
pub async fn update_polled(db: &mut Transaction, id: i64, now: Timestamp, interval: i64) -> Result<(), DbError> {
    let sql = "update device_code set polled_at = $2, interval_seconds = $3 where id = $1";
    db.content_only().execute(sql, params![id, now, interval]).await?;
    Ok(())
}

pub async fn delete(db: &mut Transaction, id: i64) -> Result<u64, DbError> {
    db.content_only().execute("delete from device_code where id = $1", params![id]).await
}

/// Whether [`delete_expired`] would delete one.
pub async fn has_expired(db: &mut Connection, moment: Timestamp) -> Result<bool, DbError> {
    let sql = "select cast(1 as bigint) from device_code where expires_at <= $1 limit 1";
    Ok(db.optional::<(i64,)>(sql, params![moment]).await?.is_some())
}

/// Deletes codes that expired before `moment`; a device that still polls gets `incorrect_device_code`.
pub async fn delete_expired(db: &mut Transaction, moment: Timestamp) -> Result<u64, DbError> {
    db.content_only().execute("delete from device_code where expires_at <= $1", params![moment]).await
}
