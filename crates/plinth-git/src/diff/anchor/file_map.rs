//! Maps commented files, and their lines, to the target of the comparison.

use std::cell::RefCell;
use std::collections::HashMap;

use super::Anchor;
use super::line_map::LineMap;
use crate::diff::comparison::Target;
use crate::diff::entry::{Content, Entry};
use crate::diff::file::Side;
use crate::diff::lines::edits;
use crate::diff::similarity::{Effort, Measured, SCORE_MAX, SCORE_MIN};
use crate::diff::source::Source;
use crate::diff::tree::{changes_without_renames, entry_at};
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;

/// With more new files than this, a renamed file is recognized by equal content only.
const CANDIDATES_MAX: usize = 1000;

/// A file of the version that was commented, seen from one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct CommentedFile<'a> {
    version: Sha,
    side: Side,
    path: &'a [u8],
}

impl<'a> CommentedFile<'a> {
    /// `None` if the file did not exist on that side.
    pub fn of(anchor: &'a Anchor, side: Side) -> Option<Self> {
        let (version, path) = match side {
            Side::Left => (anchor.base, &anchor.old_path),
            Side::Right => (anchor.head, &anchor.new_path),
        };
        path.as_ref().map(|path| Self { version, side, path })
    }
}

/// The counterpart of a commented file in the target.
struct Counterpart {
    path: Option<Vec<u8>>,
    map: LineMap,
    lines: HashMap<u32, Option<u32>>,
}

/// The two files of a commented version: the base with its path, and the head with its own.
type Origin = (Sha, Option<Vec<u8>>, Sha, Option<Vec<u8>>);

/// The files of a set of comments; each is looked up once.
pub(super) struct FileMap<'a> {
    repo: &'a dyn Source,
    target: &'a dyn Target,
    requested: HashMap<CommentedFile<'a>, Vec<u32>>,
    counterparts: HashMap<CommentedFile<'a>, Counterpart>,
    added: HashMap<(Sha, Side), Vec<Entry>>,
    effort: Effort<'a>,
    origins: RefCell<HashMap<Origin, LineMap>>,
}

impl<'a> FileMap<'a> {
    pub fn new(repo: &'a dyn Source, target: &'a dyn Target) -> Self {
        Self {
            repo,
            target,
            requested: HashMap::new(),
            counterparts: HashMap::new(),
            added: HashMap::new(),
            effort: Effort::new(repo.budget()),
            origins: RefCell::default(),
        }
    }

    /// Registers a file, and possibly a line of it, for [`FileMap::resolve`].
    pub fn request(&mut self, file: Option<CommentedFile<'a>>, line: Option<u32>) {
        if let Some(file) = file {
            self.requested.entry(file).or_default().extend(line);
        }
    }

    /// Looks up everything that was requested.
    pub fn resolve(&mut self) -> Result<()> {
        for (file, mut lines) in std::mem::take(&mut self.requested) {
            lines.sort_unstable();
            lines.dedup();
            let (path, map) = match self.locate(&file) {
                Ok(found) => found,
                // The version was force-pushed away and garbage-collected: comments must stay readable.
                Err(Error::NotFound) => (None, LineMap::Gone),
                Err(error) => return Err(error),
            };
            let moved = map.forward(&lines);
            let lines = lines.into_iter().zip(moved).collect();
            self.counterparts.insert(file, Counterpart { path, map, lines });
        }
        Ok(())
    }

    /// The path of a file in the target.
    pub fn path(&self, file: &CommentedFile<'a>) -> Option<&[u8]> {
        self.counterparts.get(file)?.path.as_deref()
    }

    /// The number of a requested line in the target.
    pub fn line(&self, file: &CommentedFile<'a>, line: u32) -> Option<u32> {
        self.counterparts.get(file)?.lines.get(&line).copied().flatten()
    }

    /// The number that a line of the target had.
    pub fn origin(&self, file: &CommentedFile<'a>, line: u32) -> Option<u32> {
        self.counterparts.get(file)?.map.backward(line)
    }

    /// Whether a line of the base was deleted in the version that was commented.
    pub fn was_deleted(&self, anchor: &Anchor, line: u32) -> Result<bool> {
        let origin = (anchor.base, anchor.old_path.clone(), anchor.head, anchor.new_path.clone());
        if let Some(map) = self.origins.borrow().get(&origin) {
            return Ok(map.is_lost(line));
        }
        let map = self.origin_map(anchor)?;
        let is_lost = map.is_lost(line);
        self.origins.borrow_mut().insert(origin, map);
        Ok(is_lost)
    }

