//! What grows with the number of repositories, each with ten packs: one deployment per size, measured alternately.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::clones::{clone, push};
use crate::harness::{Context, Deployment, Programs};
use crate::http::{Client, record};
use crate::load::{self, Load, Measurement, Pace, Replay};
use crate::results::{Figure, Growth, Results, Row, Series, Target, significant};
use crate::rows::compare::in_turn;
use crate::seed::nodes;
use crate::system::ServerProcess;
use crate::system::usage::tree_cpu;

const CONNECTIONS: usize = 16;
/// Different repositories that are read; a node fetches their packs first.
const READ_REPOSITORIES: u64 = 100;
/// A node is idle when it and its database use less than this share of a core.
const IDLE_SHARE: f64 = 0.03;
const IDLE_INTERVAL: Duration = Duration::from_secs(1);
const IDLE_TIMEOUT: Duration = Duration::from_secs(300);
/// The largest deployment may take this much more than the smallest.
const RATIO_MAX: f64 = 1.3;

struct Sized {
    size: u64,
    deployment: Deployment,
    replay: Replay,
    costs: Costs,
}

/// Milliseconds, one for each round.
#[derive(Default)]
struct Costs {
    start: Vec<f64>,
    read: Vec<f64>,
    read_database: Vec<f64>,
    clone: Vec<f64>,
    clone_database: Vec<f64>,
    push: Vec<f64>,
    push_database: Vec<f64>,
}

/// One thing that is measured at every size.
type Cost = (&'static str, fn(&Costs) -> &Vec<f64>);

const COSTS: [Cost; 7] = [
    ("GET one ref, node", |costs| &costs.read),
    ("GET one ref, database", |costs| &costs.read_database),
    ("clone, node and git", |costs| &costs.clone),
    ("clone, database", |costs| &costs.clone_database),
    ("push of a commit, node and git", |costs| &costs.push),
    ("push of a commit, database", |costs| &costs.push_database),
    ("start to first response, node", |costs| &costs.start),
];

pub fn rows(context: &Context, programs: &Programs) -> Result<Results> {
    let sizes = context.size(vec![2, 4], vec![10, 100, 1000]);
    let mut all = sizes.into_iter().map(|size| prepare(context, programs, size)).collect::<Result<Vec<Sized>>>()?;
    in_turn(context.rounds, all.len(), |index| measure(context, &mut all[index]))?;
    let series = COSTS.iter().map(|(name, values)| {
        let points = all.iter().map(|sized| (sized.size, Figure::of(values(&sized.costs)).median));
        Series { name: (*name).into(), points: points.collect() }
    });
    let growth =
        Growth { title: "repositories with 10 packs each, on several nodes", unit: "ms CPU", series: series.collect() };
    let rows = COSTS.iter().filter_map(|cost| row(cost, all.first()?, all.last()?)).collect();
    Ok(Results { rows, growths: vec![growth], ..Results::default() })
}

fn row((name, values): &Cost, smallest: &Sized, largest: &Sized) -> Option<Row> {
    let ratios = values(&largest.costs).iter().zip(values(&smallest.costs)).map(|(large, small)| large / small);
    let ratios: Vec<f64> = ratios.filter(|ratio| ratio.is_finite()).collect();
    let shown = |sized: &Sized| format!("{} ms CPU", significant(Figure::of(values(&sized.costs)).median));
    (!ratios.is_empty()).then(|| Row {
        what: format!("{name}, with {} repositories of {} packs", largest.size, nodes::PACKS),
        service: shown(largest),
        baseline: format!("with {}: {}", smallest.size, shown(smallest)),
        figure: Figure::of(&ratios),
        unit: "×",
        target: Target::AtMost(RATIO_MAX),
        note: String::new(),
    })
}

fn prepare(context: &Context, programs: &Programs, size: u64) -> Result<Sized> {
    let seed = nodes::many_packs(context, programs, size)?;
    let mut deployment = Deployment::start(context, programs, Some(&seed))?;
    deployment.add_node(context, "node")?;
    let step = size.div_ceil(READ_REPOSITORIES);
    let indexes = (0..size).step_by(usize::try_from(step)?);
    let paths = |below: &str| -> Vec<String> {
        indexes.clone().map(|index| format!("/repos/acme/repo-{index}/{below}")).collect()
    };
    let node = &deployment.nodes[0];
    let (files, begun) = (paths("contents/src/0/0.txt"), Instant::now());
    let count = files.len();
    record(node.address, files)?;
    let each = begun.elapsed().as_secs_f64() * 1e3 / count as f64;
    println!("  {size} repositories: the first file of one, with ten packs to fetch, takes {} ms", significant(each));
    let replay = Replay::new(record(node.address, paths("git/ref/heads/main"))?);
    wait_until_idle(context, &deployment);
    Ok(Sized { size, deployment, replay, costs: Costs::default() })
}

/// After a move, nodes compute the sizes and languages of all repositories.
fn wait_until_idle(context: &Context, deployment: &Deployment) {
    let used = || tree_cpu(deployment.nodes[0].pid()) + tree_cpu(deployment.database.pid());
    let begun = Instant::now();
    while begun.elapsed() < context.size(Duration::ZERO, IDLE_TIMEOUT) {
        let before = used();
        std::thread::sleep(IDLE_INTERVAL);
        if used().saturating_sub(before) < IDLE_INTERVAL.mul_f64(IDLE_SHARE) {
            break;
        }
    }
    println!("  idle after {} s", significant(begun.elapsed().as_secs_f64()));
}

fn measure(context: &Context, sized: &mut Sized) -> Result<()> {
    let Sized { size, deployment, replay, costs } = sized;
    let load = Load {
        addresses: deployment.nodes.iter().map(|node| node.address).collect(),
        processes: deployment.processes(),
        connections: CONNECTIONS,
        duration: context.duration,
        pace: Pace::Closed,
    };
    let measured: Measurement = load::run(&load, replay)?;
    costs.read.push(measured.server_micros() / 1e3);
    costs.read_database.push(measured.database_micros() / 1e3);
    // One whose packs were fetched, and another one in each round, since packs of many pushes are joined.
    let name = format!("repo-{}", costs.clone.len() as u64 * size.div_ceil(READ_REPOSITORIES) % *size);
    let cloned = clone(deployment, &deployment.nodes[0], &name)?;
    costs.clone.push(cloned.node_cpu * 1e3);
    costs.clone_database.push(cloned.database_cpu * 1e3);
    let pushed = push(deployment, &deployment.nodes[0], &name)?;
    costs.push.push(pushed.node_cpu * 1e3);
    costs.push_database.push(pushed.database_cpu * 1e3);
    costs.start.push(start(context, deployment)?);
    Ok(())
}

/// Starts another node with an empty directory.
fn start(context: &Context, deployment: &Deployment) -> Result<f64> {
    let node: ServerProcess = deployment.start_node(context, "started")?;
    Client::connect(node.address)?.get("/meta")?.expect(200)?;
    let cpu = tree_cpu(node.pid()).as_secs_f64() * 1e3;
    drop(node);
    std::fs::remove_dir_all(deployment.data("started"))?;
    Ok(cpu)
}
