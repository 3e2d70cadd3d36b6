//! Maintenance: combines small packs, collects garbage and writes the commit-graph.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::child::{GitCommand, Limits};
use crate::durable;
use crate::repository::Repository;
use crate::transfer::quarantine::Quarantine;
use plinth_base::error::Result;
use plinth_base::ids::Sha;

/// Packs up to this size are cheap to rewrite.
const SMALL_PACK_MAX: u64 = 64 << 20;

/// What happens to the existing layers of the commit-graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphLayers {
    Keep,
    /// Commits may have been removed, and a graph must not list any that are gone.
    Replace,
}

/// Packs that a new pack replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Superseded {
    packs: Vec<PathBuf>,
    contents: Contents,
    /// The packs whose objects were taken into account; others may have arrived since.
    seen: BTreeSet<PathBuf>,
    new: Option<PathBuf>,
}

/// Which objects of the old packs are in the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Contents {
    Everything,
    /// All objects that these tips reach.
    ReachableFrom(Vec<Sha>),
}

impl Superseded {
    pub fn is_empty(&self) -> bool {
        self.packs.is_empty()
    }

    /// The names of the packs, without extension.
    pub fn names(&self) -> Vec<String> {
        self.packs.iter().map(|pack| stem(pack)).collect()
    }

    /// The name of the pack that replaces them.
    pub fn replacement(&self) -> Option<String> {
        self.new.as_deref().map(stem)
    }

    fn nothing() -> Self {
        Self { packs: Vec::new(), contents: Contents::Everything, seen: BTreeSet::new(), new: None }
    }

    /// A new pack may have the name of an old one, which then stays.
    fn all_but(new: Option<&PathBuf>, old: Vec<PathBuf>, contents: Contents) -> Self {
        let seen = old.iter().chain(new).cloned().collect();
        let packs = old.into_iter().filter(|pack| Some(pack) != new).collect();
        Self { packs, contents, seen, new: new.cloned() }
    }
}

impl Repository {
    /// Extends the commit-graph to all commits that the tips reach. Tips that are not commits are ignored.
    pub fn write_commit_graph(&self, tips: &[Sha], layers: GraphLayers) -> Result<()> {
        let split = match layers {
            GraphLayers::Keep => "--split",
            GraphLayers::Replace => "--split=replace",
        };
        GitCommand::new(&self.directory, "commit-graph", Limits::default())
            // A torn graph would give wrong results, so this one derived file is synced.
            .setting("core.fsync=commit-graph")
            .args(["write", "--stdin-commits", split, "--no-progress"])
            .run(|stdin| tips.iter().try_for_each(|tip| writeln!(stdin, "{tip}")))?
            .check("writing the commit-graph")?;
        Ok(())
    }

    /// How many packs a reader has to look through.
    pub fn pack_count(&self) -> Result<usize> {
        Ok(self.packs()?.len())
    }

    /// How many packs are older than this.
    pub fn pack_count_older_than(&self, age: Duration) -> Result<usize> {
        let mut count = 0;
        for pack in self.packs()? {
            count += usize::from(is_older_than(&pack, age)?);
        }
        Ok(count)
    }

    /// Combines all small packs into one with all their objects. `remove` removes the old packs.
    pub fn combine_small_packs(self: &Arc<Self>) -> Result<Superseded> {
        self.combine_small_packs_of(&|_| true)
    }

    /// As [`Repository::combine_small_packs`], of those whose names are accepted.
    pub fn combine_small_packs_of(self: &Arc<Self>, is_accepted: &dyn Fn(&str) -> bool) -> Result<Superseded> {
        let mut small = Vec::new();
        for pack in self.packs()? {
            if is_accepted(&stem(&pack)) && fs::metadata(&pack)?.len() <= SMALL_PACK_MAX {
                small.push(pack);
            }
        }
        if small.len() < 2 {
            return Ok(Superseded::nothing());
        }
        let new = self.pack_objects(&["--stdin-packs"], |stdin| {
            small.iter().try_for_each(|pack| writeln!(stdin, "{}", file_name(pack)))
        })?;
        // Objects that nothing reaches do not get younger by being packed again.
        if let (Some(new), Some(newest)) = (&new, small.iter().filter_map(|pack| modified(pack).ok()).max()) {
            fs::File::open(new)?.set_modified(newest)?;
        }
        Ok(Superseded::all_but(new.as_ref(), small, Contents::Everything))
    }

