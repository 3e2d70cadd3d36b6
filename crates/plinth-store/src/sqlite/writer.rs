//! The writer thread: group after group, and a new connection after a failed sync.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use super::group_commit::write_group;
use super::pooled::{Opened, Role};
use super::queued_write::QueuedWrite;
use super::{Pooled, Shared, recovery};
use crate::{Connection, DbError, Transaction};
use plinth_base::error::{Error, Result};

/// Transactions that may wait; more are rejected rather than left waiting past their timeout.
const QUEUE_CAPACITY: usize = 4096;
/// Transactions of one group that the writer lets others send before it begins.
const GATHERED_MAX: usize = 32;
/// How often it lets others go first, each time for one slice of the scheduler at most.
const YIELDS_MAX: usize = 4;
/// How long the read lock of the change tracker may last without a write.
const IDLE_INTERVAL: Duration = Duration::from_secs(1);

/// The handle of the writer thread, which ends with the last clone.
#[derive(Clone)]
pub struct Writer {
    queue: SyncSender<QueuedWrite>,
}

impl Writer {
    pub fn start(connection: rusqlite::Connection, engine: Arc<Shared>) -> Result<Self> {
        let (queue, writes) = sync_channel(QUEUE_CAPACITY);
        let tx = transaction(connection, &engine)?;
        let thread = std::thread::Builder::new().name("plinth-writer".into());
        thread.spawn(move || run(tx, &engine, &writes))?;
        Ok(Self { queue })
    }

    pub fn send(&self, write: QueuedWrite) -> Result<()> {
        match self.queue.try_send(write) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => Err(Error::Unavailable("too many changes are waiting".into())),
            Err(TrySendError::Disconnected(_)) => Err(Error::internal("the writer thread has ended")),
        }
    }
}

/// Runs until the last handle is dropped.
fn run(mut tx: Transaction, engine: &Arc<Shared>, writes: &Receiver<QueuedWrite>) {
    loop {
        let first = match writes.recv_timeout(IDLE_INTERVAL) {
            Ok(first) => first,
            Err(RecvTimeoutError::Timeout) => {
                engine.changes.release_read_lock();
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let group = gather(first, writes);
        let busy = engine.writer.begin();
        let written = write_group(&mut tx, &engine.changes, group, writes);
        drop(busy);
        if tx.take_signal() {
            engine.signal.notify_one();
        }
        if let Err(DbError::SyncFailed(why)) = written {
            let reopened = recovery::reopen(engine, &why, writes, |connection| transaction(connection, engine));
            let Some(reopened) = reopened else { return };
            tx = reopened;
        }
    }
}

/// Lets other threads that are ready to run go first: they may be about to send transactions, which then share the commit. On a machine
/// with an idle core nobody waits for a core, so this takes no time.
fn gather(first: QueuedWrite, writes: &Receiver<QueuedWrite>) -> Vec<QueuedWrite> {
    let mut group = vec![first];
    for _ in 0..YIELDS_MAX {
        std::thread::yield_now();
        let before = group.len();
        group.extend(writes.try_iter().take(GATHERED_MAX - before));
        if group.len() == before || group.len() == GATHERED_MAX {
            break;
        }
    }
    group
}

fn transaction(connection: rusqlite::Connection, engine: &Arc<Shared>) -> Result<Transaction, DbError> {
    let pooled = Pooled::new(Opened::writer(connection)?, engine.clone(), Role::Writer);
    Ok(Transaction::new(Connection::Sqlite(pooled)))
}
