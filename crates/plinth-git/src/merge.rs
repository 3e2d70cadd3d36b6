//! Merges, computed by git: the only way to get exactly what `git merge` and `git rebase` would produce.
//!
//! Git runs in a quarantine, so that a merge that nobody uses leaves nothing behind. The caller stores the new objects.

use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use flate2::read::ZlibDecoder;

use crate::child::{Exit, Limits};
use crate::objects::RawObject;
use crate::objects::commit::NewCommit;
use crate::objects::identity::{Date, Identity};
use crate::packs::write::write_pack;
use crate::reader::Reader;
use crate::repository::Repository;
use crate::transfer::quarantine::Quarantine;
use plinth_base::error::{Error, Result, reports_storage_failure};
use plinth_base::ids::{ObjectKind, Sha};

/// Pushed objects decide how much work a merge is, as for every computation over objects.
const LIMITS: Limits = Limits { time: Duration::from_secs(20), memory: 1 << 30, file_size: 128 << 20 };
/// Bytes of the header of a loose object.
const HEADER_BYTES_MAX: u64 = 32;
/// Git's exit code for a merge with conflicts; others are errors.
const CONFLICT: i32 = 1;
/// Bytes of an object id in hexadecimal.
const HEX_LEN: usize = 40;

/// Merges commits of one repository, one after another. Objects that one merge creates are visible to the next.
pub struct Merger<'a> {
    repository: &'a Arc<Repository>,
    reader: &'a Reader<'a>,
    /// Opened for the first merge that git has to compute.
    quarantine: Option<Quarantine>,
}

impl<'a> Merger<'a> {
    /// All objects that `reader` finds must be in packs, so that git finds them, too.
    pub fn new(repository: &'a Arc<Repository>, reader: &'a Reader<'a>) -> Self {
        Self { repository, reader, quarantine: None }
    }

    /// The tree of the merge of two commits; `None` if they conflict or have no common history.
    pub fn merge(&mut self, ours: &Sha, theirs: &Sha) -> Result<Option<Sha>> {
        match self.reader.merge_base(ours, theirs)? {
            None => Ok(None),
            Some(base) if base == *ours => self.tree_of(theirs).map(Some),
            Some(base) if base == *theirs => self.tree_of(ours).map(Some),
            Some(_) => self.run(ours, theirs),
        }
    }

    /// The tree after the changes of one commit are applied to another tree; `None` if they conflict.
    pub fn pick(&mut self, onto_tree: Sha, commit: &Sha, parent: &Sha) -> Result<Option<Sha>> {
        let parent_tree = self.tree_of(parent)?;
        if parent_tree == onto_tree {
            return self.tree_of(commit).map(Some);
        }
        // git 2.39 has no option for the merge base. It finds the parent if it merges with a child of the parent.
        let nobody = Identity { name: "nobody".into(), email: String::new(), date: Date::utc(0) };
        let sibling = NewCommit {
            tree_id: onto_tree,
            parent_ids: vec![*parent],
            author: nobody.clone(),
            committer: nobody,
            message: String::new(),
            signature: None,
        };
        let sibling = sibling.to_object()?;
        write_pack(&self.quarantine()?.overlay_pack_directory(), &[&sibling])?;
        self.run(&sibling.sha(), commit)
    }

    /// The objects that the merges have created, sorted by name. They are part of the result in the reader's budget.
    pub fn into_objects(self) -> Result<Vec<Arc<RawObject>>> {
        let reader = self.reader;
        self.quarantine.map_or_else(|| Ok(Vec::new()), |quarantine| read_loose(&quarantine, reader))
    }

    fn tree_of(&self, commit: &Sha) -> Result<Sha> {
        self.reader.find_tree_id(commit)?.ok_or_else(|| self.reader.missing(commit))
    }

