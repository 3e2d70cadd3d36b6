//! The limit of durable writing: axum, one writer thread that groups what waits into one commit, and one insert for each
//! request. Whatever else a service does for a write comes on top of this.

use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use tokio::sync::oneshot;
use tower_service::Service;

use super::{Answers, Written, accept};
use crate::Result;

/// As in the service's own writer.
const QUEUE_CAPACITY: usize = 4096;
const GROUP_MAX: usize = 256;
const BODY_MAX: usize = 1 << 20;

/// How far SQLite syncs, in its own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Synchronous {
    Full,
    Normal,
}

impl Synchronous {
    pub fn word(self) -> &'static str {
        match self {
            Synchronous::Full => "full",
            Synchronous::Normal => "normal",
        }
    }
}

impl FromStr for Synchronous {
    type Err = String;

    fn from_str(word: &str) -> Result<Self> {
        match word {
            "full" => Ok(Synchronous::Full),
            "normal" => Ok(Synchronous::Normal),
            other => Err(format!("`{other}` is not how SQLite syncs")),
        }
    }
}

struct Limit {
    answers: Answers,
    queue: SyncSender<Job>,
}

struct Job {
    data: Bytes,
    done: oneshot::Sender<()>,
}

pub async fn serve(answers: Answers, database: &Path, synchronous: Synchronous, written: Written) -> Result<ExitCode> {
    let connection = open(database, synchronous).map_err(|error| error.to_string())?;
    let (queue, jobs) = sync_channel(QUEUE_CAPACITY);
    std::thread::spawn(move || write_all(&connection, written, &jobs));
    let router = Router::new().fallback(answer).with_state(Arc::new(Limit { answers, queue }));
    accept(move |request| {
        let mut router = router.clone();
        async move {
            let Ok(response) = router.call(request).await;
            response
        }
    })
    .await
}

async fn answer(State(limit): State<Arc<Limit>>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let data = axum::body::to_bytes(request.into_body(), BODY_MAX).await.unwrap_or_default();
    let (done, is_done) = oneshot::channel();
    if limit.queue.try_send(Job { data, done }).is_err() || is_done.await.is_err() {
        return Response::builder().status(503).body(axum::body::Body::empty()).unwrap_or_default();
    }
    limit.answers.for_path(&path)
}

/// A database as the service opens it, with a table for entries.
pub fn open(file: &Path, synchronous: Synchronous) -> rusqlite::Result<rusqlite::Connection> {
    let connection = rusqlite::Connection::open(file)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", synchronous.word())?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.execute_batch("create table if not exists entry (id integer primary key, data blob not null)")?;
    Ok(connection)
}

fn write_all(connection: &rusqlite::Connection, written: Written, jobs: &Receiver<Job>) {
    let mut number = 0;
    while let Ok(first) = jobs.recv() {
        // As in the service's own writer: who is ready to run may bring more.
        std::thread::yield_now();
        // Without an answer the request fails, and the run with it.
        let _ = write_group(connection, written, &mut number, first, jobs);
    }
}

fn write_group(
    connection: &rusqlite::Connection,
    written: Written,
    number: &mut i64,
    first: Job,
    jobs: &Receiver<Job>,
) -> rusqlite::Result<()> {
    connection.prepare_cached("begin immediate")?.execute([])?;
    let mut waiting = Vec::new();
    let mut next = Some(first);
    while let Some(job) = next {
        written.write(connection, *number, &job.data)?;
        *number += 1;
        waiting.push(job.done);
        next = jobs.try_recv().ok().filter(|_| waiting.len() < GROUP_MAX);
    }
    connection.prepare_cached("commit")?.execute([])?;
    for done in waiting {
        let _ = done.send(());
    }
    Ok(())
}
