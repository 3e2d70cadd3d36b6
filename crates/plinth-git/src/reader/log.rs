//! The log of a commit: its history in the order of `git log`, filtered and in pages.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::Reader;
use super::ancestry::{Flags, SEEN};
use super::walk::{Node, Walk};
use crate::objects::tree::EntryMode;
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;

/// Commits of a log without filters that are counted. With filters, nothing after the page is counted: each commit would
/// have to be read.
const COUNTED_MAX: usize = if cfg!(test) { 20 } else { 50_000 };

/// Which commits a log lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogFilter {
    /// Only commits that change something at or below this path. The empty path means all.
    pub path: Vec<u8>,
    /// Only commits of an author with this email address, in any case.
    pub author: Option<String>,
    /// As `author`, for the committer.
    pub committer: Option<String>,
    /// Only commits whose committer date is not before this time. As in git, the walk ends at older ones.
    pub since: Option<i64>,
    /// Only commits whose committer date is not after this time.
    pub until: Option<i64>,
}

/// A part of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPage {
    pub commit_ids: Vec<Sha>,
    /// The length of the whole log. `None` if it was not counted; then there are commits after the page.
    pub total: Option<usize>,
}

impl Reader<'_> {
    /// What `git log tip` lists with the filter, without the first `skip` commits and at most `take` of the others.
    pub fn log(&self, tip: &Sha, filter: &LogFilter, skip: usize, take: usize) -> Result<LogPage> {
        self.check_may_block()?;
        let end = skip.saturating_add(take);
        let counted_max = if *filter == LogFilter::default() { end.max(COUNTED_MAX) } else { end };
        let mut log = Log::new(*self, filter, tip)?;
        let mut commit_ids = Vec::new();
        let mut count = 0;
        loop {
            let found = match log.next() {
                // The page is complete, so it is returned without the number of all commits.
                Err(Error::OverBudget(_) | Error::Unavailable(_)) if count > end => break,
                found => found?,
            };
            let Some(sha) = found else { return Ok(LogPage { commit_ids, total: Some(count) }) };
            if (skip..end).contains(&count) {
                commit_ids.push(sha);
            }
            if count == counted_max {
                break;
            }
            count += 1;
        }
        Ok(LogPage { commit_ids, total: None })
    }
}

/// What a commit has at the path.
type Entry = Option<(EntryMode, Sha)>;

/// A walk in the order of `git log`: of the commits whose children were visited, the newest is next.
struct Log<'a, 'f> {
    reader: Reader<'a>,
    walk: Walk<'a>,
    filter: &'f LogFilter,
    queue: BinaryHeap<(i64, Reverse<u64>, Node)>,
    order: u64,
    seen: Flags,
    /// The entries of queued commits, which were read to compare their children with them.
    entries: HashMap<Node, Entry>,
}

impl<'a, 'f> Log<'a, 'f> {
    fn new(reader: Reader<'a>, filter: &'f LogFilter, tip: &Sha) -> Result<Self> {
        let mut walk = Walk::new(reader);
        let tip = walk.start(tip)?;
        let (queue, seen, entries) = (BinaryHeap::new(), Flags::default(), HashMap::new());
        let mut log = Self { reader, walk, filter, queue, order: 0, seen, entries };
        log.push(tip);
        Ok(log)
    }

    fn next(&mut self) -> Result<Option<Sha>> {
        let mut parents = Vec::new();
        while let Some((seconds, _, node)) = self.queue.pop() {
            let entry = self.entries.remove(&node);
            if self.filter.since.is_some_and(|since| seconds < since) {
                continue;
            }
            self.walk.parents(node, &mut parents)?;
            let changes_path = self.filter.path.is_empty() || self.simplify(node, entry, &mut parents)?;
            for &parent in &parents {
                self.push(parent);
            }
            let is_wanted = changes_path && self.filter.until.is_none_or(|until| seconds <= until);
            if is_wanted && self.has_people(node)? {
                return Ok(Some(self.walk.sha(node)));
            }
        }
        Ok(None)
    }

    fn push(&mut self, node: Node) {
        if self.seen.add(node, SEEN, self.walk.len()) {
            self.order += 1;
            self.queue.push((self.walk.seconds(node), Reverse(self.order), node));
        }
    }

    /// Whether a commit changes the path. As git does by default, the walk goes on only to the first parent that has the
    /// same there, if one has: the others do not explain what the path is now.
    fn simplify(&mut self, node: Node, known: Option<Entry>, parents: &mut Vec<Node>) -> Result<bool> {
        let own = match known {
            Some(known) => known,
            None => self.entry(node)?,
        };
        let mut found = Vec::with_capacity(parents.len());
        for &parent in parents.iter() {
            let entry = self.entry(parent)?;
            if entry == own {
                self.entries.insert(parent, entry);
                parents.clear();
                parents.push(parent);
                return Ok(false);
            }
            found.push((parent, entry));
        }
        let is_root = found.is_empty();
        self.entries.extend(found);
        Ok(!is_root || own.is_some())
    }

    fn entry(&self, node: Node) -> Result<Entry> {
        if let Some(known) = self.entries.get(&node) {
            return Ok(*known);
        }
        self.reader.step()?;
        let tree_id = self.walk.tree_id(node)?;
        Ok(self.reader.find_path(&tree_id, &self.filter.path)?.map(|entry| (entry.mode, entry.sha)))
    }

    fn has_people(&self, node: Node) -> Result<bool> {
        let LogFilter { author, committer, .. } = self.filter;
        if author.is_none() && committer.is_none() {
            return Ok(true);
        }
        let sha = self.walk.sha(node);
        let commit = self.reader.find_commit(&sha)?.ok_or_else(|| self.reader.missing(&sha))?;
        let has = |wanted: &Option<String>, email: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(email))
        };
        Ok(has(author, &commit.author.email) && has(committer, &commit.committer.email))
    }
}
