//! The whole commit-graph in an order that makes one long look back a single sweep through memory.

use gix::commitgraph::{Graph, Position};

use super::walk::Node;
use plinth_base::error::Result;

/// Commits ranked so that every parent stands before its children, with their parents side by side.
///
/// Built only when a walk turns out to be long: it costs more than a short walk and some bytes per commit.
pub(super) struct ReachIndex {
    rank_of: Vec<u32>,
    /// Where the parents of each rank begin in `parents`; one more than there are ranks.
    starts: Vec<u32>,
    parents: Vec<u32>,
}

impl ReachIndex {
    pub(super) fn build(graph: &Graph) -> Result<Self> {
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
                parents.push(rank_of[parent.map_err(super::broken)?.0 as usize]);
            }
        }
        starts.push(parents.len() as u32);
        Ok(Self { rank_of, starts, parents })
    }

    /// Whether any of the commits has `ancestor` among its ancestors.
    pub(super) fn is_reached(&self, ancestor: Node, descendants: &[Node]) -> bool {
        let bottom = self.rank_of[ancestor as usize];
        let ranks = descendants.iter().map(|node| self.rank_of[*node as usize]);
        let Some(top) = ranks.clone().max().filter(|top| *top >= bottom) else { return false };
        let mut marks = Marks::new((top - bottom + 1) as usize);
        ranks.filter(|rank| *rank >= bottom).for_each(|rank| marks.set((rank - bottom) as usize));
        for rank in (bottom + 1..=top).rev() {
            if !marks.get((rank - bottom) as usize) {
                continue;
            }
            let (from, to) = (self.starts[rank as usize], self.starts[rank as usize + 1]);
            for &parent in &self.parents[from as usize..to as usize] {
                // In a sound graph every parent ranks below its child.
                if (bottom..rank).contains(&parent) {
                    marks.set((parent - bottom) as usize);
                }
            }
        }
        marks.get(0)
    }
}

struct Marks(Vec<u64>);

impl Marks {
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
