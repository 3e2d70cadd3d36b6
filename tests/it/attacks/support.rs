//! A server to attack, and callers that are not part of the attack.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::memory_limit::MemoryLimit;
use crate::process::{HttpResponse, Server, program_path};
use crate::support::TestDatabase;

/// The limit of the peak resident memory of the process.
pub const MEMORY_MAX: u64 = 512 * 1024 * 1024;

/// Flags that enable metrics.
pub const METRICS: &[&str] = &["--metrics-listen", "127.0.0.1:0"];

/// The attacker owns `mallory/target`; `victor` is an unrelated user.
const STATE: &str = "
users: [{ login: mallory }, { login: victor }]
repos:
  - { name: mallory/target, commits: [{ branch: main, author: mallory, message: one, files: { a.txt: \"1\\n\" } }] }
  - { name: victor/quiet, commits: [{ branch: main, author: victor, message: one, files: { a.txt: \"1\\n\" } }] }
tokens:
  - { kind: classic, user: mallory, scopes: [repo, delete_repo, project, 'admin:org'], token: ghp_mallory }
  - { kind: classic, user: victor, scopes: [repo], token: ghp_victor }
";

/// A running server on the database that the environment selects. Its data is deleted with it.
pub struct Victim {
    server: Option<Server>,
    /// Nothing where the machine does not allow one.
    memory_limit: Option<MemoryLimit>,
    flags: Vec<String>,
    database: TestDatabase,
    directory: tempfile::TempDir,
}

impl Victim {
    /// Starts with `mallory/target` and `victor/quiet`.
    pub fn start(flags: &[&str]) -> Self {
        Self::start_with(STATE, flags)
    }

    /// Starts with another state file.
    pub fn start_with(state: &str, flags: &[&str]) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let database = runtime.expect("a runtime can be made").block_on(TestDatabase::create());
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        std::fs::write(directory.path().join("state.yaml"), state).expect("the file can be written");
        let mut flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        if let Some(url) = database.url() {
            flags.extend(["--database".to_owned(), url]);
        }
        let memory_limit = MemoryLimit::create(MEMORY_MAX);
        let mut victim = Self { server: None, memory_limit, flags, database, directory };
        victim.server = Some(victim.launch());
        victim
    }

    fn launch(&self) -> Server {
        let flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        match &self.memory_limit {
            Some(limit) => Server::start_by(limit.command(&program_path()), self.directory.path(), &flags),
            None => Server::start(self.directory.path(), &flags),
        }
    }

    /// Kills the process and starts it again on the same data.
    pub fn restart(&mut self) {
        self.server = None;
        self.server = Some(self.launch());
    }

    /// Runs a command on the same data, whether or not the server runs.
    pub fn command(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(program_path());
        command.args(arguments).arg("--data").arg(self.directory.path().join("data")).args(&self.flags);
        command.output().expect("the program runs")
    }

    /// Stops the process; [`Victim::restart`] starts it again.
    pub fn stop(&mut self) {
        self.server = None;
    }

    pub fn server(&self) -> &Server {
        self.server.as_ref().expect("the server runs from start to drop")
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Flags with which a command finds the same database; none for SQLite.
    pub fn database_flags(&self) -> Vec<String> {
        self.database.url().map_or_else(Vec::new, |url| vec!["--database".to_owned(), url])
    }

    /// A GET with a token on a new connection.
    pub fn get(&self, token: &str, path: &str) -> HttpResponse {
        self.send(token, "GET", path, "")
    }

    /// A request with a token on a new connection.
    pub fn send(&self, token: &str, method: &str, path: &str, body: &str) -> HttpResponse {
        self.server().request(&format!("{method} {path} HTTP/1.1\r\nauthorization: Bearer {token}"), body)
    }

    /// The URL that git pushes to as `mallory`.
    pub fn push_url(&self) -> String {
        format!("http://mallory:ghp_mallory@{}/mallory/target.git", self.server().address)
    }

    /// The number of statements so far; the server must have been started with [`METRICS`].
    pub fn statements(&self) -> u64 {
        let log = self.server().log();
        let (_, rest) = log.rsplit_once("metrics at http://").expect("the log has the metrics URL");
        let address = rest.split('/').next().and_then(|address| address.parse().ok()).expect("an address");
        let page = crate::process::fetch(address, "/metrics");
        let line = page.lines().find_map(|line| line.strip_prefix("plinth_store_statements_total "));
        line.and_then(|count| count.trim().parse().ok()).expect("a count of statements")
    }

    /// The number of statements for some work. It takes the least of many attempts, because the server may do other work
    /// at the same time.
    pub fn statements_of(&self, work: impl Fn()) -> u64 {
        let count = || {
            let before = self.statements();
            work();
            self.statements() - before
        };
        (0..10).map(|_| count()).min().expect("ten attempts")
    }

    /// The peak resident memory of the process, in bytes.
    pub fn peak_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.server().id()));
        let status = status.expect("the server is still running");
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("the kernel reports a peak");
        line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).expect("a number of KiB") * 1024
    }

    /// Panics unless the process is alive, has stayed within its limit, and serves other callers.
    #[track_caller]
    pub fn assert_unharmed(&self) {
        let peak = self.peak_memory();
        assert!(peak <= MEMORY_MAX, "the process took {} MiB", peak / 1024 / 1024);
        assert_eq!(self.get("ghp_victor", "/repos/victor/quiet/git/ref/heads/main").status(), 200);
    }

    /// A caller that reads another repository repeatedly during the attack.
    pub fn bystander(&self) -> Bystander {
        let (stop, address) = (Arc::new(AtomicBool::new(false)), self.server().address);
        let stopped = stop.clone();
        let reading = std::thread::spawn(move || {
            let mut seen = Seen::default();
            // At least once: an attack may end before this thread gets a processor.
            loop {
                let started = Instant::now();
                let status = crate::process::try_get(address, "ghp_victor", "/repos/victor/quiet/git/ref/heads/main");
                seen.times.push(started.elapsed());
                seen.statuses.push(status.unwrap_or_default());
                if stopped.load(Ordering::SeqCst) {
                    return seen;
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        Bystander { stop, reading }
    }
}

/// Reads until it is stopped.
pub struct Bystander {
    stop: Arc<AtomicBool>,
    reading: JoinHandle<Seen>,
}

/// What a bystander got.
#[derive(Debug, Default)]
pub struct Seen {
    /// Zero if there was no response.
    pub statuses: Vec<u16>,
    pub times: Vec<Duration>,
}

impl Seen {
    /// The times below which half, 99 % and all of the requests were, for whoever runs the tests with `--nocapture`.
    #[expect(clippy::print_stdout, reason = "a figure for whoever runs the tests by hand")]
    fn print(&mut self) {
        self.times.sort();
        let at = |percent: usize| self.times[(self.times.len() * percent / 100).min(self.times.len() - 1)];
        println!("bystander: {} requests, p50 {:?}, p99 {:?}, max {:?}", self.times.len(), at(50), at(99), at(100));
    }
}

impl Bystander {
    pub fn finish(self) -> Seen {
        self.stop.store(true, Ordering::SeqCst);
        let mut seen = self.reading.join().expect("a bystander does not panic");
        seen.print();
        seen
    }

    /// Panics unless every request got 200.
    #[track_caller]
    pub fn assert_served(self) {
        let seen = self.finish();
        let bad: Vec<_> = seen.statuses.iter().filter(|status| **status != 200).collect();
        assert!(!seen.statuses.is_empty() && bad.is_empty(), "{bad:?} of {} requests", seen.statuses.len());
    }
}

/// Runs git in a directory, without the machine's configuration.
pub fn git(directory: &Path, arguments: &[&str]) -> Output {
    Command::new("git")
        .current_dir(directory)
        .args(["-c", "user.name=m", "-c", "user.email=m@example.com"])
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0")
        .output()
        .expect("git runs")
}
