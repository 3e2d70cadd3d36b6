//! Commits as numbered nodes, whether they come from the commit-graph or from objects.

use std::collections::HashMap;
use std::sync::Arc;

use gix::commitgraph::Position;

use super::commit_graph::CommitGraph;
use super::reader::Reader;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, Sha};

/// Commits that one walk reads as objects; more than that must be in the commit-graph first.
const UNGRAPHED_MAX: usize = 300_000;
/// What a walk remembers of one of these.
const UNGRAPHED_BYTES: u64 = 128;
/// From so many on, a walk that is over its budget is worth trying again when the commit-graph has been written.
const UNGRAPHED_MANY: usize = 10_000;

/// A line of a commit that names a parent. There may be thousands, and each is walked along.
const PARENT_LINE_BYTES: u64 = 48;

/// A commit within one walk. Those of the graph come first, by position; the others follow as they are met.
pub(super) type Node = u32;

/// What a walk knows of the history around its starting points.
pub(super) struct Walk<'a> {
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
    pub(super) fn new(reader: Reader<'a>) -> Self {
        let graph = reader.graph();
        let graphed = graph.as_ref().map_or(0, |graph| graph.num_commits());
        Self { reader, graph, graphed, ungraphed: Vec::new(), nodes: HashMap::new() }
    }

    /// The node of a commit that the caller names; `NotFound` if it is not a commit of this repository.
    pub(super) fn start(&mut self, sha: &Sha) -> Result<Node> {
        match self.find(sha) {
            // The graph may still know commits whose objects are gone.
            Some(node) if self.reader.kind_of(sha)? == Some(ObjectKind::Commit) => Ok(node),
            Some(_) => Err(Error::NotFound),
            None => self.read(sha)?.ok_or(Error::NotFound),
        }
    }

    pub(super) fn is_graphed(&self, node: Node) -> bool {
        node < self.graphed
    }

    /// Answers for commits of the graph in one sweep, however long the history is.
    pub(super) fn is_reached(&self, ancestor: Node, descendants: &[Node]) -> Result<bool> {
        let Some(graph) = &self.graph else { return Ok(false) };
        Ok(graph.reach()?.is_reached(ancestor, descendants))
    }

    /// How many nodes there are by now; flags for all of them fit a list of this length.
    pub(super) fn len(&self) -> usize {
        self.graphed as usize + self.ungraphed.len()
    }

    pub(super) fn sha(&self, node: Node) -> Sha {
        match &self.graph {
            Some(graph) if self.is_graphed(node) => super::to_sha(graph.id_at(Position(node))),
            Some(_) | None => self.ungraphed(node).sha,
        }
    }

    /// The date of the committer.
    pub(super) fn seconds(&self, node: Node) -> i64 {
        match &self.graph {
            Some(graph) if self.is_graphed(node) => {
                i64::try_from(graph.commit_at(Position(node)).committer_timestamp()).unwrap_or(i64::MAX)
            }
            Some(_) | None => self.ungraphed(node).seconds,
        }
    }

    /// More than that of any parent. Only for nodes below those given to `number_generations`.
    pub(super) fn generation(&self, node: Node) -> u32 {
        match &self.graph {
            Some(graph) if self.is_graphed(node) => graph.commit_at(Position(node)).generation(),
            Some(_) | None => self.ungraphed(node).generation,
        }
    }

    /// Puts the parents of a node into `parents`, in order.
    pub(super) fn parents(&mut self, node: Node, parents: &mut Vec<Node>) -> Result<()> {
        parents.clear();
        self.reader.step()?;
        if let Some(graph) = self.graph.as_deref().filter(|_| node < self.graphed) {
            for parent in graph.commit_at(Position(node)).iter_parents() {
                parents.push(parent.map_err(super::broken)?.0);
            }
            return Ok(());
        }
        parents.extend_from_slice(&self.ungraphed(node).parents);
        if !parents.is_empty() {
            return Ok(());
        }
        // The parents of an object are read when they are first asked for; a root is asked again, which is cheap.
        for sha in self.parent_ids(node)? {
            let parent = match self.find(&sha) {
                Some(parent) => parent,
                None => self.read(&sha)?.ok_or_else(|| super::broken(format!("parent {sha} is missing")))?,
            };
            parents.push(parent);
        }
        let index = (node - self.graphed) as usize;
        self.ungraphed[index].parents.clone_from(parents);
        Ok(())
    }

    /// Gives a generation to every commit outside the graph that the nodes reach.
    pub(super) fn number_generations(&mut self, starts: &[Node]) -> Result<()> {
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
        let graphed = self.graph.as_ref().and_then(|graph| graph.lookup(super::to_oid(sha)));
        graphed.map(|position| position.0).or_else(|| self.nodes.get(sha).copied())
    }

    fn read(&mut self, sha: &Sha) -> Result<Option<Node>> {
        let charged = self.reader.budget().retain(UNGRAPHED_BYTES);
        let found = charged.and_then(|()| self.reader.find_as(sha, ObjectKind::Commit));
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
        let committer = gix::objs::CommitRefIter::from_bytes(object.data(), gix::hash::Kind::Sha1).committer();
        let seconds = committer.map_or(0, |committer| committer.seconds());
        let node = self.len() as Node;
        self.ungraphed.push(Ungraphed { sha: *sha, parents: Vec::new(), seconds, generation: 0 });
        self.nodes.insert(*sha, node);
        Ok(Some(node))
    }

    fn parent_ids(&self, node: Node) -> Result<Vec<Sha>> {
        let sha = self.ungraphed(node).sha;
        let object =
            self.reader.find_as(&sha, ObjectKind::Commit)?.ok_or_else(|| super::broken("a commit vanished"))?;
        let commit = gix::objs::CommitRefIter::from_bytes(object.data(), gix::hash::Kind::Sha1);
        Ok(commit.parent_ids().map(|oid| super::to_sha(&oid)).collect())
    }
}

/// Maintenance writes the commit-graph soon after a push.
fn not_indexed() -> Error {
    Error::Unavailable("The history is too long to be walked before it is indexed.".into())
}
