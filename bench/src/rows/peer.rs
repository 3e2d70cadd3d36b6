//! The service compared with a peer: `emulate`, an emulator of GitHub in Node that holds everything in memory.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use serde_json::json;

use super::compare::{Rounds, Side, alternate};
use super::group::RowGroup;
use super::peer_mix::{self, OWNER, Sizes};
use crate::harness::{Context, Cpu, ServeOptions, service};
use crate::http::{Client, Recording, record};
use crate::load::Replay;
use crate::results::{Results, Row, Target};
use crate::seed::standard::COMMENTS;
use crate::seed::{self, StandardSeed};
use crate::system::{ServerProcess, on_cores, output_of};

const CONNECTIONS: usize = 32;
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// The peer allows 5,000 requests per token, so it gets many tokens.
const TOKENS: usize = 300;
const PEER_REPO: &str = "/repos/mona/rocket";
const SERVICE_REPO: &str = "/repos/acme/rocket";
const PACKAGE_FILES: [&str; 2] = ["package.json", "package-lock.json"];

pub const PEER: RowGroup = RowGroup {
    name: "peer",
    about: "GET one ref, a list of 30 comments, and the part of the traffic that it has, compared with `emulate` from npm",
    run: |context| match fetch(context) {
        Ok(directory) => measure(context, &directory),
        Err(error) => Ok(Results { skipped: vec![format!("the peer `emulate`: {error:#}")], ..Results::default() }),
    },
};

fn measure(context: &Context, directory: &Path) -> Result<Results> {
    let sizes = Sizes::of(context);
    let peer = start(context, directory, sizes)?;
    let mut rows = reads(context, &peer)?;
    rows.extend(mixed(context, &peer, sizes)?);
    Ok(Results::of_rows(rows))
}

fn reads(context: &Context, peer: &ServerProcess) -> Result<Vec<Row>> {
    create_data(peer)?;
    let seed = StandardSeed::get(context)?;
    let options = ServeOptions { cpu: Cpu::ServerCore, ..ServeOptions::default() };
    let service = service::start(context, &seed.data(), options)?;
    // Nothing is written, but a data directory belongs to one server.
    let copy = seed::copy_data(&seed.directory, &context.scratch("peer-uncached")?)?;
    let uncached = service::start_uncached(context, &copy)?;
    let mut rows = Vec::new();
    for (what, path) in
        [("GET one ref", "git/ref/heads/feature"), ("list of 30 comments", "pulls/1/comments?per_page=30")]
    {
        let recorded = record(peer.address, vec![format!("{PEER_REPO}/{path}")])?;
        let replay = |server: &ServerProcess| record(server.address, vec![format!("{SERVICE_REPO}/{path}")]);
        let mut of_service = Replay::new(replay(&service)?);
        let mut of_uncached = Replay::new(replay(&uncached)?);
        let mut of_peer = Replay::new(with_tokens(&recorded[0]));
        let mut sides = [
            Side { server: &service, workload: &mut of_service },
            Side { server: peer, workload: &mut of_peer },
            Side { server: &uncached, workload: &mut of_uncached },
        ];
        let rounds = alternate(context, CONNECTIONS, &mut sides)?;
        rows.push(row(&format!("{what}, cached"), &rounds[0], &rounds[1], ""));
        rows.push(row(&format!("{what}, uncached"), &rounds[2], &rounds[1], ""));
    }
    Ok(rows)
}

/// The part of the row `traffic` that both have.
fn mixed(context: &Context, peer: &ServerProcess, sizes: Sizes) -> Result<Vec<Row>> {
    let tokens: Vec<String> = (0..TOKENS).map(token).chain(["ghp_bench".to_owned()]).collect();
    let data = peer_mix::data(context, sizes, &tokens)?;
    let copy = context.scratch("peer-mix-uncached")?;
    let copy = seed::copy_data(data.parent().unwrap_or(&data), &copy)?;
    let options = ServeOptions { cpu: Cpu::ServerCore, ..ServeOptions::default() };
    let (service, uncached) = (service::start(context, &data, options)?, service::start_uncached(context, &copy)?);
    let create = |server| peer_mix::create(server, sizes, &tokens);
    let (mut of_service, mut of_peer, mut of_uncached) = (create(&service)?, create(peer)?, create(&uncached)?);
    let mut sides = [
        Side { server: &service, workload: &mut of_service },
        Side { server: peer, workload: &mut of_peer },
        Side { server: &uncached, workload: &mut of_uncached },
    ];
    let rounds = alternate(context, CONNECTIONS, &mut sides)?;
    Ok(vec![
        row("traffic, refs and comments", &rounds[0], &rounds[1], peer_mix::NOTE),
        row("traffic, refs and comments, uncached", &rounds[2], &rounds[1], peer_mix::NOTE),
    ])
}

fn row(what: &str, service: &Rounds, peer: &Rounds, note: &str) -> Row {
    Row {
        what: format!("{what}, compared with the peer"),
        service: service.shown(),
        baseline: format!("emulate 0.12.2: {}", peer.shown()),
        figure: service.throughput_ratio(peer),
        unit: "× faster",
        target: Target::None,
        note: note.to_owned(),
    }
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

fn start(context: &Context, directory: &Path, sizes: Sizes) -> Result<ServerProcess> {
    let tokens: Vec<String> =
        (0..TOKENS).map(|index| format!("  {}: {{ login: mona, scopes: [repo, user] }}", token(index))).collect();
    let mixed: Vec<String> = (0..sizes.repos)
        .map(|index| format!("{{ owner: {OWNER}, name: {}, auto_init: true }}", seed::traffic::repo(index)))
        .collect();
    let seed = format!(
        "tokens:\n  ghp_bench: {{ login: mona, scopes: [repo, user] }}\n{}\ngithub:\n  users: [{{ login: mona, email: mona@example.com }}]\n  \
         repos: [{{ owner: mona, name: rocket, auto_init: true }}, {}]\n",
        tokens.join("\n"),
        mixed.join(", ")
    );
    fs::write(directory.join("seed.yaml"), seed)?;
    let address = free_address()?;
    let mut command = on_cores(&node(directory)?, context.machine.first_cores(1));
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
