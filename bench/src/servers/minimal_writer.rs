//! The baseline for durable writes: axum, one writer thread that commits all waiting requests in one transaction, and one
//! insert per request that writes. Everything else that a service does for a write costs extra.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use anyhow::Result;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use http::Method;
use http::request::Parts;
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::database::{self, Synchronous};
use super::insert::Insert;
use super::listener;
use super::recorded::RecordedResponses;

/// The service's writer has the same limits.
const QUEUE_CAPACITY: usize = 4096;
const GROUP_MAX: usize = 256;
const BODY_MAX: usize = 1 << 20;

struct Shared {
    responses: RecordedResponses,
    insert: Insert,
    queue: SyncSender<Job>,
}

struct Job {
    insert: Insert,
    data: Bytes,
    done: oneshot::Sender<()>,
}

pub async fn serve(
    responses: RecordedResponses,
    database: &Path,
    synchronous: Synchronous,
    insert: Insert,
) -> Result<ExitCode> {
    let connection = database::open(database, synchronous)?;
    let (queue, jobs) = sync_channel(QUEUE_CAPACITY);
    std::thread::spawn(move || write_all(&connection, &jobs));
    let router = Router::new().fallback(respond).with_state(Arc::new(Shared { responses, insert, queue }));
    listener::serve_router(router).await
}

async fn respond(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (Parts { method, uri, headers, .. }, body) = request.into_parts();
    if method != Method::GET {
        let data = axum::body::to_bytes(body, BODY_MAX).await.unwrap_or_default();
        let (done, is_done) = oneshot::channel();
        let job = Job { insert: shared.insert.for_path(uri.path()), data, done };
        if shared.queue.try_send(job).is_err() || is_done.await.is_err() {
            return Response::builder().status(503).body(Body::empty()).unwrap_or_default();
        }
    }
    shared.responses.for_request(&method, &uri, &headers)
}

fn write_all(connection: &Connection, jobs: &Receiver<Job>) {
    let mut number = 0;
    while let Ok(first) = jobs.recv() {
        // Like the service's writer: let runnable threads add to the group.
        std::thread::yield_now();
        // If it fails, `done` is dropped, the request returns 503 and the run fails.
        let _ = write_group(connection, &mut number, first, jobs);
    }
}

fn write_group(connection: &Connection, number: &mut i64, first: Job, jobs: &Receiver<Job>) -> rusqlite::Result<()> {
    connection.prepare_cached("begin immediate")?.execute([])?;
    let mut waiting = Vec::new();
    let mut next = Some(first);
    while let Some(job) = next {
        job.insert.execute(connection, *number, &job.data)?;
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
