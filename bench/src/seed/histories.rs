//! A repository with one long history.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::world::PEOPLE;
use super::{History, keep};
use crate::Result;
use crate::bench::Bench;
use crate::process::{git, succeed};
use crate::service;

/// Commits of a history that tests are about.
pub struct Tips {
    pub first: String,
    pub before_last: String,
    pub last: String,
    /// A child of the first commit that nothing descends from.
    pub aside: String,
}

/// The seed of a service with `acme/history`.
pub fn get(bench: &Bench, count: u64) -> Result<PathBuf> {
    keep(bench, &format!("history-{count}"), |folder| make(bench, folder, count))
}

pub fn tips(seed: &Path) -> Result<Tips> {
    let source = seed.join("source.git");
    let find = |name: &str| succeed(&mut git(&source, &["rev-parse", name])).map(|sha| sha.trim().to_owned());
    Ok(Tips { first: find("first")?, before_last: find("main~1")?, last: find("main")?, aside: find("aside")? })
}

fn make(bench: &Bench, folder: &Path, count: u64) -> Result<()> {
    let mut history = History::begin(&folder.join("source.git"))?;
    let first = history.commit("main", &[], &[("README.md".into(), b"# A long story\n".to_vec())])?;
    history.name("refs/heads/first", first)?;
    history.name("refs/heads/moving", first)?;
    // As old as the beginning: its date must not give away that the last commit does not descend from it.
    history.commit("aside", &[first], &[])?;
    history.chain("main", first, count)?;
    history.finish()?;
    let state = folder.join("state.yaml");
    let text = format!("{PEOPLE}repos:\n  - {{ name: acme/history, default_branch: main, import: source.git }}\n");
    std::fs::write(&state, text).map_err(|error| format!("{}: {error}", state.display()))?;
    service::command(bench, &folder.join("data"), &["apply", &state.display().to_string()])?;
    write_graph(folder)
}

/// Long histories are walked by their commit-graph. The service's upkeep writes it within a minute; here git does.
fn write_graph(seed: &Path) -> Result<()> {
    let source = seed.join("source.git");
    succeed(&mut git(&source, &["commit-graph", "write", "--reachable", "--split", "--no-progress"]))?;
    let graphs = source.join("objects/info/commit-graphs");
    succeed(Command::new("cp").arg("-r").arg(graphs).arg(repository(seed)?.join("objects/info/")))?;
    Ok(())
}

/// The service's own copy on disk; the seed has only one repository.
pub fn repository(seed: &Path) -> Result<PathBuf> {
    let folders = seed.join("data/repositories");
    let words = ["-mindepth", "2", "-maxdepth", "2", "-name", "*.git", "-type", "d"];
    let listed = succeed(Command::new("find").arg(folders).args(words))?;
    listed.lines().next().map(PathBuf::from).ok_or("the service has no repository on disk".into())
}
