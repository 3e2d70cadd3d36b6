//! Maps commented files, and their lines, to the target of the comparison.

use std::cell::RefCell;
use std::collections::HashMap;

use super::Anchor;
use super::line_map::LineMap;
use crate::diff::comparison::Target;
use crate::diff::entry::{Content, Entry};
use crate::diff::file::Side;
use crate::diff::lines::edits;
use crate::diff::rename::find_renamed;
use crate::diff::source::Source;
use crate::diff::tree::{changes_without_renames, entry_at};
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;

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
    /// The commented paths of each version and side.
    paths: HashMap<(Sha, Side), Vec<&'a [u8]>>,
    /// Those of them that were renamed, with their new files.
    renamed: HashMap<(Sha, Side), HashMap<&'a [u8], Entry>>,
    origins: RefCell<HashMap<Origin, LineMap>>,
}

impl<'a> FileMap<'a> {
    pub fn new(repo: &'a dyn Source, target: &'a dyn Target) -> Self {
        Self {
            repo,
            target,
            requested: HashMap::new(),
            counterparts: HashMap::new(),
            paths: HashMap::new(),
            renamed: HashMap::new(),
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
        let requested = std::mem::take(&mut self.requested);
        for file in requested.keys() {
            self.paths.entry((file.version, file.side)).or_default().push(file.path);
        }
        for (file, mut lines) in requested {
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
        self.with_origin_map(anchor, |map| map.is_lost(line))
    }

    /// Whether a line preceded another one in the diff that was commented.
    pub fn preceded(&self, anchor: &Anchor, (side, line): (Side, u32), (end_side, end): (Side, u32)) -> Result<bool> {
        if side == end_side {
            return Ok(line < end);
        }
        // In an edit, deleted lines precede the new ones; an unchanged line is in the same row on both sides.
        self.with_origin_map(anchor, |map| match side {
            Side::Left => {
                let above = map.new_lines_above(line);
                above.is_some_and(|above| above + u32::from(!map.is_lost(line)) < end)
            }
            Side::Right => map.new_lines_above(end).is_some_and(|above| line <= above),
        })
    }

    /// The lines of the version that was commented; compared once.
    fn with_origin_map<T>(&self, anchor: &Anchor, use_map: impl FnOnce(&LineMap) -> T) -> Result<T> {
        let origin = (anchor.base, anchor.old_path.clone(), anchor.head, anchor.new_path.clone());
        if let Some(map) = self.origins.borrow().get(&origin) {
            return Ok(use_map(map));
        }
        let map = self.origin_map(anchor)?;
        let found = use_map(&map);
        self.origins.borrow_mut().insert(origin, map);
        Ok(found)
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
            None => self.find_renamed(file)?,
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

    /// The new path of a renamed file, if exactly one file matches it best.
    fn find_renamed(&mut self, file: &CommentedFile<'a>) -> Result<Option<Entry>> {
        let key = (file.version, file.side);
        let renamed = match self.renamed.entry(key) {
            std::collections::hash_map::Entry::Occupied(cached) => cached.into_mut(),
            std::collections::hash_map::Entry::Vacant(slot) => {
                let target = match file.side {
                    Side::Left => self.target.base(),
                    Side::Right => self.target.head(),
                };
                let changes = changes_without_renames(self.repo, &file.version, &target)?;
                let wanted = self.paths.get(&key).map_or(&[][..], Vec::as_slice);
                slot.insert(find_renamed(self.repo, &changes, wanted)?)
            }
        };
        Ok(renamed.get(file.path).cloned())
    }
}
