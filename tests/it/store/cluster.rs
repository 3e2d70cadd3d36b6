//! A PostgreSQL of the test's own, to be killed.

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
    /// As whom the server runs, where we are root.
    account: Option<(u32, u32)>,
    folder: PathBuf,
    settings: Vec<String>,
    port: u16,
    /// Removed with the cluster, where nobody else owns the folder.
    _temporary: Option<tempfile::TempDir>,
    server: Option<Child>,
}

impl Cluster {
    /// Nothing where the environment names no programs.
    pub fn start() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        // The machine does not fail with the server, so what the system holds for the disk is safe.
        let mut cluster = Self::start_in(folder.path(), &["fsync=off"])?;
        cluster._temporary = Some(folder);
        Some(cluster)
    }

    /// The same in an empty folder and with settings of the caller's choice.
    pub fn start_in(folder: &Path, settings: &[&str]) -> Option<Self> {
        let bin = PathBuf::from(std::env::var_os(BIN).filter(|bin| !bin.is_empty())?);
        let account = std::env::var(USER).ok().map(|name| (id("-u", &name), id("-g", &name)));
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        drop(listener);
        if let Some((user, group)) = account {
            std::os::unix::fs::chown(folder, Some(user), Some(group)).expect("root may give it away");
        }
        let settings = settings.iter().map(ToString::to_string).collect();
        let folder = folder.to_owned();
        let mut cluster = Self { bin, account, folder, settings, port, _temporary: None, server: None };
        let mut init = cluster.program("initdb");
        init.args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync", "--pgdata"]);
        let made = init.arg(cluster.data()).output().expect("initdb starts");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        cluster.bring_up();
        Some(cluster)
    }

    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Kills the server with all its children, as a machine that fails would.
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
            // The children of a killed server may hold its memory for a moment; the new one then ends at once.
            while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
                if server.try_wait().expect("a child can be waited for").is_some() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(10));
            }
            if server.try_wait().expect("a child can be waited for").is_none() {
                self.server = Some(server);
            }
        }
    }

    fn spawn(&self) -> Child {
        let port = format!("port={}", self.port);
        // A path in a deep folder may be too long for a socket, and nobody needs it.
        let fixed = [port.as_str(), "unix_socket_directories=", "listen_addresses=127.0.0.1", "max_connections=40"];
        let mut command = self.program("postgres");
        command.arg("-D").arg(self.data());
        for setting in fixed.into_iter().chain(self.settings.iter().map(String::as_str)) {
            command.args(["-c", setting]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("postgres starts")
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.bin.join(name));
        if let Some((user, group)) = self.account {
            command.uid(user).gid(group);
        }
        command.current_dir(&self.folder);
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

fn id(what: &str, name: &str) -> u32 {
    let output = Command::new("id").args([what, name]).output().expect("id starts");
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("id prints a number")
}
