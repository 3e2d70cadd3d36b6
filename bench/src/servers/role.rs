//! The roles that this program can be started in.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use super::database::{Synchronous, word};
use super::insert::Insert;
use super::recorded::RecordedResponses;
use super::{bare, http_backend, minimal_writer, postgres};

#[derive(Debug, PartialEq, Subcommand)]
pub enum Role {
    /// Sends recorded responses.
    Bare { responses: PathBuf },
    /// Sends recorded responses, each after one durable insert.
    MinimalWriter { responses: PathBuf, database: PathBuf, synchronous: Synchronous, insert: Insert },
    /// Sends recorded responses, each after one query on PostgreSQL.
    PostgresReader { responses: PathBuf, url: String },
    /// Sends recorded responses, each after one insert on PostgreSQL that is committed by itself, into one of so many
    /// repositories.
    PostgresWriter { responses: PathBuf, url: String, insert: Insert, repositories: u32 },
    /// Runs `git http-backend` for each request.
    HttpBackend { repositories: PathBuf },
}

impl Role {
    /// The command line that starts this role.
    pub fn arguments(&self) -> Vec<String> {
        let words = match self {
            Role::Bare { responses } => vec!["bare".into(), responses.display().to_string()],
            Role::MinimalWriter { responses, database, synchronous, insert } => vec![
                "minimal-writer".into(),
                responses.display().to_string(),
                database.display().to_string(),
                word(*synchronous),
                word(*insert),
            ],
            Role::PostgresReader { responses, url } => {
                vec!["postgres-reader".into(), responses.display().to_string(), url.clone()]
            }
            Role::PostgresWriter { responses, url, insert, repositories } => vec![
                "postgres-writer".into(),
                responses.display().to_string(),
                url.clone(),
                word(*insert),
                repositories.to_string(),
            ],
            Role::HttpBackend { repositories } => vec!["http-backend".into(), repositories.display().to_string()],
        };
        std::iter::once("serve".into()).chain(words).collect()
    }
}

/// Serves until it is killed. Like the service's, the runtime has a worker thread per usable core.
#[tokio::main]
pub async fn serve(role: Role) -> Result<ExitCode> {
    match role {
        Role::Bare { responses } => bare::serve(RecordedResponses::read(&responses)?).await,
        Role::MinimalWriter { responses, database, synchronous, insert } => {
            minimal_writer::serve(RecordedResponses::read(&responses)?, &database, synchronous, insert).await
        }
        Role::PostgresReader { responses, url } => {
            postgres::serve(RecordedResponses::read(&responses)?, &url, None).await
        }
        Role::PostgresWriter { responses, url, insert, repositories } => {
            postgres::serve(RecordedResponses::read(&responses)?, &url, Some((insert, repositories))).await
        }
        Role::HttpBackend { repositories } => http_backend::serve(repositories).await,
    }
}

/// Reads the address that a reference server prints first.
pub fn parse_address(line: &str) -> Option<SocketAddr> {
    line.trim().parse().ok()
}
