//! After a failed sync: nothing is acknowledged until the database was reopened and verified.
//!
//! The kernel may have dropped what it could not write and report the next sync as a success, so going on could
//! acknowledge what is not on the disk. Instead everything that was acknowledged is copied out of the write-ahead log into
//! the database, both are synced, the log is emptied, and the whole database is checked.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::queued_write::QueuedWrite;
use super::{Shared, open_writer};
use crate::DbError;

const RETRY_INTERVAL_MIN: Duration = Duration::from_millis(250);
const RETRY_INTERVAL_MAX: Duration = Duration::from_secs(30);

/// Rejects all writes until the database is verified, and returns what `open` makes of a new connection; nothing when no
/// writes can come any more.
pub fn reopen<T>(
    engine: &Arc<Shared>,
    why: &str,
    waiting: &Receiver<QueuedWrite>,
    open: impl Fn(rusqlite::Connection) -> Result<T, DbError>,
) -> Option<T> {
    let file = engine.file.display();
    engine.writer.reject_writes(why);
    tracing::error!(%file, why, "a sync failed: no write is accepted until the database was reopened and verified");
    let mut interval = RETRY_INTERVAL_MIN;
    loop {
        reject_until(Instant::now() + interval, why, waiting)?;
        match open_verified(engine).and_then(&open) {
            Ok(opened) => {
                engine.idle_readers.lock().clear();
                engine.writer.accept_writes();
                tracing::info!(%file, "the database was reopened and verified; writes are taken again");
                return Some(opened);
            }
            Err(error) => tracing::error!(%file, %error, "the database cannot be used yet"),
        }
        interval = (interval * 2).min(RETRY_INTERVAL_MAX);
    }
}

fn reject_until(moment: Instant, why: &str, waiting: &Receiver<QueuedWrite>) -> Option<()> {
    loop {
        match waiting.recv_timeout(moment.saturating_duration_since(Instant::now())) {
            Ok(write) => write.complete(Err(&DbError::SyncFailed(why.to_owned()))),
            Err(RecvTimeoutError::Timeout) => return Some(()),
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}

/// The connection that failed stays open meanwhile: the shared memory of the log must outlive the change.
fn open_verified(engine: &Shared) -> Result<rusqlite::Connection, DbError> {
    let connection = open_writer(&engine.file, engine.durability)?;
    let busy = connection.query_row("pragma wal_checkpoint(truncate)", [], |row| row.get::<_, i64>(0))?;
    if busy != 0 {
        return Err(DbError::Unavailable("the log is in use by a reader".into()));
    }
    let result = connection.query_row("pragma integrity_check(1)", [], |row| row.get::<_, String>(0))?;
    match result.as_str() {
        "ok" => Ok(connection),
        damage => Err(DbError::Fault(format!("the database is damaged, restore a backup: {damage}").into())),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use super::*;
    use crate::sqlite::tests::label;
    use crate::sqlite::{Durability, Engine};
    use plinth_base::error::Error;

    #[tokio::test]
    async fn reopened_database_has_everything_that_was_acknowledged() {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let engine = Engine::open(&directory.path().join("store"), Durability::PowerCut, Default::default())
            .expect("a store can be opened");
        let put = |name: &'static str| {
            engine.write_unchecked(label(), (), move |tx, ()| {
                Box::pin(async move {
                    let sql = "insert into setting (name, value) values ($1, $1)";
                    Ok(tx.execute(sql, crate::params![name]).await?)
                })
            })
        };
        put("before").await.expect("it is written");
        let shared = engine.shared.clone();
        shared.writer.reject_writes("a test");
        assert!(matches!(put("rejected").await, Err(Error::Unavailable(_))), "no write is accepted");
        let (_queue, waiting) = sync_channel(1);
        let reopened = reopen(&shared, "a test", &waiting, Ok).expect("the queue is open");
        let names: i64 = reopened
            .query_row("select count(*) from setting where name = 'before'", [], |row| row.get(0))
            .expect("it reads");
        assert_eq!(names, 1);
        put("after").await.expect("it is written");
    }

    #[test]
    fn damaged_database_is_not_reopened() {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let file = directory.path().join("store");
        let engine = Engine::open(&file, Durability::PowerCut, Default::default()).expect("a store can be opened");
        let checkpoint = engine.reader().expect("it can be read");
        checkpoint.query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(())).expect("the log is emptied");
        drop(checkpoint);
        let mut bytes = std::fs::read(&file).expect("it can be read");
        let page = 4096;
        assert!(bytes.len() > 20 * page, "there are pages to damage");
        bytes[3 * page..12 * page].fill(0x5a);
        std::fs::write(&file, bytes).expect("it can be written");
        assert!(open_verified(&engine.shared).is_err());
    }
}
