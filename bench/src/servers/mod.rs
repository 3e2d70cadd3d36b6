//! The servers that the service is measured against: this same program, started in a role.

mod answers;
mod backend;
mod bare;
mod limit;
mod written;

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

pub use answers::Answers;
use axum::body::Body;
use axum::response::Response;
use http::Request;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
pub use limit::{Synchronous, open as open_database};
use tokio::net::TcpListener;
pub use written::Written;

use crate::Result;

/// What this program is started as.
#[derive(Debug, PartialEq)]
pub enum Role {
    /// Sends answers that it was given.
    Bare { answers: PathBuf },
    /// Sends an answer that it was given after what it writes is durable.
    Limit { answers: PathBuf, database: PathBuf, synchronous: Synchronous, written: Written },
    /// Runs `git http-backend` for each request.
    Backend { repositories: PathBuf },
}

impl Role {
    pub fn parse(words: &[String]) -> Result<Self> {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["bare", answers] => Ok(Role::Bare { answers: answers.into() }),
            ["limit", answers, database, synchronous, written] => Ok(Role::Limit {
                answers: answers.into(),
                database: database.into(),
                synchronous: synchronous.parse()?,
                written: written.parse()?,
            }),
            ["backend", repositories] => Ok(Role::Backend { repositories: repositories.into() }),
            other => Err(format!("there is no role `{}`", other.join(" "))),
        }
    }

    /// The words that `parse` reads.
    pub fn words(&self) -> Vec<String> {
        let words = match self {
            Role::Bare { answers } => vec!["bare".into(), answers.display().to_string()],
            Role::Limit { answers, database, synchronous, written } => vec![
                "limit".into(),
                answers.display().to_string(),
                database.display().to_string(),
                synchronous.word().to_owned(),
                written.word().to_owned(),
            ],
            Role::Backend { repositories } => vec!["backend".into(), repositories.display().to_string()],
        };
        std::iter::once("serve".into()).chain(words).collect()
    }
}

/// Serves until it is killed. The runtime is the service's: as many workers as there are cores to use.
#[tokio::main]
pub async fn serve(role: Role) -> Result<ExitCode> {
    match role {
        Role::Bare { answers } => bare::serve(Answers::read(&answers)?).await,
        Role::Limit { answers, database, synchronous, written } => {
            limit::serve(Answers::read(&answers)?, &database, synchronous, written).await
        }
        Role::Backend { repositories } => backend::serve(repositories).await,
    }
}

/// The address in the first line of such a server.
pub fn read_address(line: &str) -> Option<SocketAddr> {
    line.trim().parse().ok()
}

/// Accepts connections and serves them with the settings of the service's own.
async fn accept<F, A>(answer: F) -> Result<ExitCode>
where
    F: Fn(Request<Body>) -> A + Clone + Send + Sync + 'static,
    A: Future<Output = Response> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(|error| error.to_string())?;
    println!("{}", listener.local_addr().map_err(|error| error.to_string())?);
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let answer = answer.clone();
        tokio::spawn(async move {
            let _ = stream.set_nodelay(true);
            let service = hyper::service::service_fn(move |request: Request<Incoming>| {
                let answered = answer(request.map(Body::new));
                async move { Ok::<_, Infallible>(answered.await) }
            });
            let mut builder = auto::Builder::new(TokioExecutor::new());
            builder
                .http1()
                .timer(TokioTimer::new())
                .header_read_timeout(Duration::from_secs(10))
                .max_buf_size(48 * 1024);
            builder.http2().timer(TokioTimer::new()).max_concurrent_streams(100).max_header_list_size(48 * 1024);
            // A loader that goes away is the normal end.
            let _ = builder.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}
