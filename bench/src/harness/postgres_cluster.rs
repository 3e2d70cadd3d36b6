//! A PostgreSQL cluster of its own, with the settings that it has by default: its commits wait for the disk.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use tokio_postgres::NoTls;

use super::context::Context;
use crate::system::{ServerProcess, output_of};

const START_TIMEOUT: Duration = Duration::from_secs(60);
/// Of the database that PostgreSQL creates itself.
const DATABASE: &str = "postgres";

/// Where the programs of PostgreSQL are, and who runs them.
#[derive(Debug, Clone)]
pub struct PostgresPrograms {
    bin: PathBuf,
    /// PostgreSQL does not run as root.
    account: Option<(u32, u32)>,
}

impl PostgresPrograms {
    /// From the variables that `cargo xtask postgres` prints; nothing if they are not set.
    pub fn find() -> Result<Option<Self>> {
        let Some(bin) = std::env::var_os("PLINTH_TEST_POSTGRES_BIN").filter(|bin| !bin.is_empty()) else {
            return Ok(None);
        };
        let account = match std::env::var("PLINTH_TEST_POSTGRES_USER") {
            Ok(name) => Some((id("-u", &name)?, id("-g", &name)?)),
            Err(_) => None,
        };
        Ok(Some(Self { bin: bin.into(), account }))
    }

    /// The number of the version, which is part of the format of the files.
    pub fn version(&self) -> Result<String> {
        let text = output_of(Command::new(self.bin.join("postgres")).arg("--version"))?;
        let number = text.split_whitespace().find(|word| word.starts_with(|first: char| first.is_ascii_digit()));
        Ok(number.and_then(|number| number.split('.').next()).context("no version")?.to_owned())
    }

    fn command(&self, name: &str, directory: &Path) -> Command {
        let mut command = Command::new(self.bin.join(name));
        if let Some((user, group)) = self.account {
            command.uid(user).gid(group);
        }
        command.current_dir(directory);
        command
    }

    /// Gives a directory with everything in it to the account.
    fn give(&self, directory: &Path) -> Result<()> {
        let Some((user, group)) = self.account else { return Ok(()) };
        output_of(Command::new("chown").arg("-R").arg(format!("{user}:{group}")).arg(directory))?;
        Ok(())
    }
}

fn id(what: &str, name: &str) -> Result<u32> {
    Ok(output_of(Command::new("id").args([what, name]))?.trim().parse()?)
}

/// A running cluster.
pub struct PostgresCluster {
    server: ServerProcess,
}

/// What the database has written since it started.
#[derive(Debug, Clone, Copy)]
pub struct Written {
    pub log_bytes: f64,
    /// Nothing if this version of PostgreSQL does not count them here.
    pub log_syncs: Option<f64>,
    pub commits: f64,
}

impl PostgresCluster {
    /// Starts a cluster in a directory that the account can enter; it is created unless it exists.
    pub fn start(context: &Context, programs: &PostgresPrograms, directory: &Path) -> Result<Self> {
        let data = directory.join("data");
        if !data.exists() {
            fs::create_dir_all(directory).with_context(|| directory.display().to_string())?;
            programs.give(directory)?;
            let mut init = programs.command("initdb", directory);
            init.args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--pgdata"]);
            output_of(init.arg(&data))?;
        }
        programs.give(directory)?;
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        drop(listener);
        let mut command = programs.command("postgres", directory);
        command.arg("-D").arg(&data);
        for setting in [
            format!("port={}", address.port()),
            format!("unix_socket_directories={}", directory.display()),
            "listen_addresses=127.0.0.1".into(),
        ] {
            command.args(["-c", &setting]);
        }
        let server = ServerProcess::start_at(&mut command, &context.log("postgres")?, address, START_TIMEOUT)?;
        let cluster = Self { server };
        cluster.wait_until_ready()?;
        Ok(cluster)
    }

    pub fn pid(&self) -> u32 {
        self.server.pid()
    }

    pub fn url(&self) -> String {
        url(self.server.address)
    }

    /// Writes everything to the disk and exits, so that the directory can be copied.
    pub fn stop(self) -> Result<()> {
        self.server.stop()
    }

    /// It accepts connections before it executes statements.
    fn wait_until_ready(&self) -> Result<()> {
        let started = std::time::Instant::now();
        while let Err(error) = self.query("select 1::float8, 1::float8, 1::float8") {
            if started.elapsed() > START_TIMEOUT {
                return Err(error.context("PostgreSQL executes no statement"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    pub fn written(&self) -> Result<Written> {
        let text = "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8,
                           (select (to_jsonb(w) ->> 'wal_sync')::float8 from pg_stat_wal w),
                           (select sum(xact_commit)::float8 from pg_stat_database)";
        match self.query(text)?.as_slice() {
            [Some(log_bytes), log_syncs, Some(commits)] => {
                Ok(Written { log_bytes: *log_bytes, log_syncs: *log_syncs, commits: *commits })
            }
            other => bail!("PostgreSQL returned {other:?}"),
        }
    }

    /// The numbers of the one row that a query returns.
    fn query(&self, text: &str) -> Result<Vec<Option<f64>>> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&self.url(), NoTls).await?;
            let running = tokio::spawn(connection);
            let row = client.query_one(text, &[]).await;
            drop(client);
            let _ = running.await;
            let row = row?;
            Ok((0..row.len()).map(|index| row.get(index)).collect())
        })
    }
}

fn url(address: SocketAddr) -> String {
    format!("postgres://postgres@{address}/{DATABASE}")
}