    /// Writes everything that the tips reach into one pack. Older packs than the grace period are superseded, together
    /// with the unreachable objects in them. Objects of younger packs count as garbage-collection roots: a push may just
    /// be about to reference them.
    pub fn repack(self: &Arc<Self>, tips: &[Sha], grace: Duration) -> Result<Superseded> {
        self.repack_by(tips, &|pack| is_older_than(pack, grace))
    }

    /// As [`Repository::repack`], with the names of the packs that are old. All others count as young.
    pub fn repack_named(self: &Arc<Self>, tips: &[Sha], old: &BTreeSet<String>) -> Result<Superseded> {
        self.repack_by(tips, &|pack| Ok(old.contains(&stem(pack))))
    }

    fn repack_by(self: &Arc<Self>, tips: &[Sha], is_old: &dyn Fn(&Path) -> Result<bool>) -> Result<Superseded> {
        let (mut old, mut young) = (Vec::new(), Vec::new());
        for pack in self.packs()? {
            if is_old(&pack)? { old.push(pack) } else { young.push(pack) }
        }
        match old.as_slice() {
            [] => return Ok(Superseded::nothing()),
            // Nothing would change; the pack is checked again after another grace period.
            [only] if self.is_all_reachable(only, tips, &young)? => {
                fs::File::open(only)?.set_modified(SystemTime::now())?;
                return Ok(Superseded::nothing());
            }
            _ => {}
        }
        let new = self.pack_objects(&["--revs"], |stdin| write_roots(tips, &young, stdin))?;
        let mut superseded = Superseded::all_but(new.as_ref(), old, Contents::ReachableFrom(tips.to_vec()));
        superseded.seen.extend(young);
        Ok(superseded)
    }

    /// Whether every object of an old pack is reachable from the tips or from objects of young packs.
    fn is_all_reachable(&self, old: &Path, tips: &[Sha], young: &[PathBuf]) -> Result<bool> {
        let index = gix_pack::index::File::at(old.with_extension("idx"), gix_hash::Kind::Sha1);
        let index = index.map_err(crate::broken)?;
        let (mut child, fed) = GitCommand::new(&self.directory, "rev-list", Limits::default())
            .args(["--objects", "--no-object-names", "--stdin"])
            .spawn_fed(|stdin| write_roots(tips, young, stdin))?;
        let mut reached = 0;
        for line in io::BufReader::new(child.take_stdout()).lines() {
            let object = gix_hash::ObjectId::from_hex(line?.as_bytes()).map_err(crate::broken)?;
            reached += u32::from(index.lookup(object).is_some());
        }
        child.wait()?.check("listing reachable objects")?;
        fed?;
        Ok(reached == index.num_objects())
    }

    /// Removes superseded packs, unless an object in them is reachable now; returns whether it did.
    ///
    /// An unreachable object may have got a ref in the meantime. The caller blocks new refs while this runs.
    pub fn remove(&self, superseded: &Superseded, tips: &[Sha]) -> Result<bool> {
        if superseded.is_empty() || !self.is_complete_without(superseded, tips)? {
            return Ok(false);
        }
        for pack in &superseded.packs {
            // Without its index, no reader finds the pack.
            for extension in ["idx", "rev", "bitmap", "pack"] {
                durable::remove_file(&pack.with_extension(extension))?;
            }
        }
        durable::sync_directory(&self.pack_directory())?;
        if superseded.contents != Contents::Everything {
            self.invalidate_objects()?;
        }
        Ok(true)
    }

