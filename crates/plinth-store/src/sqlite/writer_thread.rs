//! The loop of the writer thread: group after group, and a new connection after a failed sync.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use super::change::Change;
use super::pooled::{Opened, Role};
use super::writer::write_group;
use super::{Pooled, Shared, recovery};
use crate::{Connection, DbError, Transaction};

/// Runs until nobody is left to write for.
pub fn run(connection: rusqlite::Connection, home: &Arc<Shared>, changes: &Receiver<Box<dyn Change>>) {
    let as_writer =
        |opened| Transaction::new(Connection::Sqlite(Pooled::new(Opened::new(opened), home.clone(), Role::Writer)));
    let mut tx = as_writer(connection);
    while let Ok(first) = changes.recv() {
        // Threads that are ready to run may be about to bring changes, which then share the commit.
        std::thread::yield_now();
        let busy = home.writer.begin();
        let written = write_group(&mut tx, &home.watch, first, changes);
        drop(busy);
        if let Err(DbError::SyncFailed(why)) = written {
            let Some(reopened) = recovery::reopen(home, &why, changes) else { return };
            tx = as_writer(reopened);
        }
    }
}
