//! Keeping the number of packs small and letting go of what nothing reaches.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::child::{GitCommand, Limits};
use super::durable;
use super::quarantine::Quarantine;
use super::repository::Repository;
use plinth_base::error::Result;
use plinth_base::ids::Sha;

/// Packs up to this size are small: rewriting them costs little.
const SMALL_PACK_MAX: u64 = 64 << 20;

/// Packs that another one replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Superseded {
    packs: Vec<PathBuf>,
    kept: Kept,
    /// The packs whose objects were taken into account; others have come since.
    seen: BTreeSet<PathBuf>,
}

/// What the new pack has of the old ones.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Kept {
    Everything,
    /// All that these tips reach.
    ReachableFrom(Vec<Sha>),
}

impl Superseded {
    pub fn is_empty(&self) -> bool {
        self.packs.is_empty()
    }

    fn nothing() -> Self {
        Self { packs: Vec::new(), kept: Kept::Everything, seen: BTreeSet::new() }
    }

    /// A new pack may have the very name of an old one, which then stays.
    fn all_but(new: Option<&PathBuf>, old: Vec<PathBuf>, kept: Kept) -> Self {
        let seen = old.iter().chain(new).cloned().collect();
        Self { packs: old.into_iter().filter(|pack| Some(pack) != new).collect(), kept, seen }
    }
}

impl Repository {
    /// How many packs a reader has to look through.
    pub fn pack_count(&self) -> Result<usize> {
        Ok(self.packs()?.len())
    }

    /// How many packs have nothing in them that is younger than this.
    pub fn pack_count_older_than(&self, age: Duration) -> Result<usize> {
        let mut count = 0;
        for pack in self.packs()? {
            count += usize::from(is_older_than(&pack, age)?);
        }
        Ok(count)
    }