    /// Whether everything that the tips reach is in other packs.
    pub fn is_complete_without(&self, superseded: &Superseded, tips: &[Sha]) -> Result<bool> {
        let old_tips = match &superseded.contents {
            Contents::Everything => return Ok(true),
            Contents::ReachableFrom(old_tips) => old_tips,
        };
        let old_tip_set: HashSet<&Sha> = old_tips.iter().collect();
        let new: Vec<&Sha> = tips.iter().filter(|tip| !old_tip_set.contains(tip)).collect();
        let packs = self.packs()?;
        let unseen: Vec<&PathBuf> = packs.difference(&superseded.seen).collect();
        if new.is_empty() && unseen.is_empty() {
            return Ok(true);
        }
        let view = tempfile::tempdir_in(self.quarantine_directory())?;
        fs::create_dir(view.path().join("pack"))?;
        for pack in packs.iter().filter(|pack| !superseded.packs.contains(pack)) {
            for extension in ["pack", "idx"] {
                let file = pack.with_extension(extension);
                fs::hard_link(&file, view.path().join("pack").join(&*file_name(&file)))?;
            }
        }
        let exit = GitCommand::new(&self.directory, "rev-list", Limits::default())
            .env("GIT_OBJECT_DIRECTORY", view.path())
            .args(["--objects", "--stdin", "--quiet"])
            .run(|stdin| {
                new.iter().try_for_each(|tip| writeln!(stdin, "{tip}"))?;
                unseen.iter().try_for_each(|pack| write_names(pack, stdin))?;
                old_tips.iter().try_for_each(|tip| writeln!(stdin, "^{tip}"))
            })?;
        Ok(exit.success)
    }

    fn pack_objects(
        self: &Arc<Self>,
        mode: &[&str],
        feed: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Option<PathBuf>> {
        let quarantine = Quarantine::open::<crate::RawObject>(self, &[], Limits::default())?;
        quarantine
            .command("pack-objects")
            .args(mode)
            .args(["--quiet", "--delta-base-offset", "--non-empty"])
            .args([quarantine.pack_prefix()])
            .run(feed)?
            .check("repacking")?;
        quarantine.accept()
    }

    pub(crate) fn packs(&self) -> Result<BTreeSet<PathBuf>> {
        let mut packs = BTreeSet::new();
        for entry in fs::read_dir(self.pack_directory())? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "idx") {
                packs.insert(path.with_extension("pack"));
            }
        }
        Ok(packs)
    }
}

/// Writes the names of all objects that are garbage-collection roots.
fn write_roots(tips: &[Sha], young: &[PathBuf], out: &mut dyn Write) -> io::Result<()> {
    tips.iter().try_for_each(|tip| writeln!(out, "{tip}"))?;
    young.iter().try_for_each(|pack| write_names(pack, out))
}

/// Writes the name of every object in a pack.
fn write_names(pack: &Path, out: &mut dyn Write) -> io::Result<()> {
    let index = gix_pack::index::File::at(pack.with_extension("idx"), gix_hash::Kind::Sha1);
    let index = index.map_err(io::Error::other)?;
    (0..index.num_objects()).try_for_each(|position| writeln!(out, "{}", index.oid_at_index(position)))
}

fn is_older_than(pack: &Path, age: Duration) -> Result<bool> {
    // A time in the future counts as young, unless the age is zero.
    Ok(SystemTime::now().duration_since(modified(pack)?).map_or(age.is_zero(), |since| since >= age))
}

fn modified(pack: &Path) -> io::Result<SystemTime> {
    fs::metadata(pack)?.modified()
}

pub(crate) fn stem(pack: &Path) -> String {
    pack.file_stem().expect("a pack has a name").to_string_lossy().into_owned()
}

fn file_name(path: &Path) -> std::borrow::Cow<'_, str> {
    path.file_name().expect("a pack has a name").to_string_lossy()
}
