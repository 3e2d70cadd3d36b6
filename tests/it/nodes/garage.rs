//! A Garage cluster of three as the object storage. `cargo xtask test --only nodes-garage` installs the program and runs these tests,
//! which do nothing otherwise.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use parking_lot::Mutex;

use super::history::{SERVERS, record_and_check};
use super::storage::{Access, BUCKET, Storage};
use super::{Nodes, clone, commit, git, push, remote, tip, try_git};
use crate::support::wait::wait_until;

/// The program `garage`.
const GARAGE: &str = "PLINTH_TEST_GARAGE";
const ACCESS: Access = Access {
    key: "GK31c2f218a2e44f485b94239e",
    secret: "b892c0665f0ada8a4755dae98baa3b133590e11dae3bcc1f9d769d67f16c3835",
    region: "garage",
};
const KEY_NAME: &str = "test";
/// Each of the three has everything; two must respond.
const REPLICAS: usize = 3;

/// Three servers that replicate everything.
struct Garage {
    program: PathBuf,
    directory: tempfile::TempDir,
    /// Where clients of S3 connect.
    addresses: [SocketAddr; REPLICAS],
    servers: [Option<Child>; REPLICAS],
    ids: [String; REPLICAS],
}

impl Garage {
    /// Nothing if the environment names no program.
    fn start() -> Option<Self> {
        let program = PathBuf::from(std::env::var_os(GARAGE)?);
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        let listeners = [(); 2 * REPLICAS].map(|()| TcpListener::bind("127.0.0.1:0").expect("a free port"));
        let all = listeners.map(|listener| listener.local_addr().expect("an address"));
        for index in 0..REPLICAS {
            let home = directory.path().join(index.to_string());
            std::fs::create_dir(&home).expect("a directory can be created");
            let text = format!(
                "metadata_dir = \"{0}/meta\"\ndata_dir = \"{0}/data\"\ndb_engine = \"sqlite\"\nreplication_factor = {REPLICAS}\n\
                 rpc_bind_addr = \"{1}\"\nrpc_public_addr = \"{1}\"\nrpc_secret = \"{2}\"\n\
                 [s3_api]\ns3_region = \"{3}\"\napi_bind_addr = \"{4}\"\n",
                home.display(),
                all[REPLICAS + index],
                "5".repeat(64),
                ACCESS.region,
                all[index],
            );
            std::fs::write(home.join("garage.toml"), text).expect("the file can be written");
        }
        let addresses = std::array::from_fn(|index| all[index]);
        let mut cluster =
            Self { program, directory, addresses, servers: [const { None }; REPLICAS], ids: Default::default() };
        (0..REPLICAS).for_each(|index| cluster.start_server(index));
        cluster.ids = std::array::from_fn(|index| cluster.run(index, &["node", "id", "-q"]));
        cluster.form();
        Some(cluster)
    }

