//! The CPU time of nodes and of the database per request: one node over its own database, and two over theirs, measured
//! alternately with the same number of clients and requests for each node: a node that serves more at once takes less for each.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use crate::harness::{Context, Deployment, Programs, Written};
use crate::http::{Client, record};
use crate::load::{self, Generated, Load, Measurement, Pace, Replay, Workload};
use crate::results::{Figure, Results, Row, Target, significant};
use crate::rows::compare::{Rounds, in_turn};
use crate::rows::{reads, writes};
use crate::seed::{StandardSeed, nodes, spread};
use crate::system::ServerProcess;

/// Of each node.
const CONNECTIONS: usize = 8;
/// Two nodes may take this much more than one, so that capacity adds up.
const RATIO_MAX: f64 = 1.1;
/// Requests per second and node, which leave nodes, database and load generator of this machine time.
const READS_PER_SECOND: f64 = 500.0;
const WRITES_PER_SECOND: f64 = 150.0;
/// Requests whose writes are counted.
const COUNTED: usize = 500;
/// PostgreSQL publishes its counters about once a second.
const COUNTERS_DELAY: Duration = Duration::from_millis(2500);
/// Each session of PostgreSQL plans each statement five times before it keeps the plan, and two nodes have twice as many.
const WARM_UP: usize = 400;

/// What the clients of each node send.
#[derive(Debug, Clone, Copy)]
enum NodeLoad {
    /// Requests per second.
    Rate(f64),
    /// As many as there are responses. On one machine, nodes and database then take each other's time, and a node with fewer
    /// requests that wait shares less between them, so this says little about nodes on machines of their own.
    Full,
}

impl NodeLoad {
    fn pace(self, nodes: usize) -> Pace {
        match self {
            NodeLoad::Rate(per_second) => Pace::Open(per_second * nodes as f64),
            NodeLoad::Full => Pace::Closed,
        }
    }

    fn target(self) -> Target {
        match self {
            NodeLoad::Rate(_) => Target::AtMost(RATIO_MAX),
            NodeLoad::Full => Target::None,
        }
    }

    fn suffix(self) -> &'static str {
        match self {
            NodeLoad::Rate(_) => "",
            NodeLoad::Full => ", at full load",
        }
    }
}

/// One node, and two.
struct Pair {
    one: Deployment,
    two: Deployment,
}

impl Pair {
    fn start(context: &Context, programs: &Programs, seed: &Path) -> Result<Self> {
        let mut one = Deployment::start(context, programs, Some(seed))?;
        let mut two = Deployment::start(context, programs, Some(seed))?;
        one.add_node(context, "a")?;
        two.add_node(context, "a")?;
        two.add_node(context, "b")?;
        Ok(Self { one, two })
    }

    /// Sends requests that are not measured to every node.
    fn warm_up(&self, context: &Context, workloads: [&mut dyn Workload; 2]) -> Result<()> {
        for (deployment, workload) in [&self.one, &self.two].into_iter().zip(workloads) {
            for node in &deployment.nodes {
                load::fill(node.address, CONNECTIONS, workload, context.size(40, WARM_UP))?;
            }
        }
        Ok(())
    }
}

pub fn rows(context: &Context, programs: &Programs) -> Result<Results> {
    let standard = StandardSeed::get(context)?;
    let pair = Pair::start(context, programs, &nodes::standard(context, programs)?)?;
    let mut rows = Vec::new();
    for (what, paths) in [
        ("GET one ref", reads::ref_paths as fn(&ServerProcess) -> Result<Vec<String>>),
        ("GET one comment", reads::comment_paths),
        ("list of 30 comments", reads::list_path),
    ] {
        let replay = |deployment: &Deployment| -> Result<Replay> {
            let mut recordings = Vec::new();
            for node in &deployment.nodes {
                // Every node fetches its packs; all of them send the same responses.
                recordings = record(node.address, paths(node)?)?;
            }
            Ok(Replay::new(recordings))
        };
        let (mut one, mut two) = (replay(&pair.one)?, replay(&pair.two)?);
        pair.warm_up(context, [&mut one, &mut two])?;
        for load in [NodeLoad::Rate(READS_PER_SECOND), NodeLoad::Full] {
            let rounds = alternate(context, &pair, load, [&mut one, &mut two])?;
            rows.extend(ratios(what, load, &rounds, String::new()));
        }
    }
    for (what, workload) in [
        ("create a ref, all in one repository", writes::create_ref as fn(&StandardSeed) -> Generated),
        ("create a comment, all in one repository", writes::create_comment),
    ] {
        rows.extend(write_rows(context, what, &pair, || workload(&standard))?);
    }
    drop(pair);
    let repositories = context.size(4, 100);
    let pair = Pair::start(context, programs, &nodes::many_packs(context, programs, repositories)?)?;
    let commit = head(&pair.one)?;
    let what = format!("create a ref in one of {repositories} repositories");
    rows.extend(write_rows(context, &what, &pair, || {
        Generated::new("POST", 201, spread::new_ref(repositories, commit.clone()))
    })?);
    Ok(Results::of_rows(rows))
}

