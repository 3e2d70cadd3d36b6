//! The files for containers: the commands and variables that they give are started here, without containers.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::failover::query;
use super::{commit, git, state_file, try_git};
use crate::process::{program_path, try_request};
use crate::store::cluster::Cluster;
use crate::support::wait::wait_until;
use crate::support::workspace_root;

/// A process that is killed when it is dropped.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address")
}

fn read_yaml(file: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(workspace_root().join(file)).expect("the file exists");
    text.split("\n---\n").map(|document| serde_saphyr::from_str(document).expect("it is YAML")).collect()
}

/// `ENV` and `CMD` of the image.
fn image() -> (BTreeMap<String, String>, Vec<String>) {
    let text = std::fs::read_to_string(workspace_root().join("packages/container/Containerfile")).expect("it exists");
    let find = |word: &str| text.lines().rev().find_map(|line| line.strip_prefix(word)).expect("the line exists");
    let pairs = find("ENV ").split(' ').map(|pair| pair.split_once('=').expect("a pair"));
    let command: Vec<String> = serde_json::from_str(find("CMD ")).expect("a list");
    assert_eq!(find("ENTRYPOINT "), "[\"plinth\"]");
    (pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(), command)
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The database and the storage of the compose file.
struct Backends {
    directory: tempfile::TempDir,
    cluster: Cluster,
    storage_address: SocketAddr,
    _storage: Process,
    services: Value,
}

impl Backends {
    /// Nothing without PostgreSQL and rclone.
    fn start() -> Option<Self> {
        let rclone = std::env::var_os("PLINTH_TEST_RCLONE")?;
        let cluster = Cluster::start()?;
        let services = read_yaml("packaging/compose.scaled.yaml").remove(0)["services"].take();
        super::wait_for_recovery(&cluster);
        let database = &services["database"]["environment"];
        assert_eq!(database["POSTGRES_HOST_AUTH_METHOD"], "trust");
        let (user, name) = (text(&database["POSTGRES_USER"]), text(&database["POSTGRES_DB"]));
        query(&cluster, &format!("create role {user} login"));
        query(&cluster, &format!("create database {name} owner {user}"));
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        let data = directory.path().join("storage");
        let volume = text(&services["storage"]["volumes"][0]);
        let bucket = volume.strip_prefix("storage:/data/").expect("the volume is a bucket");
        std::fs::create_dir_all(data.join(bucket)).expect("a directory can be created");
        let storage_address = free_address();
        let words = text(&services["storage"]["command"]);
        let words = words.split(' ').map(|word| match word {
            "/data" => data.display().to_string(),
            ":9000" => storage_address.to_string(),
            word => word.to_owned(),
        });
        let mut storage = Command::new(rclone);
        storage.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let storage = Process(storage.spawn().expect("rclone starts"));
        wait_until("the storage accepts connections", || TcpStream::connect(storage_address).is_ok());
        Some(Self { directory, cluster, storage_address, _storage: storage, services })
    }

    /// The variables of a server in the compose file.
    fn variables(&self, service: &str) -> BTreeMap<String, String> {
        let service = &self.services[service];
        let environment = service.get("environment").unwrap_or(&service["<<"]["environment"]);
        environment.as_object().expect("variables").iter().map(|(name, value)| (name.clone(), text(value))).collect()
    }

    /// A command of the image with variables and words as they are in a container, but for addresses and directories.
    fn command(&self, name: &str, variables: &BTreeMap<String, String>, words: &[String], at: SocketAddr) -> Command {
        let data = self.directory.path().join(name);
        let database = format!("@127.0.0.1:{}/", self.cluster.port());
        let replace = |value: &str| match value {
            "/data" => data.display().to_string(),
            "0.0.0.0:8080" => at.to_string(),
            "0.0.0.0:9090" => SocketAddr::new(at.ip(), at.port() + 1).to_string(),
            value => value.replace("@database/", &database).replace("storage:9000", &self.storage_address.to_string()),
        };
        let (own, default_words) = image();
        let words = if words.is_empty() { &default_words[..] } else { words };
        let mut command = Command::new(program_path());
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.envs(own.iter().chain(variables).map(|(name, value)| (name, replace(value))));
        command.args(words.iter().map(|word| replace(word))).stdin(Stdio::null());
        command
    }

    fn start_server(
        &self,
        name: &str,
        variables: &BTreeMap<String, String>,
        words: &[String],
    ) -> (Process, SocketAddr) {
        let log = self.directory.path().join(format!("{name}.log"));
        // Another test may have taken one of the two ports meanwhile.
        for _ in 0..5 {
            let address = free_address();
            let mut command = self.command(name, variables, words, address);
            command.stdout(Stdio::null()).stderr(std::fs::File::create(&log).expect("a log"));
            let mut process = Process(command.spawn().expect("the program starts"));
            let mut has_ended = || process.0.try_wait().expect("it is a child").is_some();
            wait_until("the server is ready, or has ended", || responds(address, "/readyz") || has_ended());
            if !has_ended() {
                return (process, address);
            }
            let written = std::fs::read_to_string(&log).expect("a log");
            assert!(written.contains("Address already in use"), "{written}");
        }
        panic!("no two ports are free");
    }

    /// Creates mona and her repository.
    fn apply(&self) {
        let state = self.directory.path().join("state.yaml");
        std::fs::write(&state, state_file().to_string()).expect("the file can be written");
        let words = ["apply".to_owned(), state.display().to_string()];
        let output = self.command("applying", &self.variables("a"), &words, free_address()).output();
        let output = output.expect("the program starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }
}

fn responds(address: SocketAddr, path: &str) -> bool {
    try_request(address, &format!("GET {path} HTTP/1.1")).is_some_and(|response| response.starts_with("HTTP/1.1 200"))
}

fn url(address: SocketAddr) -> String {
    format!("http://x:ghp_monamona@{address}/mona/rocket.git")
}

#[test]
fn servers_of_the_compose_file_share_a_repository() {
    let Some(backends) = Backends::start() else { return };
    backends.apply();
    let [(_a, a), (_b, b)] = ["a", "b"].map(|name| backends.start_server(name, &backends.variables(name), &[]));
    let work = backends.path().join("work");
    git(backends.path(), &["clone", "--quiet", &url(a), &work.display().to_string()]);
    let pushed = commit(&work, "file", "through one of them");
    git(&work, &["push", "--quiet", &url(a), "HEAD:main"]);
    let copy = backends.path().join("copy");
    git(backends.path(), &["clone", "--quiet", &url(b), &copy.display().to_string()]);
    assert_eq!(git(&copy, &["rev-parse", "HEAD"]), pushed);
    assert!(try_git(&copy, &["fsck", "--strict"]).status.success());
}

#[test]
fn server_of_the_kubernetes_file_responds_to_its_probes() {
    let Some(backends) = Backends::start() else { return };
    let documents = read_yaml("packaging/kubernetes.yaml");
    let container = &documents[0]["spec"]["template"]["spec"]["containers"][0];
    // The Secret has what the compose file gives its servers.
    let mut variables = backends.variables("a");
    for pair in container["env"].as_array().expect("variables") {
        variables.insert(text(&pair["name"]), text(&pair["value"]));
    }
    let words: Vec<String> = container["args"].as_array().expect("words").iter().map(text).collect();
    let (_server, address) = backends.start_server("pod", &variables, &words);
    let ports: BTreeMap<String, u64> = container["ports"]
        .as_array()
        .expect("ports")
        .iter()
        .map(|port| (text(&port["name"]), port["containerPort"].as_u64().expect("a number")))
        .collect();
    assert_eq!((ports["http"], ports["metrics"]), (8080, 9090), "the image and the arguments say so");
    for probe in ["readinessProbe", "livenessProbe"] {
        let probe = &container[probe]["httpGet"];
        assert_eq!(probe["port"], "http");
        let path = text(&probe["path"]);
        assert!(responds(address, &path), "{path}");
    }
    assert!(responds(SocketAddr::new(address.ip(), address.port() + 1), "/metrics"));
    assert_eq!(documents[1]["spec"]["ports"][0]["targetPort"], "http");
    assert_eq!(documents[1]["spec"]["selector"], documents[0]["spec"]["template"]["metadata"]["labels"]);
}
