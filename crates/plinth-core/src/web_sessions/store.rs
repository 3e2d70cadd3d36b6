//! SQL for sessions, whose ids are stored as hashes.

use plinth_base::clock::Timestamp;
use plinth_base::ids::TokenId;
use plinth_store::{Connection, DbError, Transaction, params};

pub async fn insert(
    db: &mut Transaction,
    hash: &[u8; 32],
    token: TokenId,
    (now, expires_at): (Timestamp, Timestamp),
) -> Result<(), DbError> {
    let sql = "insert into web_session (hash, token_id, created_at, expires_at) values ($1, $2, $3, $4)";
    db.takes_no_right().execute(sql, params![hash, token, now, expires_at]).await?;
    Ok(())
}

/// The token of a session that has not expired.
pub async fn find(db: &mut Connection, hash: &[u8; 32], now: Timestamp) -> Result<Option<TokenId>, DbError> {
    let sql = "select token_id from web_session where hash = $1 and expires_at > $2";
    Ok(db.optional::<(TokenId,)>(sql, params![hash, now]).await?.map(|(token,)| token))
}

/// Whoever has the session loses the rights of its token.
pub async fn delete(db: &mut Transaction, hash: &[u8; 32]) -> Result<u64, DbError> {
    db.execute("delete from web_session where hash = $1", params![hash]).await
}

/// What has expired at `$1`, or whose token has ended.
macro_rules! ended {
    () => {
        "web_session where expires_at <= $1 or token_id in (select id from token where ended_at is not null)"
    };
}

/// Deletes sessions that have expired, and those whose tokens have ended.
pub async fn delete_ended(db: &mut Transaction, now: Timestamp) -> Result<u64, DbError> {
    db.content_only().execute(concat!("delete from ", ended!()), params![now]).await
}

/// Whether [`delete_ended`] would delete one.
pub async fn has_ended(db: &mut Connection, now: Timestamp) -> Result<bool, DbError> {
    let sql = concat!("select cast(1 as bigint) from ", ended!(), " limit 1");
    Ok(db.optional::<(i64,)>(sql, params![now]).await?.is_some())
}