/// The commit that `main` of each repository is at.
fn head(deployment: &Deployment) -> Result<String> {
    let mut client = Client::connect(deployment.nodes[0].address)?;
    let found = client.get("/repos/acme/repo-0/git/ref/heads/main")?.expect(200)?.json()?;
    Ok(found["object"]["sha"].as_str().unwrap_or_default().to_owned())
}

fn write_rows(context: &Context, what: &str, pair: &Pair, workload: impl Fn() -> Generated) -> Result<Vec<Row>> {
    let (mut one, mut two) = (workload(), workload());
    pair.warm_up(context, [&mut one, &mut two])?;
    let paced = alternate(context, pair, NodeLoad::Rate(WRITES_PER_SECOND), [&mut one, &mut two])?;
    let full = alternate(context, pair, NodeLoad::Full, [&mut one, &mut two])?;
    let written = count_writes(context, &pair.one, &mut one)?;
    let mut rows = ratios(what, NodeLoad::Rate(WRITES_PER_SECOND), &paced, written);
    rows.extend(ratios(what, NodeLoad::Full, &full, String::new()));
    Ok(rows)
}

/// What the database writes for each request.
fn count_writes(context: &Context, deployment: &Deployment, workload: &mut Generated) -> Result<String> {
    let count = context.size(20, COUNTED);
    let delay = context.size(Duration::ZERO, COUNTERS_DELAY);
    std::thread::sleep(delay);
    let before = deployment.database.written()?;
    load::fill(deployment.nodes[0].address, CONNECTIONS, workload, count)?;
    std::thread::sleep(delay);
    let Written { log_bytes, log_syncs, commits } = deployment.database.written()?;
    let each = |after: f64, before: f64| significant((after - before) / count as f64);
    let syncs = match (log_syncs, before.log_syncs) {
        (Some(after), Some(before)) => format!("{} syncs of it, ", each(after, before)),
        _ => String::new(),
    };
    Ok(format!(
        "{} bytes of write-ahead log, {syncs}{} transactions per request",
        each(log_bytes, before.log_bytes),
        each(commits, before.commits)
    ))
}

fn alternate(
    context: &Context,
    pair: &Pair,
    node_load: NodeLoad,
    workloads: [&mut dyn Workload; 2],
) -> Result<[Rounds; 2]> {
    let mut rounds = [Rounds(Vec::new()), Rounds(Vec::new())];
    in_turn(context.rounds, rounds.len(), |index| {
        let deployment = [&pair.one, &pair.two][index];
        let load = Load {
            addresses: deployment.nodes.iter().map(|node| node.address).collect(),
            processes: deployment.processes(),
            connections: CONNECTIONS * deployment.nodes.len(),
            duration: context.duration,
            pace: node_load.pace(deployment.nodes.len()),
        };
        let workload = &mut *workloads[index];
        rounds[index].0.push(context.disturbances.measure(|| load::run(&load, workload))?);
        Ok(())
    })?;
    Ok(rounds)
}

fn ratios(what: &str, node_load: NodeLoad, [one, two]: &[Rounds; 2], note: String) -> Vec<Row> {
    let row = |who: &str, value: fn(&Measurement) -> f64, note: String| {
        let shown = |rounds: &Rounds| {
            let (micros, rate) = (rounds.figure(value).median, rounds.figure(Measurement::per_second).median);
            format!("{} µs CPU, {}/s", significant(micros), significant(rate))
        };
        let ratios: Vec<f64> = one.0.iter().zip(&two.0).map(|(one, two)| value(two) / value(one)).collect();
        Row {
            what: format!("{what}, CPU time of {who} per request with two nodes{}", node_load.suffix()),
            service: format!("two nodes: {}", shown(two)),
            baseline: format!("one node: {}", shown(one)),
            figure: Figure::of(&ratios),
            unit: "×",
            target: node_load.target(),
            note,
        }
    };
    vec![
        row("nodes", Measurement::server_micros, String::new()),
        row("the database", Measurement::database_micros, note),
    ]
}