    fn command(&self, index: usize) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("-c").arg(self.directory.path().join(index.to_string()).join("garage.toml"));
        command.stdin(Stdio::null());
        command
    }

    /// Runs a command of an administrator, which must succeed; returns what it prints.
    fn run(&self, index: usize, words: &[&str]) -> String {
        let output = self.command(index).args(words).output().expect("garage starts");
        assert!(output.status.success(), "garage {words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Makes one cluster of the three, with a bucket.
    fn form(&self) {
        self.connect(0);
        for id in &self.ids {
            let (id, _) = id.split_once('@').expect("an id with its address");
            self.run(0, &["layout", "assign", "-z", "zone", "-c", "1G", id]);
        }
        self.run(0, &["layout", "apply", "--version", "1"]);
        self.run(0, &["key", "import", "--yes", "-n", KEY_NAME, ACCESS.key, ACCESS.secret]);
        self.run(0, &["bucket", "create", BUCKET]);
        self.run(0, &["bucket", "allow", "--read", "--write", BUCKET, "--key", KEY_NAME]);
    }

    /// Connects one of them with the others that run, in both directions: each sends requests over connections that it has opened, and by
    /// itself it would open one again only after 20 seconds or so.
    fn connect(&self, index: usize) {
        let others = (0..REPLICAS).filter(|other| *other != index && self.servers[*other].is_some());
        for other in others {
            self.run(index, &["node", "connect", &self.ids[other]]);
            self.run(other, &["node", "connect", &self.ids[index]]);
        }
    }

    fn bring_up(&mut self, index: usize) {
        self.start_server(index);
        self.connect(index);
    }

    fn start_server(&mut self, index: usize) {
        let mut command = self.command(index);
        command.arg("server").stdout(Stdio::null()).stderr(Stdio::null());
        self.servers[index] = Some(command.spawn().expect("garage starts"));
        let address = self.addresses[index];
        wait_until("garage accepts connections", || TcpStream::connect(address).is_ok());
    }

    fn kill(&mut self, index: usize) {
        if let Some(mut server) = self.servers[index].take() {
            let _ = server.kill();
            let _ = server.wait();
        }
    }

    /// Clients of which server connect where.
    fn endpoint(&self, index: usize) -> String {
        format!("http://{}", self.addresses[index])
    }
}

impl Drop for Garage {
    fn drop(&mut self) {
        (0..REPLICAS).for_each(|index| self.kill(index));
    }
}

#[test]
fn servers_go_on_without_one_of_three_replicas() {
    let Some(mut garage) = Garage::start() else { return };
    let Some(nodes) = Nodes::with_storage(Storage::at(garage.addresses[0], ACCESS)) else { return };
    let start = |name: &str, endpoint: &str| nodes.start_at(name, &nodes.database_url(), endpoint);
    let (a, b) = (start("a", &garage.endpoint(0)), start("b", &garage.endpoint(1)));
    let work = clone(&a, &nodes.of("work"));
    commit(&work, "file", "to all three");
    push(&work, &a);
    git(&clone(&b, &nodes.of("from-b")), &["fsck", "--strict"]);
    garage.kill(2);
    let pushed = commit(&work, "file", "to two of three");
    push(&work, &a);
    assert_eq!(tip(&b, "main"), pushed);
    git(&clone(&b, &nodes.of("again-from-b")), &["fsck", "--strict"]);
    // One replica alone accepts nothing, and nothing half-done stays.
    garage.kill(1);
    commit(&work, "file", "to one of three");
    let rejected = try_git(&work, &["push", "--quiet", &remote(&a), "HEAD:main"]);
    assert!(!rejected.status.success(), "{rejected:?}");
    assert_eq!(tip(&a, "main"), pushed);
    garage.bring_up(1);
    garage.bring_up(2);
    wait_until("pushes are accepted again", || {
        try_git(&work, &["push", "--quiet", &remote(&a), "HEAD:main"]).status.success()
    });
    // A server with an empty disk reads from the replica that was away.
    let c = start("c", &garage.endpoint(2));
    wait_until("the replica has everything", || {
        let _ = std::fs::remove_dir_all(nodes.of("from-c"));
        try_git(nodes.path(), &["clone", "--quiet", &remote(&c), &nodes.of("from-c").display().to_string()])
            .status
            .success()
    });
    git(&nodes.of("from-c"), &["fsck", "--strict"]);
    assert_eq!(git(&nodes.of("from-c"), &["rev-parse", "HEAD"]), git(&work, &["rev-parse", "HEAD"]));
}

/// As over one S3 server, and one replica after another is killed, too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn history_over_three_replicas_is_linearizable() {
    let started = tokio::task::spawn_blocking(Garage::start).await.expect("no panic");
    let Some(garage) = started else { return };
    let addresses: [SocketAddr; SERVERS] = garage.addresses;
    let storage = Storage::at(addresses[0], ACCESS);
    let garage = Mutex::new(garage);
    let harm = move |random: &mut dyn FnMut(usize) -> usize| {
        if random(3) == 0 {
            let mut garage = garage.lock();
            let index = random(REPLICAS);
            garage.kill(index);
            std::thread::sleep(std::time::Duration::from_millis(random(1_000) as u64));
            garage.bring_up(index);
        }
    };
    record_and_check(storage, addresses, harm).await;
}
