//! Commits as numbered nodes, from the commit-graph or from objects.

use std::collections::HashMap;
use std::sync::Arc;

use gix_commitgraph::Position;

use super::Reader;
use crate::commit_graph::CommitGraph;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, Sha};

/// Commits that one walk reads as objects; longer histories need the commit-graph.
const UNGRAPHED_MAX: usize = 300_000;
/// Memory for one of these.
const UNGRAPHED_BYTES: u64 = 128;
/// From so many on, a walk over its budget can succeed once the commit-graph is written.
const UNGRAPHED_MANY: usize = 10_000;

/// Bytes of a `parent` line. A commit may have thousands of parents, and each is visited.
const PARENT_LINE_BYTES: u64 = 48;

/// A commit within one walk: its position in the graph, or above these a number in the order of the visit.
pub(crate) type Node = u32;

/// The part of the history that a walk has visited.
pub(crate) struct Walk<'a> {
    reader: Reader<'a>,
    graph: Option<Arc<CommitGraph>>,
    graphed: Node,
    ungraphed: Vec<Ungraphed>,
    nodes: HashMap<Sha, Node>,
}

struct Ungraphed {
    sha: Sha,
    parents: Vec<Node>,
    seconds: i64,
    /// Zero until it is computed.
    generation: u32,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(reader: Reader<'a>) -> Self {
        let graph = reader.graph();
        let graphed = graph.as_ref().map_or(0, |graph| graph.num_commits());
        Self { reader, graph, graphed, ungraphed: Vec::new(), nodes: HashMap::new() }
    }

    /// The node of a commit that the caller names; `NotFound` if it is not a commit of this repository.
    pub(crate) fn start(&mut self, sha: &Sha) -> Result<Node> {
        match self.find(sha) {
            // The graph may still list commits whose objects are gone.
            Some(node) if self.reader.kind_of(sha)? == Some(ObjectKind::Commit) => Ok(node),
            Some(_) => Err(Error::NotFound),
            None => self.read(sha)?.ok_or(Error::NotFound),
        }
    }

    pub(crate) fn is_graphed(&self, node: Node) -> bool {
        node < self.graphed
    }

    /// For commits of the graph only: one linear pass, however long the history is.
    pub(crate) fn is_reachable(&self, ancestor: Node, descendants: &[Node]) -> Result<bool> {
        let Some(graph) = &self.graph else { return Ok(false) };
        Ok(graph.reach_index()?.is_reachable(ancestor, descendants))
    }

    /// The number of nodes so far.
    pub(crate) fn len(&self) -> usize {
        self.graphed as usize + self.ungraphed.len()
    }

    pub(crate) fn sha(&self, node: Node) -> Sha {
        match &self.graph {
            Some(graph) if self.is_graphed(node) => crate::to_sha(graph.id_at(Position(node))),
            Some(_) | None => self.ungraphed(node).sha,
        }
    }

    /// The date of the committer.
    pub(crate) fn seconds(&self, node: Node) -> i64 {
        match &self.graph {
            Some(graph) if self.is_graphed(node) => {
                i64::try_from(graph.commit_at(Position(node)).committer_timestamp()).unwrap_or(i64::MAX)
            }
            Some(_) | None => self.ungraphed(node).seconds,
        }
    }

    /// The root tree.
    pub(crate) fn tree_id(&self, node: Node) -> Result<Sha> {
        match &self.graph {
            Some(graph) if self.is_graphed(node) => Ok(crate::to_sha(graph.commit_at(Position(node)).root_tree_id())),
            Some(_) | None => {
                let sha = self.ungraphed(node).sha;
                self.reader.find_tree_id(&sha)?.ok_or_else(|| crate::broken("a commit vanished"))
            }
        }
    }

    /// Greater than that of any parent. Only for nodes that are reachable from those given to `number_generations`.
    pub(crate) fn generation(&self, node: Node) -> u32 {
        match &self.graph {
            Some(graph) if self.is_graphed(node) => graph.commit_at(Position(node)).generation(),
            Some(_) | None => self.ungraphed(node).generation,
        }
    }

