//! A PostgreSQL cluster that a test can kill.

use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const BIN: &str = "PLINTH_TEST_POSTGRES_BIN";
const USER: &str = "PLINTH_TEST_POSTGRES_USER";
const PATIENCE: Duration = Duration::from_secs(60);

/// A cluster with a server that may be running.
pub struct Cluster {
    bin: PathBuf,
    /// The user that runs the server if the test runs as root.
    account: Option<(u32, u32)>,
    directory: PathBuf,
    port: u16,
    settings: Vec<String>,
    server: Option<Child>,
    /// Deleted with the cluster, unless the caller owns the directory.
    _temporary: Option<tempfile::TempDir>,
}

impl Cluster {
    /// Returns nothing if the environment names no programs.
    pub fn start() -> Option<Self> {
        Self::start_with(|_| Vec::new())
    }

    /// Starts with further settings, for which `prepare` may write files into the data directory.
    pub fn start_with(prepare: impl FnOnce(&Path) -> Vec<String>) -> Option<Self> {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        let mut cluster = Self::start_in(directory.path(), prepare)?;
        cluster._temporary = Some(directory);
        Some(cluster)
    }

    /// Starts in an empty directory of the caller.
    pub fn start_in(directory: &Path, prepare: impl FnOnce(&Path) -> Vec<String>) -> Option<Self> {
        let mut cluster = Self::without_data(directory)?;
        let mut init = cluster.program("initdb");
        init.args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync", "--pgdata"]);
        run(init.arg(cluster.data()));
        cluster.settings = prepare(&cluster.data());
        if let Some((user, group)) = cluster.account {
            for entry in std::fs::read_dir(cluster.data()).expect("a directory").flatten() {
                std::os::unix::fs::chown(entry.path(), Some(user), Some(group)).expect("root may give it away");
            }
        }
        cluster.bring_up();
        Some(cluster)
    }

    /// Starts a streaming standby of a running cluster, in an empty directory of the caller.
    pub fn start_standby_in(directory: &Path, primary: &Cluster) -> Option<Self> {
        let mut standby = Self::without_data(directory)?;
        standby.copy_from(primary);
        Some(standby)
    }

    /// Replaces the data with a copy of the primary's, and starts as its standby.
    pub fn copy_from(&mut self, primary: &Cluster) {
        if self.server.is_some() {
            self.kill();
        }
        let _ = std::fs::remove_dir_all(self.data());
        let mut copy = self.program("pg_basebackup");
        copy.args(["--write-recovery-conf", "--checkpoint=fast", "--no-sync", "--pgdata"]).arg(self.data());
        run(copy.args(["--dbname", &primary.url()]));
        self.settings = Vec::new();
        self.bring_up();
    }

    /// Makes a standby the primary; returns when it accepts writes.
    pub fn promote(&self) {
        run(self.program("pg_ctl").args(["promote", "--wait", "--silent", "--pgdata"]).arg(self.data()));
    }

    /// Sets the settings of the next start.
    pub fn set_settings(&mut self, settings: &[&str]) {
        self.settings = settings.iter().map(ToString::to_string).collect();
    }

    fn without_data(directory: &Path) -> Option<Self> {
        let bin = PathBuf::from(std::env::var_os(BIN).filter(|bin| !bin.is_empty())?);
        let account = std::env::var(USER).ok().map(|name| (id("-u", &name), id("-g", &name)));
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        drop(listener);
        if let Some((user, group)) = account {
            std::os::unix::fs::chown(directory, Some(user), Some(group)).expect("root may give it away");
        }
        let directory = directory.to_owned();
        Some(Self { bin, account, directory, port, settings: Vec::new(), server: None, _temporary: None })
    }

    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Kills the server with all its children, like a machine failure.
    pub fn kill(&mut self) {
        let mut server = self.server.take().expect("the server runs");
        server.kill().expect("our own child can be killed");
        server.wait().expect("a child can be waited for");
    }

    pub fn bring_up(&mut self) {
        let started = Instant::now();
        while self.server.is_none() {
            assert!(started.elapsed() < PATIENCE, "PostgreSQL does not start");
            let mut server = self.spawn();
            // The children of a killed server may still hold its shared memory; the new server then exits at once.
            while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
                if server.try_wait().expect("a child can be waited for").is_some() {
                    break;
                }
                assert!(started.elapsed() < PATIENCE, "PostgreSQL accepts no connections");
                std::thread::sleep(Duration::from_millis(10));
            }
            if server.try_wait().expect("a child can be waited for").is_none() {
                self.server = Some(server);
            }
        }
    }

    fn spawn(&self) -> Child {
        let port = format!("port={}", self.port);
        let sockets = format!("unix_socket_directories={}", self.directory.display());
        let mut command = self.program("postgres");
        command.arg("-D").arg(self.data());
        // Only the server is killed, not the machine, so unsynced data is safe.
        for setting in [port.as_str(), &sockets, "listen_addresses=127.0.0.1", "max_connections=40", "fsync=off"] {
            command.args(["-c", setting]);
        }
        for setting in &self.settings {
            command.args(["-c", setting]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("postgres starts")
    }

    fn data(&self) -> PathBuf {
        self.directory.join("data")
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.bin.join(name));
        if let Some((user, group)) = self.account {
            command.uid(user).gid(group);
        }
        command.current_dir(&self.directory);
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Some(mut server) = self.server.take() {
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

fn run(command: &mut Command) {
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn id(what: &str, name: &str) -> u32 {
    let output = Command::new("id").args([what, name]).output().expect("id starts");
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("id prints a number")
}
