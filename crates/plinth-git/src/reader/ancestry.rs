//! Ancestry: fast-forward tests, merge bases and the commits of a range.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Reader;
use super::walk::{Node, Walk};
use plinth_base::error::Result;
use plinth_base::ids::Sha;

/// Commits that are visited one by one before the walk changes to the reach index. Tests cover both.
const SHORT_WALK_MAX: usize = if cfg!(test) { 2 } else { 10_000 };

/// The commits of a head that are not in a base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitRange {
    /// In the order of `git log`, up to the limit.
    pub commit_ids: Vec<Sha>,
    /// How many there are without the limit.
    pub total: usize,
}

impl Reader<'_> {
    /// Whether `ancestor` is reachable from `descendant`; a commit is its own ancestor.
    pub fn is_ancestor(&self, ancestor: &Sha, descendant: &Sha) -> Result<bool> {
        let mut walk = Walk::new(*self);
        let (ancestor, descendant) = (walk.start(ancestor)?, walk.start(descendant)?);
        // All ancestors of a commit in the graph are in the graph, and of a lower generation.
        let lowest = walk.is_graphed(ancestor).then(|| walk.generation(ancestor));
        let mut seen = Flags::default();
        let mut stack = vec![descendant];
        let mut parents = Vec::new();
        let mut steps = 0;
        while let Some(node) = stack.pop() {
            if node == ancestor {
                return Ok(true);
            }
            steps += 1;
            if steps > SHORT_WALK_MAX && walk.is_graphed(node) {
                stack.push(node);
                return finish_long_walk(&mut walk, ancestor, stack, seen);
            }
            walk.parents(node, &mut parents)?;
            // First parents first: most fast-forwards are found along them.
            for &parent in parents.iter().rev() {
                let leads_on = parent == ancestor
                    || !walk.is_graphed(parent)
                    || lowest.is_some_and(|lowest| walk.generation(parent) > lowest);
                if leads_on && seen.add(parent, SEEN, walk.len()) {
                    stack.push(parent);
                }
            }
        }
        Ok(false)
    }

    /// The best common ancestor; the newest, if there are several.
    pub fn merge_base(&self, one: &Sha, other: &Sha) -> Result<Option<Sha>> {
        self.check_may_block()?;
        let mut walk = Walk::new(*self);
        let (one, other) = (walk.start(one)?, walk.start(other)?);
        let mut painted = Painted::new(&mut walk, one, other, BOTH | STALE)?;
        let mut best: Option<Node> = None;
        while let Some((node, color)) = painted.next()? {
            if color & (BOTH | STALE) != BOTH {
                continue;
            }
            painted.paint_parents(node, STALE)?;
            if best.is_none_or(|best| painted.walk.seconds(node) > painted.walk.seconds(best)) {
                best = Some(node);
            }
        }
        Ok(best.map(|node| walk.sha(node)))
    }

    /// What `git log base..head` lists.
    pub fn commits_between(&self, base: &Sha, head: &Sha, commits_max: usize) -> Result<CommitRange> {
        self.check_may_block()?;
        let mut walk = Walk::new(*self);
        let (head, base) = (walk.start(head)?, walk.start(base)?);
        let mut painted = Painted::new(&mut walk, head, base, OTHER)?;
        let mut wanted = Flags::default();
        let mut total = 0;
        while let Some((node, color)) = painted.next()? {
            if color == ONE {
                wanted.add(node, SEEN, painted.walk.len());
                total += 1;
            }
        }
        let commit_ids = newest_first(&mut walk, head, wanted, commits_max)?;
        Ok(CommitRange { commit_ids, total })
    }
}

/// Continues a short walk: first to the edge of the graph, then through the reach index.
fn finish_long_walk(walk: &mut Walk<'_>, ancestor: Node, mut stack: Vec<Node>, mut seen: Flags) -> Result<bool> {
    let mut graphed = Vec::new();
    let mut parents = Vec::new();
    while let Some(node) = stack.pop() {
        if node == ancestor {
            return Ok(true);
        }
        if walk.is_graphed(node) {
            graphed.push(node);
            continue;
        }
        walk.parents(node, &mut parents)?;
        stack.extend(parents.iter().filter(|parent| seen.add(**parent, SEEN, walk.len())));
    }
    walk.is_reachable(ancestor, &graphed)
}

