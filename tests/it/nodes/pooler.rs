//! A pooler between servers and PostgreSQL: PgBouncer, if `PLINTH_TEST_PGBOUNCER` or the path names the program.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::{Nodes, ROCKET, clone, commit, push, tip};
use crate::process::owners::{plinth, text};
use crate::support::wait::wait_until;

const PROGRAM: &str = "PLINTH_TEST_PGBOUNCER";
const PLACES: [&str; 2] = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"];
const USER: &str = "PLINTH_TEST_POSTGRES_USER";

struct Pooler {
    child: Child,
    address: SocketAddr,
    _directory: tempfile::TempDir,
}

impl Pooler {
    /// Nothing without the program.
    fn start(database: &str, settings: &str) -> Option<Self> {
        let named = std::env::var_os(PROGRAM).map(PathBuf::from);
        let program = named.or_else(|| PLACES.iter().map(PathBuf::from).find(|path| path.exists()))?;
        let (server, _) = database.rsplit_once('/').expect("the URL names a database");
        let (_, host) = server.rsplit_once('@').expect("the URL names a user");
        let (host, port) = host.rsplit_once(':').expect("the URL names a port");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        drop(listener);
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        let file = directory.path().join("pgbouncer.ini");
        let own_port = address.port();
        let text = format!(
            "[databases]\n* = host={host} port={port} user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {own_port}\nauth_type = any\nunix_socket_dir =\n{settings}\n"
        );
        std::fs::write(&file, text).expect("the file can be written");
        let mut command = Command::new(program);
        command.arg(&file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // It does not run as root.
        if let Some(user) = std::env::var(USER).ok().filter(|_| rustix::process::geteuid().is_root()) {
            let (user, group) = (id("-u", &user), id("-g", &user));
            give(directory.path(), user, group);
            give(&file, user, group);
            command.uid(user).gid(group);
        }
        let child = command.spawn().expect("the pooler starts");
        wait_until("the pooler accepts connections", || TcpStream::connect(address).is_ok());
        Some(Self { child, address, _directory: directory })
    }

    fn url(&self, database: &str) -> String {
        let (_, name) = database.rsplit_once('/').expect("the URL names a database");
        format!("postgres://postgres@{}/{name}", self.address)
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn give(path: &Path, user: u32, group: u32) {
    std::os::unix::fs::chown(path, Some(user), Some(group)).expect("root may give it away");
}

fn id(what: &str, name: &str) -> u32 {
    let output = Command::new("id").args([what, name]).output().expect("id starts");
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("id prints a number")
}

#[test]
fn pooler_that_shares_sessions_is_rejected_with_a_message() {
    let Some(nodes) = Nodes::new() else { return };
    let database = nodes.database_url();
    drop(nodes.start("a"));
    for (settings, message) in [
        ("pool_mode = transaction\nignore_startup_parameters = options", "a pooler in transaction mode"),
        ("pool_mode = statement\nignore_startup_parameters = options", "a pooler in statement mode"),
        ("pool_mode = transaction", "ignore_startup_parameters = options"),
    ] {
        let Some(pooler) = Pooler::start(&database, settings) else { return };
        for words in [&["serve", "--listen", "127.0.0.1:0"][..], &["check"]] {
            let output = plinth(&nodes.of("b").join("data"), Some(&pooler.url(&database)), words);
            let printed = text(&output);
            assert!(!output.status.success() && printed.contains(message), "{settings}: {words:?}: {printed}");
        }
    }
    assert_eq!(nodes.start("a").get(ROCKET).status(), 200, "nothing was changed");
}

#[test]
fn pooler_in_session_mode_is_accepted() {
    let Some(nodes) = Nodes::new() else { return };
    let database = nodes.database_url();
    let settings = "pool_mode = session\nignore_startup_parameters = options\ndefault_pool_size = 60";
    let Some(pooler) = Pooler::start(&database, settings) else { return };
    let url = pooler.url(&database);
    let endpoint = nodes.storage.endpoint_url();
    let (a, b) = (nodes.start_at("a", &url, &endpoint), nodes.start_at("b", &url, &endpoint));
    let work = clone(&a, &nodes.of("work"));
    let pushed = commit(&work, "file", "through a pooler");
    push(&work, &a);
    assert_eq!(tip(&b, "main"), pushed);
}
