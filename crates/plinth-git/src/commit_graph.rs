//! The commit-graph of a repository: parents and generation numbers of most commits, without reading objects.

use std::fs;
use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use gix_commitgraph::{Graph, Position};
use parking_lot::Mutex;

use plinth_base::error::Result;

/// Where git stores the layers of a graph, below `objects`, and the file that lists the current ones.
const GRAPHS: &str = "info/commit-graphs";
const CHAIN: &str = "commit-graph-chain";

/// The open graph, with the version of the file that it was opened from.
#[derive(Default)]
pub(crate) struct GraphCache(Mutex<Option<(FileVersion, Arc<CommitGraph>)>>);

/// One immutable version of the graph.
pub(crate) struct CommitGraph {
    graph: Graph,
    reach: OnceLock<ReachIndex>,
}

impl CommitGraph {
    /// Built by the first long walk; lives as long as this version of the graph.
    pub(crate) fn reach_index(&self) -> Result<&ReachIndex> {
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

/// Git replaces the chain file with every write, so a new inode or time means a new graph.
#[derive(PartialEq, Eq, Clone, Copy)]
struct FileVersion {
    modified: SystemTime,
    inode: u64,
}

impl FileVersion {
    fn of(file: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let metadata = fs::metadata(file).ok()?;
        Some(Self { modified: metadata.modified().ok()?, inode: metadata.ino() })
    }
}

impl GraphCache {
    /// The newest graph, if it is open already.
    pub(crate) fn get_open(&self, objects_directory: &Path) -> Option<Arc<CommitGraph>> {
        let version = FileVersion::of(&objects_directory.join(GRAPHS).join(CHAIN))?;
        let current = self.0.lock();
        current.as_ref().filter(|(cached, _)| *cached == version).map(|(_, graph)| graph.clone())
    }

    /// The newest graph. `None` if it is missing or damaged: walks are then slower, but still correct.
    pub(crate) fn get(&self, objects_directory: &Path) -> Option<Arc<CommitGraph>> {
        let directory = objects_directory.join(GRAPHS);
        let version = FileVersion::of(&directory.join(CHAIN))?;
        let mut current = self.0.lock();
        if let Some((cached, graph)) = &*current
            && *cached == version
        {
            return Some(graph.clone());
        }
        let graph = Graph::from_commit_graphs_dir(&directory, gix_hash::Kind::Sha1)
            .inspect_err(|error| tracing::warn!(%error, "could not read a commit-graph"))
            .ok()?;
        let graph = Arc::new(CommitGraph { graph, reach: OnceLock::new() });
        *current = Some((version, graph.clone()));
        Some(graph)
    }
}

/// The whole graph in topological order, so that one ancestry test is a single linear pass over memory.
///
/// Every parent ranks below its children. Built only when a walk turns out to be long: it costs more than a short walk,
/// and some bytes per commit. Commits are named by their position in the graph.
pub(crate) struct ReachIndex {
    rank_of: Vec<u32>,
    /// Where the parents of each rank begin in `parents`; one more than there are ranks.
    starts: Vec<u32>,
    parents: Vec<u32>,
}

impl ReachIndex {
    fn build(graph: &Graph) -> Result<Self> {
        let count = graph.num_commits();
        let mut by_generation: Vec<(u32, u32)> =
            (0..count).map(|position| (graph.commit_at(Position(position)).generation(), position)).collect();
        by_generation.sort_unstable();
        let mut rank_of = vec![0; count as usize];
        for (rank, (_, position)) in by_generation.iter().enumerate() {
            rank_of[*position as usize] = rank as u32;
        }
        let mut starts = Vec::with_capacity(count as usize + 1);
        let mut parents = Vec::with_capacity(count as usize);
        for (_, position) in by_generation {
            starts.push(parents.len() as u32);
            for parent in graph.commit_at(Position(position)).iter_parents() {
                parents.push(rank_of[parent.map_err(crate::broken)?.0 as usize]);
            }
        }
        starts.push(parents.len() as u32);
        Ok(Self { rank_of, starts, parents })
    }

    /// Whether `ancestor` is reachable from any of `descendants`.
    pub(crate) fn is_reachable(&self, ancestor: u32, descendants: &[u32]) -> bool {
        let bottom = self.rank_of[ancestor as usize];
        let ranks = descendants.iter().map(|position| self.rank_of[*position as usize]);
        let Some(top) = ranks.clone().max().filter(|top| *top >= bottom) else { return false };
        let mut marks = BitSet::new((top - bottom + 1) as usize);
        ranks.filter(|rank| *rank >= bottom).for_each(|rank| marks.set((rank - bottom) as usize));
        for rank in (bottom + 1..=top).rev() {
            if !marks.get((rank - bottom) as usize) {
                continue;
            }
            let (from, to) = (self.starts[rank as usize], self.starts[rank as usize + 1]);
            for &parent in &self.parents[from as usize..to as usize] {
                // Only a damaged graph has a parent that does not rank below its child.
                if (bottom..rank).contains(&parent) {
                    marks.set((parent - bottom) as usize);
                }
            }
        }
        marks.get(0)
    }
}

struct BitSet(Vec<u64>);

impl BitSet {
    fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    fn set(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    fn get(&self, index: usize) -> bool {
        self.0[index / 64] & 1 << (index % 64) != 0
    }
}
