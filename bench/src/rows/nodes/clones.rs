//! Clones from a node that must fetch the packs first, and from one that has them.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Result, ensure};

use crate::harness::{Context, Deployment, Programs};
use crate::http::Client;
use crate::results::{Figure, Results, Row, Target, significant};
use crate::seed::nodes;
use crate::system::usage::tree_cpu;
use crate::system::{ServerProcess, git, output_of};

/// Each round takes seconds, so there are fewer.
const ROUNDS_MAX: usize = 5;

/// What a git command took, in seconds.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    pub took: f64,
    /// CPU time of the node and the git processes that it starts.
    pub node_cpu: f64,
    pub database_cpu: f64,
}

/// Clones a repository of `acme` into a directory, which is deleted.
pub fn clone(deployment: &Deployment, node: &ServerProcess, name: &str) -> Result<Cost> {
    let target = deployment.data("cloned");
    let mut command = git(Path::new("."), &["clone", "-q", "--bare", &url(node, name)]);
    let cost = measure(deployment, node, command.arg(&target))?;
    let head = output_of(&mut git(&target, &["rev-parse", "main"]))?;
    ensure!(head.trim().len() == 40, "the clone of {name} is empty");
    fs::remove_dir_all(&target)?;
    Ok(cost)
}

/// Pushes a new commit to a new branch of a repository of `acme`.
pub fn push(deployment: &Deployment, node: &ServerProcess, name: &str) -> Result<Cost> {
    let work = deployment.data("pushed");
    output_of(git(Path::new("."), &["clone", "-q", "--bare", &url(node, name)]).arg(&work))?;
    // Only new objects are pushed, so each push has another message.
    let message = format!("pushed at {:?}", std::time::SystemTime::now());
    let commit = output_of(&mut git(&work, &["commit-tree", "main^{tree}", "-p", "main", "-m", &message]))?;
    let refs = format!("{0}:refs/heads/pushed-{0}", commit.trim());
    let cost = measure(deployment, node, &mut git(&work, &["push", "-q", &url(node, name), &refs]))?;
    fs::remove_dir_all(&work)?;
    Ok(cost)
}

fn url(node: &ServerProcess, name: &str) -> String {
    format!("http://x:ghp_bench@{}/acme/{name}.git", node.address)
}

fn measure(deployment: &Deployment, node: &ServerProcess, command: &mut Command) -> Result<Cost> {
    let (node_before, database_before) = (tree_cpu(node.pid()), tree_cpu(deployment.database.pid()));
    let begun = Instant::now();
    output_of(command)?;
    let took = begun.elapsed().as_secs_f64();
    let node_cpu = tree_cpu(node.pid()).saturating_sub(node_before).as_secs_f64();
    let database_cpu = tree_cpu(deployment.database.pid()).saturating_sub(database_before).as_secs_f64();
    Ok(Cost { took, node_cpu, database_cpu })
}

struct Round {
    cold: Cost,
    warm: Cost,
    /// The time to download the same files with nothing else.
    transfer: f64,
}

pub fn rows(context: &Context, programs: &Programs) -> Result<Results> {
    let deployment = Deployment::start(context, programs, Some(&nodes::large(context, programs)?))?;
    let mut rounds = Vec::new();
    for round in 0..context.rounds.min(ROUNDS_MAX) {
        let name = format!("node-{round}");
        let node = deployment.start_node(context, &name)?;
        let cold = clone(&deployment, &node, "large")?;
        let warm = clone(&deployment, &node, "large")?;
        rounds.push(Round { cold, warm, transfer: transfer(&deployment)? });
        drop(node);
        fs::remove_dir_all(deployment.data(&name))?;
    }
    let figure = |value: fn(&Round) -> f64| Figure::of(&rounds.iter().map(value).collect::<Vec<_>>());
    let seconds = |value: fn(&Round) -> f64| significant(figure(value).median);
    let megabytes = context.size(2, 100);
    let row = |what: &str, service: String, baseline: String, figure, target, note| Row {
        what: format!("clone of {megabytes} MB from a node without its packs, {what}"),
        service,
        baseline,
        figure,
        unit: "×",
        target,
        note,
    };
    Ok(Results::of_rows(vec![
        row(
            "time without the transfer",
            format!("{} s, of which transfer: {} s", seconds(|round| round.cold.took), seconds(|round| round.transfer)),
            format!("from a node with its packs: {} s", seconds(|round| round.warm.took)),
            figure(|round| (round.cold.took - round.transfer).max(0.0) / round.warm.took),
            Target::AtMost(1.5),
            "the transfer is a download of the same files from the S3 server".into(),
        ),
        row(
            "CPU time of the node and its git processes",
            format!("{} s", seconds(|round| round.cold.node_cpu)),
            format!("from a node with its packs: {} s", seconds(|round| round.warm.node_cpu)),
            figure(|round| round.cold.node_cpu / round.warm.node_cpu),
            Target::None,
            String::new(),
        ),
    ]))
}

fn transfer(deployment: &Deployment) -> Result<f64> {
    let files = deployment.stored_files()?;
    ensure!(!files.is_empty(), "the storage has no pack");
    let begun = Instant::now();
    let mut client = Client::connect(deployment.storage.address)?;
    for file in files {
        client.get(&file)?.expect(200)?;
    }
    Ok(begun.elapsed().as_secs_f64())
}
