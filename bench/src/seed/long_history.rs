//! A repository with a long history.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use super::cache::get_or_create;
use super::fast_import::FastImport;
use super::state;
use crate::harness::{Context, names};
use crate::system::{git, output_of};

/// The commits that fast-forwards start from and lead to.
pub struct Commits {
    pub first: String,
    pub before_last: String,
    pub last: String,
    /// A child of the first commit that is no ancestor of the last.
    pub diverged: String,
}

/// A service with `acme/history`, whose `main` has this many commits.
pub fn get(context: &Context, count: u64) -> Result<PathBuf> {
    get_or_create(context, &format!("history-{count}"), |directory| {
        write_source(&directory.join("source.git"), count)?;
        state::apply(context, directory, &state::with_repo("acme/history"))?;
        write_commit_graph(directory)
    })
}

pub fn commits(seed: &Path) -> Result<Commits> {
    let source = seed.join("source.git");
    let find = |name: &str| output_of(&mut git(&source, &["rev-parse", name])).map(|sha| sha.trim().to_owned());
    Ok(Commits {
        first: find("first")?,
        before_last: find("main~1")?,
        last: find("main")?,
        diverged: find("diverged")?,
    })
}

fn write_source(directory: &Path, count: u64) -> Result<()> {
    let mut import = FastImport::begin(directory)?;
    let first = import.commit("main", &[], &[("README.md".into(), b"# Long history\n".to_vec())])?;
    import.create_ref("refs/heads/first", first)?;
    import.create_ref("refs/heads/moving", first)?;
    // As old as the first commit: its date must not show that it is no ancestor of the last.
    import.commit("diverged", &[first], &[])?;
    import.extend("main", first, count)?;
    import.finish()
}

/// The service's maintenance writes a commit-graph within a minute; do not wait for it.
fn write_commit_graph(seed: &Path) -> Result<()> {
    let source = seed.join("source.git");
    output_of(&mut git(&source, &["commit-graph", "write", "--reachable", "--split", "--no-progress"]))?;
    let graphs = source.join("objects/info/commit-graphs");
    output_of(Command::new("cp").arg("-r").arg(graphs).arg(repository(seed)?.join("objects/info/")))?;
    Ok(())
}

/// The only repository in the service's data directory.
pub fn repository(seed: &Path) -> Result<PathBuf> {
    let directory = seed.join("data").join(names::REPOSITORIES_DIRECTORY);
    let arguments = ["-mindepth", "2", "-maxdepth", "2", "-name", "*.git", "-type", "d"];
    let listed = output_of(Command::new("find").arg(directory).args(arguments))?;
    listed.lines().next().map(PathBuf::from).context("the service has no repository on disk")
}
