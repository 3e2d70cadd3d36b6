//! The service beside a peer: `emulate`, which keeps a GitHub in the memory of a Node process.

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::json;

use super::RowGroup;
use super::compare::{Side, alternate};
use super::reads::look;
use crate::Result;
use crate::bench::Bench;
use crate::figure::Target;
use crate::load::{Exchange, Replay};
use crate::machine::on_core;
use crate::process::{Running, succeed};
use crate::report::{Report, Row};
use crate::seed::{COMMENTS, World};
use crate::servers::Synchronous;
use crate::service::{self, Place};

const CONNECTIONS: usize = 32;
const START_LIMIT: Duration = Duration::from_secs(60);
/// The peer counts 5,000 requests for each token, so it gets many.
const TOKENS: usize = 300;
const PEER_REPO: &str = "/repos/mona/rocket";
const OUR_REPO: &str = "/repos/acme/rocket";
const FILES: [&str; 2] = ["package.json", "package-lock.json"];

pub const PEER: RowGroup = RowGroup {
    name: "peer",
    about: "GET one ref and a list of 30 comments, beside `emulate` from npm",
    run: |bench, report| match fetch(bench) {
        Ok(folder) => measure(bench, report, &folder),
        Err(reason) => {
            println!("  skipped: {reason}");
            report.skipped.push(format!("the peer `emulate`: {reason}"));
            Ok(())
        }
    },
};

fn measure(bench: &Bench, report: &mut Report, folder: &Path) -> Result<()> {
    let peer = start(bench, folder)?;
    fill(&peer)?;
    let world = World::get(bench)?;
    let service = service::start(bench, &world.data(), Place::OneCore, Synchronous::Full)?;
    for (what, path) in
        [("GET one ref", "git/ref/heads/feature"), ("list of 30 comments", "pulls/1/comments?per_page=30")]
    {
        let ours = look(&service, vec![format!("{OUR_REPO}/{path}")])?;
        let theirs = look(&peer, vec![format!("{PEER_REPO}/{path}")])?;
        let (mut ours, mut theirs) = (Replay::new(ours), Replay::new(with_tokens(&theirs[0])));
        let mut sides = [Side { server: &service, script: &mut ours }, Side { server: &peer, script: &mut theirs }];
        let rounds = alternate(bench, CONNECTIONS, &mut sides)?;
        report.add(Row {
            what: format!("{what}, beside the peer"),
            service: rounds[0].shown(),
            beside: format!("emulate 0.12.2: {}", rounds[1].shown()),
            figure: rounds[0].throughput_against(&rounds[1]),
            unit: "× faster",
            target: Target::None,
            remark: String::new(),
        });
    }
    Ok(())
}

/// The packages in a folder of their own, fetched once.
fn fetch(bench: &Bench) -> Result<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("peer");
    let folder = bench.folder.join("peer");
    let io = |error: std::io::Error| format!("{}: {error}", folder.display());
    let same = |name: &str| matches!((std::fs::read(source.join(name)), std::fs::read(folder.join(name))), (Ok(one), Ok(other)) if one == other);
    if !FILES.iter().all(|name| same(name)) || node(&folder).is_err() {
        succeed(Command::new("npm").arg("--version")).map_err(|_| "there is no npm")?;
        std::fs::create_dir_all(&folder).map_err(io)?;
        for name in FILES {
            std::fs::copy(source.join(name), folder.join(name)).map_err(io)?;
        }
        let fetched = succeed(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&folder));
        fetched.map_err(|error| format!("npm could not fetch it: {}", error.lines().next().unwrap_or_default()))?;
    }
    node(&folder).map_err(|error| format!("the npm package `node` brings no Node that runs here: {error}"))?;
    Ok(folder)
}

fn node(folder: &Path) -> Result<PathBuf> {
    let node = folder.join("node_modules/node/bin/node");
    succeed(Command::new(&node).arg("--version")).map(|_| node)
}

fn start(bench: &Bench, folder: &Path) -> Result<Running> {
    let tokens: Vec<String> =
        (0..TOKENS).map(|index| format!("  {}: {{ login: mona, scopes: [repo, user] }}", token(index))).collect();
    let seed = format!(
        "tokens:\n  ghp_bench: {{ login: mona, scopes: [repo, user] }}\n{}\ngithub:\n  users: [{{ login: mona, email: mona@example.com }}]\n  \
         repos: [{{ owner: mona, name: rocket, auto_init: true }}]\n",
        tokens.join("\n")
    );
    std::fs::write(folder.join("seed.yaml"), seed).map_err(|error| error.to_string())?;
    let address = free_address()?;
    let mut command = on_core(&node(folder)?, bench.machine.cores.map(|cores| cores.server));
    command.arg(folder.join("node_modules/emulate/dist/index.js")).args([
        "start",
        "--service",
        "github",
        "--seed",
        "seed.yaml",
    ]);
    command.args(["--port", &address.port().to_string()]).current_dir(folder);
    Running::start_at(&mut command, &bench.log("peer"), address, START_LIMIT)
}

/// A port that was free a moment ago; the peer does not pick one by itself.
fn free_address() -> Result<SocketAddr> {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).map_err(|error| error.to_string())
}

fn token(index: usize) -> String {
    format!("ghp_{index:05}")
}

/// A branch and a pull request with as many comments as ours has.
fn fill(peer: &Running) -> Result<()> {
    let mut client = peer.client()?;
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

/// The same exchange with each of the tokens.
fn with_tokens(exchange: &Exchange) -> Vec<Exchange> {
    let text = String::from_utf8_lossy(&exchange.request).into_owned();
    let requests = (0..TOKENS).map(|index| text.replace("ghp_bench", &token(index)).into_bytes());
    requests.map(|request| Exchange { request, ..exchange.clone() }).collect()
}
