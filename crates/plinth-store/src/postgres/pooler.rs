//! Recognizes a pooler in transaction mode, which gives a client another session for each transaction.
//!
//! A node needs sessions of its own: for the locks that tell nodes from each other, for prepared statements, and for
//! settings. Through such a pooler it would start, and fail now and then.

use tokio_postgres::{Client, SimpleQueryMessage};

use super::target::Target;
use crate::DbError;
use plinth_base::error::{Error, Result};

/// How often two connections are compared: under load, a pooler may give them different sessions by chance.
const ROUNDS: usize = 3;
const SESSION: &str = "select pg_backend_pid()";
/// What PgBouncer says to settings that it does not know.
const UNSUPPORTED: &str = "unsupported startup parameter";
/// What it says to a transaction in statement mode.
const NO_TRANSACTIONS: &str = "transaction blocks not allowed";

/// Fails if connections share sessions. Two that are open at the same time never do, unless something between gives each
/// the session that is free.
pub async fn check(target: &Target) -> Result<()> {
    let connected = async { Ok((target.connect().await?, target.connect().await?)) };
    let (one, other) = match connected.await {
        Err(error) if is(&error, UNSUPPORTED) => return Err(Error::BadRequest(rejects_settings(&error))),
        connected => connected?,
    };
    for _ in 0..ROUNDS {
        let first = session_of(&one.client).await?;
        let second = async {
            other.client.batch_execute("begin").await?;
            let session = session_of(&other.client).await?;
            other.client.batch_execute("rollback").await?;
            Ok(session)
        };
        match second.await {
            Ok(second) if second != first => {}
            Ok(_) => return Err(Error::BadRequest(shares_sessions("transaction"))),
            Err(error) if is(&error, NO_TRANSACTIONS) => return Err(Error::BadRequest(shares_sessions("statement"))),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Without a prepared statement, which a pooler could lose.
async fn session_of(client: &Client) -> Result<Option<String>, DbError> {
    let messages = client.simple_query(SESSION).await?;
    Ok(messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    }))
}

fn is(error: &DbError, text: &str) -> bool {
    error.to_string().contains(text)
}

fn shares_sessions(mode: &str) -> String {
    format!(
        "the database URL leads to a pooler in {mode} mode, which plinth cannot use: each server needs sessions of its own. \
         Use the address of PostgreSQL, or a pooler in session mode"
    )
}

fn rejects_settings(error: &DbError) -> String {
    format!(
        "the database URL leads to a pooler that rejects the settings of a session ({error}). Use the address of PostgreSQL, \
         or a pooler in session mode that accepts them: ignore_startup_parameters = options"
    )
}
