//! One server owns a data directory and a database; commands that may run at the same time do.

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use super::{Server, wait_until};
use crate::support::TestDatabase;

/// A data directory, and a database if the environment names a cluster.
pub struct Instance {
    pub directory: tempfile::TempDir,
    database: TestDatabase,
}

impl Instance {
    pub fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let database = runtime.expect("a runtime can be created").block_on(TestDatabase::create());
        Self { directory: tempfile::tempdir().expect("a temporary directory can be created"), database }
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    pub fn url(&self) -> Option<String> {
        self.database.url()
    }

    pub fn serve(&self) -> Server {
        self.serve_with(&[])
    }

    pub fn serve_with(&self, flags: &[&str]) -> Server {
        let url = self.url();
        let mut all = flags.to_vec();
        all.extend(url.iter().flat_map(|url| ["--database", url]));
        Server::start(self.path(), &all)
    }

    /// Runs a command of the program on this data.
    pub fn run(&self, words: &[&str]) -> Output {
        self.run_in("data", words)
    }

    pub fn run_in(&self, data: &str, words: &[&str]) -> Output {
        plinth(&self.path().join(data), self.url().as_deref(), words)
    }
}

/// Runs a command of the program.
pub fn plinth(data: &Path, database: Option<&str>, words: &[&str]) -> Output {
    let mut command = Command::new(crate::process::program_path());
    command.args(words).arg("--data").arg(data);
    command.args(database.iter().flat_map(|url| ["--database", url]));
    command.output().expect("the program starts")
}

pub fn text(output: &Output) -> String {
    let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    format!("{out}{error}")
}

#[track_caller]
pub fn succeed(output: Output) -> String {
    assert!(output.status.success(), "{}", text(&output));
    text(&output)
}

const SERVE: &[&str] = &["serve", "--listen", "127.0.0.1:0"];