    /// Joins all small packs into one. Every object stays; the old packs go once `remove` is called.
    pub fn combine_small_packs(self: &Arc<Self>) -> Result<Superseded> {
        let mut small = Vec::new();
        for pack in self.packs()? {
            if fs::metadata(&pack)?.len() <= SMALL_PACK_MAX {
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
        Ok(Superseded::all_but(new.as_ref(), small, Kept::Everything))
    }

    /// Writes all that the tips reach into one pack. Packs that were there before and are older than the grace time
    /// are superseded, with the unreachable objects in them. What younger packs lean on is kept like what tips reach:
    /// their objects may get a ref yet.
    pub fn repack(self: &Arc<Self>, tips: &[Sha], grace: Duration) -> Result<Superseded> {
        let (mut old, mut young) = (Vec::new(), Vec::new());
        for pack in self.packs()? {
            if is_older_than(&pack, grace)? { old.push(pack) } else { young.push(pack) }
        }
        match old.as_slice() {
            [] => return Ok(Superseded::nothing()),
            // Nothing would change; it is looked at again when the grace time is over once more.
            [only] if self.is_all_reached(only, tips, &young)? => {
                fs::File::open(only)?.set_modified(SystemTime::now())?;
                return Ok(Superseded::nothing());
            }
            _ => {}
        }
        let new = self.pack_objects(&["--revs"], |stdin| write_starts(tips, &young, stdin))?;
        let mut superseded = Superseded::all_but(new.as_ref(), old, Kept::ReachableFrom(tips.to_vec()));
        superseded.seen.extend(young);
        Ok(superseded)
    }

    /// Whether the tips, or objects of young packs, reach every object of an old pack.
    fn is_all_reached(&self, old: &Path, tips: &[Sha], young: &[PathBuf]) -> Result<bool> {
        let index = gix::odb::pack::index::File::at(old.with_extension("idx"), gix::hash::Kind::Sha1);
        let index = index.map_err(super::broken)?;
        let mut child = GitCommand::new(&self.directory, "rev-list", Limits::default())
            .args(["--objects", "--no-object-names", "--stdin"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        // It reads all names before it writes the first one, so the two pipes cannot block each other.
        let mut stdin = io::BufWriter::new(child.take_stdin());
        let fed = write_starts(tips, young, &mut stdin).and_then(|()| stdin.flush());
        drop(stdin);
        let mut reached = 0;
        for line in io::BufReader::new(child.take_stdout()).lines() {
            let object = gix::ObjectId::from_hex(line?.as_bytes()).map_err(super::broken)?;
            reached += u32::from(index.lookup(object).is_some());
        }
        child.wait()?.check("looking for what nothing reaches")?;
        fed?;
        Ok(reached == index.num_objects())
    }

    /// Removes superseded packs, if all that the tips of this moment reach can do without them; tells whether it did.
    ///
    /// An object that nothing reached may have got a ref since. The caller holds back new refs while this runs.
    pub fn remove(&self, superseded: &Superseded, tips: &[Sha]) -> Result<bool> {
        if superseded.is_empty() || !self.is_complete_without(superseded, tips)? {
            return Ok(false);
        }
        for pack in &superseded.packs {
            // Without its index no reader finds the pack any more.
            for extension in ["idx", "rev", "bitmap", "pack"] {
                durable::remove_file(&pack.with_extension(extension))?;
            }
        }
        durable::sync_directory(&self.pack_directory())?;
        if superseded.kept != Kept::Everything {
            self.forget_objects()?;
        }
        Ok(true)
    }

    fn is_complete_without(&self, superseded: &Superseded, tips: &[Sha]) -> Result<bool> {
        let known = match &superseded.kept {
            Kept::Everything => return Ok(true),
            Kept::ReachableFrom(known) => known,
        };
        let known_set: HashSet<&Sha> = known.iter().collect();
        let new: Vec<&Sha> = tips.iter().filter(|tip| !known_set.contains(tip)).collect();
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
        let ending = GitCommand::new(&self.directory, "rev-list", Limits::default())
            .env("GIT_OBJECT_DIRECTORY", view.path())
            .args(["--objects", "--stdin", "--quiet"])
            .run(|stdin| {
                new.iter().try_for_each(|tip| writeln!(stdin, "{tip}"))?;
                unseen.iter().try_for_each(|pack| write_names(pack, stdin))?;
                known.iter().try_for_each(|tip| writeln!(stdin, "^{tip}"))
            })?;
        Ok(ending.success)
    }

    fn pack_objects(
        self: &Arc<Self>,
        mode: &[&str],
        feed: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Option<PathBuf>> {
        let quarantine = Quarantine::open::<super::RawObject>(self, &[], Limits::default())?;
        quarantine
            .command("pack-objects")
            .args(mode)
            .args(["--quiet", "--delta-base-offset", "--non-empty"])
            .args([quarantine.pack_prefix()])
            .run(feed)?
            .check("repacking")?;
        quarantine.accept()
    }

    fn packs(&self) -> Result<BTreeSet<PathBuf>> {
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

/// Writes the names of all objects that must stay with what they reach.
fn write_starts(tips: &[Sha], young: &[PathBuf], out: &mut dyn Write) -> io::Result<()> {
    tips.iter().try_for_each(|tip| writeln!(out, "{tip}"))?;
    young.iter().try_for_each(|pack| write_names(pack, out))
}

/// Writes the name of every object in a pack.
fn write_names(pack: &Path, out: &mut dyn Write) -> io::Result<()> {
    let index = gix::odb::pack::index::File::at(pack.with_extension("idx"), gix::hash::Kind::Sha1);
    let index = index.map_err(io::Error::other)?;
    (0..index.num_objects()).try_for_each(|position| writeln!(out, "{}", index.oid_at_index(position)))
}

fn is_older_than(pack: &Path, age: Duration) -> Result<bool> {
    // One from the future is young, unless every age is old enough.
    Ok(SystemTime::now().duration_since(modified(pack)?).map_or(age.is_zero(), |since| since >= age))
}

fn modified(pack: &Path) -> io::Result<SystemTime> {
    fs::metadata(pack)?.modified()
}

fn file_name(path: &Path) -> std::borrow::Cow<'_, str> {
    path.file_name().expect("a pack has a name").to_string_lossy()
}