    fn origin_map(&self, anchor: &Anchor) -> Result<LineMap> {
        let (Some(old_path), Some(new_path)) = (&anchor.old_path, &anchor.new_path) else {
            return Ok(LineMap::Gone);
        };
        let old = entry_at(self.repo, &anchor.base, old_path)?;
        // Nothing is known about a head that is gone; the line then counts as unchanged.
        let new = match entry_at(self.repo, &anchor.head, new_path) {
            Err(Error::NotFound) => return Ok(LineMap::Same),
            new => new?,
        };
        match (old, new) {
            (Some(old), Some(new)) => self.line_map(&old, &new),
            _ => Ok(LineMap::Gone),
        }
    }

    fn locate(&mut self, file: &CommentedFile<'a>) -> Result<(Option<Vec<u8>>, LineMap)> {
        let Some(old) = entry_at(self.repo, &file.version, file.path)? else {
            return Ok((None, LineMap::Gone));
        };
        let target = self.target_commit(file.side);
        let still_there = entry_at(self.repo, &target, file.path)?.filter(|new| new.mode.is_same_type(old.mode));
        let new = match still_there {
            Some(new) => Some(new),
            None => self.find_renamed(file, &old)?,
        };
        match new {
            Some(new) => Ok((Some(new.path.clone()), self.line_map(&old, &new)?)),
            None => Ok((None, LineMap::Gone)),
        }
    }

    fn target_commit(&self, side: Side) -> Sha {
        match side {
            Side::Left => self.target.base(),
            Side::Right => self.target.head(),
        }
    }

    fn line_map(&self, old: &Entry, new: &Entry) -> Result<LineMap> {
        if old.id == new.id {
            return Ok(LineMap::Same);
        }
        match (old.content(self.repo)?, new.content(self.repo)?) {
            (Content::Text(old), Content::Text(new)) => Ok(LineMap::Edited(edits(self.repo.budget(), &old, &new)?)),
            _ => Ok(LineMap::Gone),
        }
    }

    /// The new path of a renamed file: the one with equal content, or else the most alike.
    fn find_renamed(&mut self, file: &CommentedFile<'a>, old: &Entry) -> Result<Option<Entry>> {
        let target = self.target_commit(file.side);
        let added = match self.added.entry((file.version, file.side)) {
            std::collections::hash_map::Entry::Occupied(cached) => cached.into_mut(),
            std::collections::hash_map::Entry::Vacant(slot) => {
                let changes = changes_without_renames(self.repo, &file.version, &target)?;
                let added = changes.into_iter().filter(|change| change.old.is_none());
                slot.insert(added.filter_map(|change| change.new).collect())
            }
        };
        let equal = added.iter().filter(|new| new.id == old.id && new.mode.is_same_type(old.mode));
        let mut scored: Vec<_> = equal.map(|new| (SCORE_MAX, new)).collect();
        if scored.is_empty() && added.len() <= CANDIDATES_MAX {
            let mut source = Measured::new(self.repo, old);
            for new in added.iter() {
                let mut target = Measured::new(self.repo, new);
                match self.effort.score(&mut source, &mut target, SCORE_MIN) {
                    Ok(score) => scored.push((score, new)),
                    // As in rename detection: over budget, only a file of equal content counts.
                    Err(Error::OverBudget(_)) => return Ok(None),
                    Err(error) => return Err(error),
                }
                self.effort.release(&target);
            }
            self.effort.release(&source);
        }
        Ok(unique_best(old, scored))
    }
}

/// The best candidate with at least half of the score. An equal name breaks ties; a tie beyond that has no winner.
fn unique_best(old: &Entry, mut scored: Vec<(u32, &Entry)>) -> Option<Entry> {
    let rank = |(score, new): &(u32, &Entry)| (*score, new.basename() == old.basename());
    scored.retain(|(score, _)| *score >= SCORE_MIN);
    scored.sort_by_key(|candidate| std::cmp::Reverse(rank(candidate)));
    let best = scored.first()?;
    let is_unique = scored.get(1).is_none_or(|second| rank(second) < rank(best));
    is_unique.then(|| best.1.clone())
}
