//! The service compared with a peer: `emulate`, an emulator of GitHub in Node that holds everything in memory.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use serde_json::json;

use super::compare::{Side, alternate};
use super::group::RowGroup;
use crate::harness::{Context, Cpu, ServeOptions, service};
use crate::http::{Client, Recording, record};
use crate::load::Replay;
use crate::results::{Results, Row, Target};
use crate::seed::StandardSeed;
use crate::seed::standard::COMMENTS;
use crate::system::{ServerProcess, on_core, output_of};

const CONNECTIONS: usize = 32;
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// The peer allows 5,000 requests per token, so it gets many tokens.
const TOKENS: usize = 300;
const PEER_REPO: &str = "/repos/mona/rocket";
const SERVICE_REPO: &str = "/repos/acme/rocket";
const PACKAGE_FILES: [&str; 2] = ["package.json", "package-lock.json"];

pub const PEER: RowGroup = RowGroup {
    name: "peer",
    about: "GET one ref and a list of 30 comments, compared with `emulate` from npm",
    run: |context| match fetch(context) {
        Ok(directory) => measure(context, &directory),
        Err(error) => Ok(Results { skipped: vec![format!("the peer `emulate`: {error:#}")], ..Results::default() }),
    },
};

fn measure(context: &Context, directory: &Path) -> Result<Results> {
    let peer = start(context, directory)?;
    create_data(&peer)?;
    let seed = StandardSeed::get(context)?;
    let options = ServeOptions { cpu: Cpu::ServerCore, ..ServeOptions::default() };
    let service = service::start(context, &seed.data(), options)?;
    let mut rows = Vec::new();
    for (what, path) in
        [("GET one ref", "git/ref/heads/feature"), ("list of 30 comments", "pulls/1/comments?per_page=30")]
    {
        let recorded = record(peer.address, vec![format!("{PEER_REPO}/{path}")])?;
        let mut of_service = Replay::new(record(service.address, vec![format!("{SERVICE_REPO}/{path}")])?);
        let mut of_peer = Replay::new(with_tokens(&recorded[0]));
        let mut sides =
            [Side { server: &service, workload: &mut of_service }, Side { server: &peer, workload: &mut of_peer }];
        let rounds = alternate(context, CONNECTIONS, &mut sides)?;
        rows.push(Row {
            what: format!("{what}, cached, compared with the peer"),
            service: rounds[0].shown(),
            baseline: format!("emulate 0.12.2: {}", rounds[1].shown()),
            figure: rounds[0].throughput_ratio(&rounds[1]),
            unit: "× faster",
            target: Target::None,
            note: String::new(),
        });
    }
    Ok(Results::of_rows(rows))
}

/// Fetches the packages once and returns their directory.
fn fetch(context: &Context) -> Result<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("peer");
    let directory = context.directory.join("peer");
    let is_same = |name: &&str| {
        let pair = (fs::read(source.join(name)), fs::read(directory.join(name)));
        matches!(pair, (Ok(one), Ok(other)) if one == other)
    };
    if !PACKAGE_FILES.iter().all(is_same) || node(&directory).is_err() {
        output_of(Command::new("npm").arg("--version")).map_err(|_| anyhow!("npm is not installed"))?;
        fs::create_dir_all(&directory).with_context(|| directory.display().to_string())?;
        for name in PACKAGE_FILES {
            fs::copy(source.join(name), directory.join(name)).with_context(|| directory.display().to_string())?;
        }
        let fetched = output_of(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&directory));
        fetched.map_err(|error| anyhow!("npm ci failed: {}", error.to_string().lines().next().unwrap_or_default()))?;
    }
    node(&directory).context("the npm package `node` has no program for this machine")?;
    Ok(directory)
}

fn node(directory: &Path) -> Result<PathBuf> {
    let node = directory.join("node_modules/node/bin/node");
    output_of(Command::new(&node).arg("--version")).map(|_| node)
}

fn start(context: &Context, directory: &Path) -> Result<ServerProcess> {
    let tokens: Vec<String> =
        (0..TOKENS).map(|index| format!("  {}: {{ login: mona, scopes: [repo, user] }}", token(index))).collect();
    let seed = format!(
        "tokens:\n  ghp_bench: {{ login: mona, scopes: [repo, user] }}\n{}\ngithub:\n  users: [{{ login: mona, email: mona@example.com }}]\n  \
         repos: [{{ owner: mona, name: rocket, auto_init: true }}]\n",
        tokens.join("\n")
    );
    fs::write(directory.join("seed.yaml"), seed)?;
    let address = free_address()?;
    let mut command = on_core(&node(directory)?, context.machine.cores.map(|cores| cores.server));
    command.arg(directory.join("node_modules/emulate/dist/index.js"));
    command.args(["start", "--service", "github", "--seed", "seed.yaml", "--port", &address.port().to_string()]);
    ServerProcess::start_at(command.current_dir(directory), &context.log("peer")?, address, START_TIMEOUT)
}

/// The peer cannot choose a free port by itself.
fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

fn token(index: usize) -> String {
    format!("ghp_{index:05}")
}

/// Creates a branch and a pull request with as many comments as the service's.
fn create_data(peer: &ServerProcess) -> Result<()> {
    let mut client = Client::connect(peer.address)?;
    let mut send = |method: &str, path: &str, body, status| {
        client.send(method, &format!("{PEER_REPO}/{path}"), &body)?.expect(status)?.json()
    };
    let main = send("GET", "git/ref/heads/main", json!({}), 200)?;
    send("POST", "git/refs", json!({ "ref": "refs/heads/feature", "sha": main["object"]["sha"] }), 201)?;
    // Sixty lines of two bytes, in base64.
    let content = "YQph".repeat(30);
    send("PUT", "contents/a.txt", json!({ "message": "lines", "content": content, "branch": "feature" }), 201)?;
    send("POST", "pulls", json!({ "title": "New lines", "head": "feature", "base": "main" }), 201)?;
    let feature = send("GET", "git/ref/heads/feature", json!({}), 200)?;
    for line in 1..=COMMENTS {
        let body = json!({ "body": "Should this not be *shorter*?", "commit_id": feature["object"]["sha"], "path": "a.txt", "line": line, "side": "RIGHT" });
        send("POST", "pulls/1/comments", body, 201)?;
    }
    Ok(())
}

/// The same recording with each of the tokens.
fn with_tokens(recording: &Recording) -> Vec<Recording> {
    let text = String::from_utf8_lossy(&recording.request).into_owned();
    let requests = (0..TOKENS).map(|index| text.replace("ghp_bench", &token(index)).into_bytes());
    requests.map(|request| Recording { request, ..recording.clone() }).collect()
}
