//! The commit-graph of a repository: parents and generations of most commits, ready to walk.

use std::fs;
use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use gix::commitgraph::Graph;
use parking_lot::Mutex;

use super::child::{GitCommand, Limits};
use super::reach::ReachIndex;
use super::repository::Repository;
use plinth_base::error::Result;
use plinth_base::ids::Sha;

/// Where git keeps graphs among the objects, and the file that names those in use.
const GRAPHS: &str = "info/commit-graphs";
const CHAIN: &str = "commit-graph-chain";

/// The graph in use, and the file it came from.
#[derive(Default)]
pub(super) struct GraphCache(Mutex<Option<(Stamp, Arc<CommitGraph>)>>);

/// One state of the graph; it never changes.
pub(super) struct CommitGraph {
    graph: Graph,
    reach: OnceLock<ReachIndex>,
}

impl CommitGraph {
    /// Made by the first long walk and kept as long as this state of the graph.
    pub(super) fn reach(&self) -> Result<&ReachIndex> {
        if let Some(reach) = self.reach.get() {
            return Ok(reach);
        }
        let reach = ReachIndex::build(&self.graph)?;
        Ok(self.reach.get_or_init(|| reach))
    }
}

impl Deref for CommitGraph {
    type Target = Graph;

    fn deref(&self) -> &Graph {
        &self.graph
    }
}

#[derive(PartialEq, Eq, Clone, Copy)]
struct Stamp {
    modified: SystemTime,
    inode: u64,
}

impl Stamp {
    fn of(file: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let metadata = fs::metadata(file).ok()?;
        Some(Self { modified: metadata.modified().ok()?, inode: metadata.ino() })
    }
}

impl GraphCache {
    /// The newest graph, if it is open already.
    pub(super) fn get_open(&self, objects_directory: &Path) -> Option<Arc<CommitGraph>> {
        let stamp = Stamp::of(&objects_directory.join(GRAPHS).join(CHAIN))?;
        let current = self.0.lock();
        current.as_ref().filter(|(known, _)| *known == stamp).map(|(_, graph)| graph.clone())
    }

    /// The newest graph, or nothing: one that is missing or damaged only makes walks slower.
    pub(super) fn get(&self, objects_directory: &Path) -> Option<Arc<CommitGraph>> {
        let directory = objects_directory.join(GRAPHS);
        let stamp = Stamp::of(&directory.join(CHAIN))?;
        let mut current = self.0.lock();
        if let Some((known, graph)) = &*current
            && *known == stamp
        {
            return Some(graph.clone());
        }
        let graph = Graph::from_commit_graphs_dir(&directory, gix::hash::Kind::Sha1)
            .inspect_err(|error| tracing::warn!(%error, "a commit-graph cannot be read"))
            .ok()?;
        let graph = Arc::new(CommitGraph { graph, reach: OnceLock::new() });
        *current = Some((stamp, graph.clone()));
        Some(graph)
    }
}

/// What becomes of what a graph knows already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphLayers {
    Keep,
    /// Commits may be gone, and a graph must not know any that are.
    Replace,
}

impl Repository {
    /// Whether there is a commit-graph, up to date or not.
    pub fn has_commit_graph(&self) -> bool {
        let info = self.objects_directory().join("info");
        info.join("commit-graph").exists() || info.join("commit-graphs").exists()
    }

    /// Brings the commit-graph up to all commits that the tips reach. Tips that are no commits do not matter.
    pub fn write_commit_graph(&self, tips: &[Sha], layers: GraphLayers) -> Result<()> {
        let split = match layers {
            GraphLayers::Keep => "--split",
            GraphLayers::Replace => "--split=replace",
        };
        GitCommand::new(&self.directory, "commit-graph", Limits::default())
            // A torn graph would give wrong answers, so this one derived file is synced.
            .setting("core.fsync=commit-graph")
            .args(["write", "--stdin-commits", split, "--no-progress"])
            .run(|stdin| tips.iter().try_for_each(|tip| writeln!(stdin, "{tip}")))?
            .check("writing the commit-graph")?;
        Ok(())
    }
}
