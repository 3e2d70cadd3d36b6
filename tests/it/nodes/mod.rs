//! Several servers over one PostgreSQL database and one object storage.
//!
//! The storage is a real S3 server, `rclone serve s3`, if `PLINTH_TEST_RCLONE` names the program, and a directory otherwise.

mod collection;
mod copies;
mod failover;
mod garage;
mod history;
mod http_proxy;
mod in_process;
mod limits;
mod maintenance;
mod memory;
mod moving;
mod outages;
mod packaging;
mod pooler;
mod preparing;
mod registers;
mod sharing;
mod staleness;
mod starting;
mod storage;
mod throttling;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use storage::Storage;

use crate::process::{HttpResponse, Server, program_path};
use crate::store::cluster::Cluster;
use crate::support::{TestDatabase, fixtures};

/// A database and a storage for several servers. Its directory has one for each server.
pub struct Nodes {
    directory: tempfile::TempDir,
    database: TestDatabase,
    pub storage: Storage,
}

impl Nodes {
    /// Nothing on SQLite, which has one server.
    pub fn new() -> Option<Self> {
        Self::with_storage(Storage::start())
    }

    pub fn with_storage(storage: Storage) -> Option<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let database = runtime.expect("a runtime can be created").block_on(TestDatabase::create());
        Self::with(storage, database)
    }

    /// On a cluster of its own, which the test may kill.
    pub fn with_cluster(storage: Storage, cluster: &Cluster) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let database = TestDatabase::create_on(cluster.url());
        let database = runtime.expect("a runtime can be created").block_on(database);
        Self::with(storage, database).expect("it is PostgreSQL")
    }

    fn with(storage: Storage, database: TestDatabase) -> Option<Self> {
        database.url()?;
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        Some(Self { directory, database, storage })
    }

    pub fn database_url(&self) -> String {
        self.database.url().expect("it is PostgreSQL")
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The directory of a server.
    pub fn of(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Starts a server. Its disk may be new.
    pub fn start(&self, name: &str) -> Server {
        self.start_with(name, &[])
    }

    /// Starts a server with more options.
    pub fn start_with(&self, name: &str, options: &[&str]) -> Server {
        self.start_in(name, &self.database_url(), self.storage.environment(), options)
    }

    /// Starts a server that reaches the database and the storage through other addresses.
    pub fn start_at(&self, name: &str, database: &str, endpoint: &str) -> Server {
        self.start_at_with(name, (database, endpoint), &[])
    }

    pub fn start_at_with(&self, name: &str, (database, endpoint): (&str, &str), options: &[&str]) -> Server {
        let mut environment = self.storage.environment();
        environment
            .iter_mut()
            .filter(|(name, _)| *name == "AWS_ENDPOINT_URL")
            .for_each(|(_, url)| *url = endpoint.into());
        self.start_in(name, database, environment, options)
    }

    fn start_in(
        &self,
        name: &str,
        database: &str,
        environment: Vec<(&'static str, String)>,
        options: &[&str],
    ) -> Server {
        let directory = self.of(name);
        std::fs::create_dir_all(&directory).expect("a directory can be created");
        let state = directory.join("state.yaml");
        std::fs::write(&state, state_file().to_string()).expect("the file can be written");
        let mut program = Command::new(program_path());
        program.stdin(Stdio::null()).envs(environment);
        let objects = self.storage.url();
        let options = [&["--database", database, "--objects", &objects], options].concat();
        Server::start_by(program, &directory, &options)
    }

    /// Runs a command of the program as on the disk of a server.
    pub fn run(&self, name: &str, words: &[&str]) -> Output {
        let mut program = Command::new(program_path());
        program.envs(self.storage.environment()).args(words).arg("--data").arg(self.of(name).join("data"));
        program.args(["--database", &self.database_url(), "--objects", &self.storage.url()]);
        program.output().expect("the program starts")
    }

    /// The packs on the disk of a server.
    pub fn copies(&self, name: &str) -> Vec<PathBuf> {
        let directory = self.of(name).join("data/repositories/01/1.git/objects/pack");
        let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
        files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|name| name == "pack")).collect()
    }
}

/// Waits until a cluster executes statements.
fn wait_for_recovery(cluster: &Cluster) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    drop(runtime.expect("a runtime can be created").block_on(TestDatabase::create_on(cluster.url())));
}

/// Mona, her repository `mona/rocket` with a branch `main`, and a pull request from `next`.
fn state_file() -> fixtures::StateFile {
    fixtures::mona().repo("mona/rocket", &fixtures::two_branches(""))
}

pub const ROCKET: &str = "/repos/mona/rocket";

/// Sends a request of mona's with a JSON body.
pub fn send(server: &Server, method: &str, path: &str, body: &Value) -> HttpResponse {
    let head =
        format!("{method} {path} HTTP/1.1\r\nauthorization: Bearer ghp_monamona\r\ncontent-type: application/json");
    server.request(&head, &body.to_string())
}

/// The body of a successful GET.
#[track_caller]
pub fn get(server: &Server, path: &str) -> Value {
    let response = server.get(path);
    assert_eq!(response.status(), 200, "{path}: {response:?}");
    json(&response)
}

#[track_caller]
pub fn json(response: &HttpResponse) -> Value {
    serde_json::from_str(response.body()).unwrap_or_else(|error| panic!("{error}: {response:?}"))
}

/// The commit that a branch of the rocket is at, according to a server.
#[track_caller]
pub fn tip(server: &Server, branch: &str) -> String {
    get(server, &format!("{ROCKET}/git/ref/heads/{branch}"))["object"]["sha"].as_str().expect("a commit").to_owned()
}

/// The URL of the rocket for git.
pub fn remote(server: &Server) -> String {
    format!("http://x:ghp_monamona@{}/mona/rocket.git", server.address)
}

/// Runs git, which must succeed; returns what it prints.
#[track_caller]
pub fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = try_git(directory, arguments);
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

pub fn try_git(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new("git");
    command.current_dir(directory).args(["-c", "user.name=Mona", "-c", "user.email=mona@example.com"]).args(arguments);
    command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_CONFIG_NOSYSTEM", "1").output().expect("git starts")
}

/// A clone, in a directory that does not exist yet.
#[track_caller]
pub fn clone(server: &Server, directory: &Path) -> PathBuf {
    git(
        directory.parent().expect("a parent"),
        &["clone", "--quiet", &remote(server), &directory.display().to_string()],
    );
    directory.to_owned()
}

/// Adds a commit to a clone; returns its name.
pub fn commit(clone: &Path, file: &str, content: &str) -> String {
    std::fs::write(clone.join(file), content).expect("the file can be written");
    git(clone, &["add", "."]);
    git(clone, &["commit", "--quiet", "--message", content]);
    git(clone, &["rev-parse", "HEAD"])
}

#[track_caller]
pub fn push(clone: &Path, server: &Server) {
    git(clone, &["push", "--quiet", &remote(server), "HEAD:main"]);
}