#[test]
fn second_server_on_data_directory_fails_and_changes_nothing() {
    let instance = Instance::new();
    let mut server = instance.serve();
    assert_eq!(
        server.request("POST /user/repos HTTP/1.1\r\nauthorization: Bearer ghp_monamona", r#"{"name":"a"}"#).status(),
        201
    );
    assert_eq!(git_ref(&server).status(), 409, "the directory of the repository is made");
    // A push in progress.
    let quarantine = instance.path().join("data/repositories/01/1.git/quarantine/received");
    std::fs::create_dir_all(&quarantine).expect("a quarantine can be made");
    let rejected = instance.run(SERVE);
    let message = text(&rejected);
    assert_eq!(rejected.status.code(), Some(1), "{message}");
    assert!(message.contains(&format!("process {}", server.id())), "{message}");
    assert!(message.contains(&server.address.to_string()), "{message}");
    assert!(quarantine.is_dir(), "the quarantine of the first server is still there");
    assert_eq!(server.get("/meta").status(), 200);
    server.signal(rustix::process::Signal::KILL);
    server.wait();
    let second = instance.serve();
    assert_eq!(second.get("/repos/mona/a").status(), 200, "a lock does not outlive its process");
    assert!(!quarantine.exists(), "what a killed process left is removed by the next owner");
}

fn git_ref(server: &Server) -> super::HttpResponse {
    server.get("/repos/mona/a/git/ref/heads/main")
}

#[test]
fn commands_run_while_server_runs() {
    let instance = Instance::new();
    let server = instance.serve();
    succeed(instance.run(&["user", "create", "hubot"]));
    succeed(instance.run(&["repo", "create", "hubot/tools"]));
    succeed(instance.run(&["token", "list"]));
    succeed(instance.run(&["apply", &instance.path().join("state.yaml").display().to_string()]));
    let checked = succeed(instance.run(&["check"]));
    assert!(checked.contains(&format!("process {}", server.id())), "{checked}");
    assert_eq!(server.get("/repos/hubot/tools").status(), 200);
}

#[test]
fn second_node_on_database_fails_and_names_first() {
    let instance = Instance::new();
    if instance.url().is_none() {
        return;
    }
    let mut server = instance.serve();
    let rejected = instance.run_in("other", SERVE);
    let message = text(&rejected);
    assert!(!rejected.status.success() && message.contains(&format!("process {}", server.id())), "{message}");
    server.signal(rustix::process::Signal::TERM);
    assert_eq!(server.wait(), Some(0));
    // The first server has ended, but the repositories are in its directory.
    for words in [SERVE, &["repo", "create", "mona/stray"]] {
        let rejected = instance.run_in("other", words);
        let message = text(&rejected);
        let data = instance.path().join("data").display().to_string();
        assert!(!rejected.status.success() && message.contains(&data), "{message}");
    }
    drop(instance.serve());
    std::fs::rename(instance.path().join("data"), instance.path().join("moved")).expect("the directory can be moved");
    succeed(instance.run_in("moved", &["repo", "create", "mona/kept"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn node_reacquires_database_after_session_loss() {
    let instance = std::thread::spawn(Instance::new).join().expect("an instance");
    let Some(url) = instance.url() else { return };
    let server = instance.serve();
    let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await.expect("a connection");
    tokio::spawn(connection);
    let owner = "select l.pid from pg_locks l join pg_database d on d.oid = l.database \
                 where l.locktype = 'advisory' and l.objid = 7015349 and l.granted and d.datname = current_database()";
    let before: i32 = client.query_one(owner, &[]).await.expect("somebody owns it").get(0);
    // Another session takes the lock as soon as the first one has lost it.
    let usurp = format!("select pg_terminate_backend({before}); select pg_advisory_lock(7015349)");
    client.batch_execute(&usurp).await.expect("the lock is free");
    wait_until("the node is not ready", || server.get("/readyz").status() == 503);
    let post = || server.request("POST /user/repos HTTP/1.1\r\nauthorization: Bearer ghp_monamona", r#"{"name":"a"}"#);
    assert_eq!(post().status(), 503, "writes are not acknowledged");
    assert_eq!(server.get("/user").status(), 200, "reads are served");
    wait_until("another owner is reported", || server.log().contains("another node has taken the database"));
    client.batch_execute("select pg_advisory_unlock(7015349)").await.expect("the lock is given back");
    wait_until("the node is ready", || server.get("/readyz").status() == 200);
    assert_eq!(post().status(), 201);
}

#[test]
fn check_creates_nothing_and_validates_values() {
    let instance = Instance::new();
    succeed(instance.run(&["check"]));
    assert!(!instance.path().join("data").exists(), "check makes no store");
    for (words, complaint) in [
        (&["--database-connections", "0"][..], "database_connections"),
        (&["--connections-max", "0"], "connections_max"),
        (&["--requests-max", "0"], "requests_max"),
        (&["--git-processes-max", "0"], "git_processes_max"),
        (&["--request-seconds", "0"], "request_seconds"),
        (&["--requests-per-hour=-1"], "requests_per_hour"),
        (&["--log", "plinth=loud"], "plinth=loud"),
        (&["--metrics-listen", "127.0.0.1:8080"], "metrics_listen"),
    ] {
        for command in ["check", "serve"] {
            let started = Instant::now();
            let rejected = instance.run(&[&[command], words].concat());
            let message = text(&rejected);
            assert!(!rejected.status.success() && message.contains(complaint), "{command} {words:?}: {message}");
            assert!(started.elapsed() < Duration::from_secs(20));
        }
    }
    std::fs::write(instance.path().join("file"), "no directory").expect("a file can be written");
    let rejected = instance.run_in("file/data", &["check"]);
    assert!(!rejected.status.success() && text(&rejected).contains("file"), "{}", text(&rejected));
    let mut without_git = Command::new(crate::process::program_path());
    let rejected = without_git.arg("check").env("PATH", "/nonexistent").current_dir(instance.path()).output();
    let message = text(&rejected.expect("the program starts"));
    assert!(message.contains("git"), "{message}");
}