    fn quarantine(&mut self) -> Result<&Quarantine> {
        if self.quarantine.is_none() {
            self.quarantine = Some(Quarantine::open::<RawObject>(self.repository, &[], LIMITS)?);
        }
        self.quarantine.as_ref().ok_or_else(|| Error::internal("a quarantine was just opened"))
    }

    fn run(&mut self, ours: &Sha, theirs: &Sha) -> Result<Option<Sha>> {
        let quarantine = self.quarantine()?;
        let mut child = quarantine
            .command("merge-tree")
            // Mapped packs count as memory.
            .setting("core.packedGitLimit=256m")
            .args(["--write-tree", "--no-messages", "--name-only", "-z"])
            .args([ours.to_string(), theirs.to_string()])
            .stdout(Stdio::piped())
            .spawn()?;
        let mut stdout = child.take_stdout();
        let mut tree = Vec::with_capacity(HEX_LEN);
        stdout.by_ref().take(HEX_LEN as u64).read_to_end(&mut tree)?;
        // The names of conflicting files come next; unread output would stop git.
        io::copy(&mut stdout, &mut io::sink())?;
        drop(stdout);
        let exit = child.wait()?;
        match exit.code {
            Some(0) => {
                let tree = String::from_utf8_lossy(&tree).parse();
                tree.map(Some).map_err(|_| Error::internal("git merge-tree printed no tree"))
            }
            Some(CONFLICT) => Ok(None),
            _ => Err(failure(exit)),
        }
    }
}

/// A child that a limit has ended says nothing about the repository, and a retry would end the same way.
fn failure(exit: Exit) -> Error {
    let is_out_of_memory = exit.stderr.contains("out of memory") || exit.stderr.contains("Out of memory");
    if exit.timed_out || exit.code.is_none() || is_out_of_memory {
        return Error::OverBudget("It would take too much to merge these commits.");
    }
    if reports_storage_failure(&exit.stderr) {
        return Error::Unavailable(exit.stderr);
    }
    Error::internal(format!("git merge-tree: {}", exit.stderr))
}

/// Reads the loose objects that git has written into a quarantine.
fn read_loose(quarantine: &Quarantine, reader: &Reader<'_>) -> Result<Vec<Arc<RawObject>>> {
    let mut objects = Vec::new();
    for directory in fs::read_dir(quarantine.path())? {
        let directory = directory?;
        let name = directory.file_name();
        let is_fanout = name.len() == 2 && name.to_string_lossy().chars().all(|digit| digit.is_ascii_hexdigit());
        if !is_fanout {
            continue;
        }
        for file in fs::read_dir(directory.path())? {
            let file = file?;
            // Git removes its temporary files, unless it was killed.
            if file.file_name().len() == HEX_LEN - name.len() {
                objects.push(Arc::new(parse_loose(fs::File::open(file.path())?, reader)?));
            }
        }
    }
    objects.sort_unstable_by_key(|object| object.sha());
    Ok(objects)
}

/// A loose object is compressed: kind, size, a NUL byte and the content.
fn parse_loose(file: fs::File, reader: &Reader<'_>) -> Result<RawObject> {
    let broken = || Error::internal("git has written a loose object without a header");
    let mut content = BufReader::new(ZlibDecoder::new(file));
    let mut header = Vec::new();
    content.by_ref().take(HEADER_BYTES_MAX).read_until(0, &mut header)?;
    let header = String::from_utf8_lossy(header.strip_suffix(&[0]).ok_or_else(broken)?).into_owned();
    let (kind, size) = header.split_once(' ').ok_or_else(broken)?;
    let (kind, size) = (ObjectKind::parse(kind).ok_or_else(broken)?, size.parse::<u64>().map_err(|_| broken())?);
    // Counted before it is in memory.
    reader.budget().retain(size)?;
    let mut bytes = Vec::with_capacity(usize::try_from(size).map_err(|_| broken())?);
    content.take(size).read_to_end(&mut bytes)?;
    RawObject::new(kind, bytes)
}
