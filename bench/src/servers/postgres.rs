//! The baselines on PostgreSQL: axum, and one prepared statement for each request, a query or an insert that is committed by
//! itself.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use tokio_postgres::{Client, NoTls, Statement};

use super::insert::Insert;
use super::listener;
use super::recorded::RecordedResponses;

/// As many as the service uses by default. Requests share them: the driver sends the statements of a connection in turn.
const CONNECTIONS: usize = 16;
const BODY_MAX: usize = 1 << 20;

struct Shared {
    responses: RecordedResponses,
    connections: Vec<Connection>,
    next: AtomicUsize,
    number: AtomicI64,
    /// What is inserted, and into how many repositories; nothing to read.
    insert: Option<(Insert, u32)>,
}

struct Connection {
    client: Client,
    statement: Statement,
}

pub async fn serve(responses: RecordedResponses, url: &str, insert: Option<(Insert, u32)>) -> Result<ExitCode> {
    let sql = match insert.map(|(insert, _)| insert) {
        None => "select name, target, kind from git_ref where repo_id = $1 and name = $2",
        Some(Insert::Entry | Insert::Ref | Insert::ByPath) => {
            "insert into git_ref (repo_id, name, target, kind) values ($1, $2, decode(repeat('07', 20), 'hex'), 'commit')"
        }
        Some(Insert::Comment) => {
            "insert into review_comment (repo_id, pull_id, review_id, thread_id, author_id, pending, body, created_at, \
             updated_at) values ($1, 1, 1, 1, 1, false, $2, 1, 1)"
        }
    };
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.context("cannot connect")?;
        tokio::spawn(connection);
        let statement = client.prepare(sql).await?;
        connections.push(Connection { client, statement });
    }
    let (next, number) = (AtomicUsize::new(0), AtomicI64::new(0));
    let shared = Arc::new(Shared { responses, connections, next, number, insert });
    let router = Router::new().fallback(respond).with_state(shared);
    listener::serve_router(router).await
}

async fn respond(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let path = request.uri().path_and_query().map_or_else(String::new, ToString::to_string);
    match run(&shared, &path, request).await {
        Ok(()) => shared.responses.for_path(&path),
        Err(_) => Response::builder().status(503).body(Body::empty()).unwrap_or_default(),
    }
}

async fn run(shared: &Shared, path: &str, request: Request) -> Result<()> {
    let index = shared.next.fetch_add(1, Ordering::Relaxed) % shared.connections.len();
    let Connection { client, statement } = &shared.connections[index];
    match shared.insert {
        None => {
            let repo = 1_i64;
            let name = format!("refs/{}", path.rsplit_once("/git/ref/").map_or("heads/main", |(_, name)| name));
            client.query_one(statement, &[&repo, &name]).await?;
        }
        Some((insert, repositories)) => {
            let data = axum::body::to_bytes(request.into_body(), BODY_MAX).await?;
            let number = shared.number.fetch_add(1, Ordering::Relaxed);
            let repo = number % i64::from(repositories) + 1;
            let text = match insert {
                Insert::Entry | Insert::Ref | Insert::ByPath => format!("refs/heads/inserted/{number:08}"),
                Insert::Comment => String::from_utf8_lossy(&data).into_owned(),
            };
            client.execute(statement, &[&repo, &text]).await?;
        }
    }
    Ok(())
}