    /// Puts the parents of a node into `parents`, in order.
    pub(crate) fn parents(&mut self, node: Node, parents: &mut Vec<Node>) -> Result<()> {
        parents.clear();
        self.reader.step()?;
        if let Some(graph) = self.graph.as_deref().filter(|_| node < self.graphed) {
            for parent in graph.commit_at(Position(node)).iter_parents() {
                parents.push(parent.map_err(crate::broken)?.0);
            }
            return Ok(());
        }
        parents.extend_from_slice(&self.ungraphed(node).parents);
        if !parents.is_empty() {
            return Ok(());
        }
        // Parents of an ungraphed commit are read on demand; a root commit is parsed again, which is cheap.
        for sha in self.parent_ids(node)? {
            let parent = match self.find(&sha) {
                Some(parent) => parent,
                None => self.read(&sha)?.ok_or_else(|| crate::broken(format!("parent {sha} is missing")))?,
            };
            parents.push(parent);
        }
        let index = (node - self.graphed) as usize;
        self.ungraphed[index].parents.clone_from(parents);
        Ok(())
    }

    /// Computes the generation of every commit outside the graph that the nodes reach.
    pub(crate) fn number_generations(&mut self, starts: &[Node]) -> Result<()> {
        let mut stack: Vec<Node> = starts.to_vec();
        let mut parents = Vec::new();
        while let Some(&node) = stack.last() {
            if self.is_graphed(node) || self.generation(node) > 0 {
                stack.pop();
                continue;
            }
            self.parents(node, &mut parents)?;
            let open = stack.len();
            stack.extend(parents.iter().filter(|parent| self.generation(**parent) == 0));
            if stack.len() == open {
                let above = parents.iter().map(|parent| self.generation(*parent)).max().unwrap_or(0);
                let index = (node - self.graphed) as usize;
                self.ungraphed[index].generation = above + 1;
                stack.pop();
            }
        }
        Ok(())
    }

    fn ungraphed(&self, node: Node) -> &Ungraphed {
        &self.ungraphed[(node - self.graphed) as usize]
    }

    fn find(&self, sha: &Sha) -> Option<Node> {
        let graphed = self.graph.as_ref().and_then(|graph| graph.lookup(crate::to_oid(sha)));
        graphed.map(|position| position.0).or_else(|| self.nodes.get(sha).copied())
    }

    fn read(&mut self, sha: &Sha) -> Result<Option<Node>> {
        let retained = self.reader.budget().retain(UNGRAPHED_BYTES);
        let found = retained.and_then(|()| self.reader.find_as(sha, ObjectKind::Commit));
        let is_long = self.ungraphed.len() >= UNGRAPHED_MANY;
        let found = match found {
            Err(Error::OverBudget(_)) if is_long => return Err(not_indexed()),
            found => found?,
        };
        let Some(object) = found else { return Ok(None) };
        if self.ungraphed.len() == UNGRAPHED_MAX {
            return Err(not_indexed());
        }
        self.reader.budget().visit(object.data().len() as u64 / PARENT_LINE_BYTES)?;
        let committer = gix_object::CommitRefIter::from_bytes(object.data(), gix_hash::Kind::Sha1).committer();
        let seconds = committer.map_or(0, |committer| committer.seconds());
        let node = self.len() as Node;
        self.ungraphed.push(Ungraphed { sha: *sha, parents: Vec::new(), seconds, generation: 0 });
        self.nodes.insert(*sha, node);
        Ok(Some(node))
    }

    fn parent_ids(&self, node: Node) -> Result<Vec<Sha>> {
        let sha = self.ungraphed(node).sha;
        let object =
            self.reader.find_as(&sha, ObjectKind::Commit)?.ok_or_else(|| crate::broken("a commit vanished"))?;
        let commit = gix_object::CommitRefIter::from_bytes(object.data(), gix_hash::Kind::Sha1);
        Ok(commit.parent_ids().map(|oid| crate::to_sha(&oid)).collect())
    }
}

/// Maintenance writes the commit-graph soon after a push.
fn not_indexed() -> Error {
    Error::Unavailable("The history is too long to be walked before it is indexed.".into())
}
