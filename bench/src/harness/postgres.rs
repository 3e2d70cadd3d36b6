//! A PostgreSQL server for the rows that need one: databases with the data of seeds, and the CPU time that the server takes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio_postgres::NoTls;

use super::context::Context;
use super::service::{self, ServeOptions};
use crate::system::{ServerProcess, output_of, usage};

/// The URL of the maintenance database, as the tests use it. `cargo xtask bench` starts a server and sets it.
const VARIABLE: &str = "PLINTH_TEST_POSTGRES";

pub struct Postgres {
    /// The URL without the name of a database.
    server: String,
    /// The process that starts one for each connection, if the server is on this machine.
    postmaster: Option<u32>,
}

/// A seed in a database, and its packs in a directory that several servers share.
pub struct Moved {
    database: String,
    objects: PathBuf,
}

impl Postgres {
    /// Nothing where no server is given.
    pub fn find() -> Result<Option<Self>> {
        let Ok(url) = std::env::var(VARIABLE) else { return Ok(None) };
        let (server, _) = url.rsplit_once('/').context("the URL names no database")?;
        let found = Self { server: server.to_owned(), postmaster: None };
        Ok(Some(Self { postmaster: found.find_postmaster()?, ..found }))
    }

    /// The parent of the process that serves a connection, read while that is open.
    fn find_postmaster(&self) -> Result<Option<u32>> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&self.url("postgres"), NoTls).await?;
            tokio::spawn(connection);
            let backend: i32 = client.query_one("select pg_backend_pid()", &[]).await?.get(0);
            let status = fs::read_to_string(format!("/proc/{backend}/status")).unwrap_or_default();
            Ok(status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok()))
        })
    }

    pub fn url(&self, database: &str) -> String {
        format!("{}/{database}", self.server)
    }

    /// The first value of a statement, if it returns one.
    fn query(&self, database: &str, sql: &str) -> Result<String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&self.url(database), NoTls).await?;
            let connection = tokio::spawn(connection);
            let messages = client.simple_query(sql).await.with_context(|| sql.to_owned())?;
            let value = messages.iter().find_map(|message| match message {
                tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
                _ => None,
            });
            drop(client);
            let _ = connection.await;
            Ok(value.unwrap_or_default())
        })
    }

    fn create(&self, database: &str, template: &str) -> Result<()> {
        self.query("postgres", &format!("drop database if exists {database} with (force)"))?;
        self.query("postgres", &format!("create database {database} template {template}"))?;
        Ok(())
    }

    /// Whether commits are written to the disk before they are acknowledged.
    pub fn is_durable(&self) -> Result<bool> {
        Ok(self.query("postgres", "show fsync")? == "on")
    }

    /// Copies the data of a seed into a database, with the service's own command.
    pub fn move_seed(&self, context: &Context, seed: &Path, name: &str) -> Result<Moved> {
        let directory = context.scratch(&format!("postgres-{name}"))?;
        let data = crate::seed::copy_data(seed, &directory)?;
        let moved = Moved { database: format!("bench_{name}"), objects: directory.join("objects") };
        self.create(&moved.database, "template0")?;
        let mut command = Command::new(&context.plinth);
        service::clear_settings(&mut command);
        command.args(["move", "--from"]).arg(&data).args(["--database", &self.url(&moved.database)]);
        output_of(command.args(["--objects", &objects_url(&moved)]))?;
        self.query(&moved.database, "vacuum analyze")?;
        Ok(moved)
    }

    /// A copy of a moved seed, for one server.
    pub fn copy(&self, moved: &Moved, name: &str) -> Result<String> {
        let database = format!("{}_{name}", moved.database);
        self.create(&database, &moved.database)?;
        Ok(self.url(&database))
    }

    /// Starts the service on a copy of a moved seed.
    pub fn start(&self, context: &Context, moved: &Moved, name: &str, options: ServeOptions) -> Result<ServerProcess> {
        let url = self.copy(moved, name)?;
        let data = context.scratch(&format!("{}-{name}", moved.database))?;
        let mut command = service::prepared(context, &data, options);
        command.args(["--database", &url, "--objects", &objects_url(moved)]);
        service::start_command(context, &mut command)
    }

    /// CPU time of the server so far: of the processes that it has now, so none may end while it is measured.
    pub fn cpu(&self) -> Duration {
        let Some(postmaster) = self.postmaster else { return Duration::ZERO };
        let children = fs::read_to_string(format!("/proc/{postmaster}/task/{postmaster}/children")).unwrap_or_default();
        children.split_whitespace().filter_map(|pid| pid.parse().ok()).map(usage::cpu).sum()
    }
}

fn objects_url(moved: &Moved) -> String {
    format!("file://{}", moved.objects.display())
}