/// Git sorts by date, but lists no commit before one of its children.
fn newest_first(walk: &mut Walk<'_>, head: Node, mut wanted: Flags, commits_max: usize) -> Result<Vec<Sha>> {
    let mut listed = Vec::new();
    let mut queue = BinaryHeap::new();
    let mut parents = Vec::new();
    let mut order = 0u64;
    let mut push = |queue: &mut BinaryHeap<_>, wanted: &mut Flags, walk: &Walk<'_>, node: Node| {
        if wanted.take(node, SEEN) {
            order += 1;
            queue.push((walk.seconds(node), Reverse(order), node));
        }
    };
    push(&mut queue, &mut wanted, walk, head);
    while let Some((_, _, node)) = queue.pop() {
        if listed.len() == commits_max {
            break;
        }
        listed.push(walk.sha(node));
        walk.parents(node, &mut parents)?;
        for &parent in &parents {
            push(&mut queue, &mut wanted, walk, parent);
        }
    }
    Ok(listed)
}

pub(super) const SEEN: u8 = 1;
/// Reachable from the first start, from the second, from both.
const ONE: u8 = 2;
const OTHER: u8 = 4;
const BOTH: u8 = ONE | OTHER;
/// An ancestor of a common ancestor.
const STALE: u8 = 8;

/// A few bits for each node of a walk.
#[derive(Default)]
pub(super) struct Flags(Vec<u8>);

impl Flags {
    fn get(&self, node: Node) -> u8 {
        self.0.get(node as usize).copied().unwrap_or(0)
    }

    /// Sets bits; returns whether that changed anything.
    pub(super) fn add(&mut self, node: Node, bits: u8, len: usize) -> bool {
        if self.0.is_empty() {
            // The system zeroes a large allocation lazily: untouched parts of a long history cost nothing.
            self.0 = vec![0; len];
        }
        if self.0.len() <= node as usize {
            self.0.resize(len, 0);
        }
        let before = self.0[node as usize];
        self.0[node as usize] |= bits;
        before | bits != before
    }

    /// Clears bits; returns whether they were set.
    fn take(&mut self, node: Node, bits: u8) -> bool {
        let was_set = self.get(node) & bits == bits;
        if was_set {
            self.0[node as usize] &= !bits;
        }
        was_set
    }
}

/// A walk from two commits at once. Every commit is visited after all its descendants, so its color is final.
struct Painted<'w, 'a> {
    walk: &'w mut Walk<'a>,
    flags: Flags,
    queue: BinaryHeap<(u32, i64, Node)>,
    parents: Vec<Node>,
    /// The walk ends when all queued commits have this color.
    boring: u8,
    interesting_count: usize,
}

impl<'w, 'a> Painted<'w, 'a> {
    fn new(walk: &'w mut Walk<'a>, one: Node, other: Node, boring: u8) -> Result<Self> {
        walk.number_generations(&[one, other])?;
        let (flags, queue, parents) = (Flags::default(), BinaryHeap::new(), Vec::new());
        let mut painted = Self { walk, flags, queue, parents, boring, interesting_count: 0 };
        painted.paint(one, ONE);
        painted.paint(other, OTHER);
        Ok(painted)
    }

    /// The next commit; its color is passed on to its parents.
    fn next(&mut self) -> Result<Option<(Node, u8)>> {
        if self.interesting_count == 0 {
            return Ok(None);
        }
        let Some((_, _, node)) = self.queue.pop() else { return Ok(None) };
        let color = self.flags.get(node) & !SEEN;
        if !self.is_boring(node) {
            self.interesting_count = self.interesting_count.saturating_sub(1);
        }
        self.paint_parents(node, color)?;
        Ok(Some((node, color)))
    }

    fn paint_parents(&mut self, node: Node, color: u8) -> Result<()> {
        let mut parents = std::mem::take(&mut self.parents);
        self.walk.parents(node, &mut parents)?;
        for &parent in &parents {
            self.paint(parent, color);
        }
        self.parents = parents;
        Ok(())
    }

    fn paint(&mut self, node: Node, color: u8) {
        let is_queued = self.flags.get(node) & SEEN != 0;
        let was_interesting = is_queued && !self.is_boring(node);
        self.flags.add(node, color | SEEN, self.walk.len());
        match (was_interesting, !self.is_boring(node)) {
            (true, false) => self.interesting_count = self.interesting_count.saturating_sub(1),
            (false, true) => self.interesting_count += 1,
            (true, true) | (false, false) => {}
        }
        if !is_queued {
            self.queue.push((self.walk.generation(node), self.walk.seconds(node), node));
        }
    }

    fn is_boring(&self, node: Node) -> bool {
        self.flags.get(node) & self.boring == self.boring
    }
}
