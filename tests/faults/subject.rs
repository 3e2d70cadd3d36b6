//! The server under test, with its directory, its database and its ledger.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::checker::{git_ok, url};
use crate::cluster::Cluster;
use crate::disk::Disk;
use crate::ledger::{Event, Ledger};
use crate::server::Server;
use crate::settings;

pub const TOKEN: &str = "ghp_monamona";
/// The token of an unrelated user.
pub const SLOW_TOKEN: &str = "ghp_slowslow";
pub const REPO: &str = "/repos/mona/rocket";
const STATE: &str = "
users: [{ login: mona }, { login: slow }]
repos:
  - name: mona/rocket
    commits:
      - { branch: main, author: mona, message: first, files: { file: \"one\\n\" } }
      - { branch: topic, from: main, author: mona, message: more, files: { file: \"one\\ntwo\\n\" } }
  - name: slow/slow
pulls: [{ repo: mona/rocket, title: Say more, author: mona, head: topic, base: main }]
tokens:
  - { kind: classic, user: mona, scopes: [repo], token: ghp_monamona }
  - { kind: classic, user: slow, scopes: [repo], token: ghp_slowslow }
";
/// Commits that refs can be moved between.
const COMMITS: usize = 4;
/// A new cluster accepts connections before it accepts statements.
const START_MAX: Duration = Duration::from_secs(20);

/// Fields are dropped in this order: the server before the database, and the directory last.
pub struct Subject {
    server: Option<Server>,
    pub cluster: Option<Cluster>,
    ledger: Ledger,
    flags: Vec<String>,
    commits: Vec<String>,
    home: tempfile::TempDir,
}

impl Subject {
    /// A home without a server yet, so that a case can mount a file system at `data`.
    pub fn prepare(flags: &[&str]) -> Self {
        let home = tempfile::tempdir().expect("a temporary directory can be created");
        std::fs::write(home.path().join("state.yaml"), STATE).expect("the file can be written");
        std::fs::create_dir(home.path().join("data")).expect("a directory can be created");
        let ledger = Ledger::create(&home.path().join("ledger"));
        let flags = flags.iter().map(ToString::to_string).collect();
        Self { server: None, cluster: None, ledger, flags, commits: Vec::new(), home }
    }

    /// Adds empty repositories to the state file of the next start, and returns the previous file.
    pub fn with_repositories(&self, count: usize) -> &'static str {
        let names: String = (0..count).map(|number| format!("\n  - {{ name: mona/empty-{number} }}")).collect();
        let state = STATE.replacen("repos:", &format!("repos:{names}"), 1);
        std::fs::write(self.home.path().join("state.yaml"), state).expect("the file can be written");
        STATE
    }

    /// Adds an app that is installed on every repository to the state file of the next start; its key is in `helper.pem`.
    pub fn add_app(&self) {
        let app = "apps: [{ slug: helper, owner: mona, client_id: Iv1.helper, permissions: { contents: write }, \
                   private_key_file: helper.pem }]\ninstallations: [{ app: helper, account: mona, repositories: all }]\n";
        std::fs::write(self.home.path().join("state.yaml"), format!("{STATE}{app}")).expect("the file can be written");
    }

    /// A running server on SQLite, or on the cluster.
    pub fn start(cluster: Option<Cluster>, flags: &[&str]) -> Self {
        let mut subject = Self::prepare(flags);
        subject.cluster = cluster;
        subject.launch();
        subject
    }

    /// Sets the flags of the next start.
    pub fn set_flags(&mut self, flags: &[&str]) {
        self.flags = flags.iter().map(ToString::to_string).collect();
    }

    /// Makes this a copy of another for clients: with their commits, and a ledger that begins with these events.
    pub fn continue_from(&mut self, other: &Subject, events: &[Event]) {
        self.commits = other.commits.clone();
        let copied = Command::new("cp").arg("-R").arg(other.work()).arg(self.work()).status();
        assert!(copied.is_ok_and(|status| status.success()), "a repository can be copied");
        for event in events {
            self.ledger.write(event);
        }
        self.ledger.count_from(events);
    }

    /// Starts the server, and returns the time until it was ready.
    pub fn launch(&mut self) -> Duration {
        self.launch_by(settings::program())
    }

    /// Starts through a command that executes the program in its own process.
    pub fn launch_by(&mut self, program: Command) -> Duration {
        let mut flags: Vec<String> = self.flags.clone();
        if let Some(cluster) = &self.cluster {
            wait_for_statements(cluster);
            flags.extend(["--database".to_owned(), cluster.url()]);
        }
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let started = Instant::now();
        self.server = Some(Server::start_by(program, self.home.path(), &flags));
        let took = started.elapsed();
        if self.commits.is_empty() {
            self.commits = self.push_commits();
        }
        took
    }

    fn push_commits(&self) -> Vec<String> {
        let work = self.work();
        git_ok(self.home(), &["init", "--quiet", "--initial-branch=main", "work"]);
        let tree = git_ok(&work, &["hash-object", "-t", "tree", "-w", "/dev/null"]);
        let commit = |number| git_ok(&work, &["commit-tree", &tree, "-m", &format!("base {number}")]);
        let commits: Vec<String> = (0..COMMITS).map(commit).collect();
        let names: Vec<String> =
            commits.iter().enumerate().map(|(number, sha)| format!("{sha}:refs/heads/base-{number}")).collect();
        let url = url(self.server());
        let mut arguments = vec!["push", "--quiet", url.as_str()];
        arguments.extend(names.iter().map(String::as_str));
        git_ok(&work, &arguments);
        commits
    }

    /// Kills the server with SIGKILL and waits for its end.
    pub fn kill(&mut self) {
        self.server().signal(Signal::KILL);
        self.server = None;
    }

    /// Ends the server and the database like a power cut.
    pub fn power_off(&mut self) {
        self.kill();
        if let Some(cluster) = &mut self.cluster {
            cluster.kill();
        }
    }

    /// Ends all users of a disk, and then the disk.
    pub fn end(mut self, disk: Disk) {
        self.power_off();
        self.cluster = None;
        drop(disk);
    }

    pub fn restart(&mut self) -> Duration {
        self.kill();
        self.launch()
    }

    #[track_caller]
    pub fn server(&self) -> &Server {
        self.server.as_ref().expect("the server was launched")
    }

    pub fn server_mut(&mut self) -> &mut Server {
        self.server.as_mut().expect("the server was launched")
    }

    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    pub fn commits(&self) -> &[String] {
        &self.commits
    }

    /// The directory outside of what is tested: state file, log, ledger, work trees.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// The data directory, which is tested.
    pub fn data(&self) -> PathBuf {
        self.home.path().join("data")
    }

    /// A work tree with the commits that clients push.
    pub fn work(&self) -> PathBuf {
        self.home.path().join("work")
    }

    /// Copies the ledger and the log to a directory that outlives the case, and returns the ledger's path.
    pub fn keep_ledger(&self) -> PathBuf {
        let saved = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("faults-{}", std::process::id()));
        let _ = std::fs::create_dir_all(&saved);
        for name in ["ledger", "log"] {
            let _ = std::fs::copy(self.home.path().join(name), saved.join(name));
        }
        saved.join("ledger")
    }

    /// The resident memory of the process, in bytes.
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.server().id())).expect("the server runs");
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("the kernel reports it");
        line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).expect("a number of KiB") * 1024
    }
}

/// Waits until a cluster executes a statement.
pub fn wait_for_statements(cluster: &Cluster) {
    let started = Instant::now();
    while statement(cluster, "select 1").is_err() {
        assert!(started.elapsed() < START_MAX, "PostgreSQL executes no statement");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Runs one statement on a new connection.
pub fn statement(cluster: &Cluster, sql: &str) -> Result<(), tokio_postgres::Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be created");
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(&cluster.url(), tokio_postgres::NoTls).await?;
        let connection = tokio::spawn(connection);
        let done = client.batch_execute(sql).await;
        drop(client);
        let _ = connection.await;
        done
    })
}
