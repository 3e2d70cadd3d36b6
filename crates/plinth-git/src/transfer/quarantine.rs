//! The quarantine: pushed objects wait here until they are checked. Dropping it removes them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::child::{GitCommand, Limits};
use crate::durable;
use crate::objects::{ObjectSource, RawObject};
use crate::packs::files_of;
use crate::packs::object_store::{Lookup, ObjectStore};
use crate::packs::write::write_pack;
use crate::repository::Repository;
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;

/// Objects that nobody else can read until they are accepted.
pub struct Quarantine {
    repository: Arc<Repository>,
    directory: tempfile::TempDir,
    store: ObjectStore,
    limits: Limits,
}

impl Quarantine {
    /// Opens an empty one. `overlay` are objects of the repository that are in no pack yet, for git to see as well.
    pub(crate) fn open<T: AsRef<RawObject>>(
        repository: &Arc<Repository>,
        overlay: &[T],
        limits: Limits,
    ) -> Result<Self> {
        let directory = tempfile::tempdir_in(repository.quarantine_directory())?;
        for part in ["pack", "info", "overlay/pack"] {
            fs::create_dir_all(directory.path().join(part))?;
        }
        let overlay_directory = directory.path().join("overlay");
        if !overlay.is_empty() {
            write_pack(&overlay_directory.join("pack"), overlay)?;
        }
        let mut alternates = Vec::new();
        for alternate in [&repository.objects_directory(), &overlay_directory] {
            alternates.extend_from_slice(alternate.as_os_str().as_encoded_bytes());
            alternates.push(b'\n');
        }
        fs::write(directory.path().join("info/alternates"), alternates)?;
        let store = ObjectStore::open(directory.path().to_owned())?;
        Ok(Self { repository: repository.clone(), directory, store, limits })
    }

    /// A command that reads and writes the quarantine instead of the repository's own objects.
    pub(crate) fn command(&self, subcommand: &'static str) -> GitCommand {
        GitCommand::new(&self.repository.directory, subcommand, self.limits)
            .env("GIT_OBJECT_DIRECTORY", self.directory.path())
    }

    /// Removes paths of this machine from a message of git.
    pub(crate) fn without_paths(&self, message: &str) -> String {
        let quarantine = self.directory.path().to_string_lossy().into_owned();
        let repository = self.repository.directory.to_string_lossy().into_owned();
        message.replace(&quarantine, "").replace(&repository, "")
    }

    /// Checks that every object which the new tips reach exists. What existing tips reach is known to be complete.
    ///
    /// The fewer commits lie between the two, the faster it is: pass the old values of the refs first.
    pub fn check_connected(&self, new_tips: &[Sha], existing_tips: &[Sha]) -> Result<()> {
        let mut input = String::with_capacity((new_tips.len() + existing_tips.len()) * 42);
        for tip in new_tips {
            if self.find_kind(tip)?.is_none() {
                return Err(Error::unprocessable(format!("The object {tip} is missing.")));
            }
            input.push_str(&format!("{tip}\n"));
        }
        for tip in existing_tips {
            if self.find_kind(tip)?.is_some() {
                input.push_str(&format!("^{tip}\n"));
            }
        }
        let exit = self
            .command("rev-list")
            .args(["--objects", "--stdin", "--quiet"])
            // The commit-graph may still list commits that are gone.
            .env("GIT_COMMIT_GRAPH_PARANOIA", "1")
            .run(|stdin| stdin.write_all(input.as_bytes()))?;
        match (exit.success, exit.timed_out) {
            (true, _) => Ok(()),
            (false, true) => Err(Error::Unavailable("The check of the pushed history took too long.".into())),
            (false, false) => Err(Error::unprocessable("Objects that the pushed history needs are missing.")),
        }
    }

    /// Moves the pack into the repository and returns its path. When this returns, it survives a power cut.
    pub fn accept(self) -> Result<Option<PathBuf>> {
        let Some(index) = self.pack_index()? else { return Ok(None) };
        let target = self.repository.pack_directory();
        self.repository.publish(&index)?;
        durable::install(&files_of(&index), &target)?;
        let name = index.with_extension("pack");
        Ok(Some(target.join(name.file_name().expect("a pack has a name"))))
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Packs for git to see that are never accepted.
    pub(crate) fn overlay_pack_directory(&self) -> PathBuf {
        self.directory.path().join("overlay/pack")
    }

    /// The path prefix of packs that `pack-objects` writes.
    pub(crate) fn pack_prefix(&self) -> PathBuf {
        self.directory.path().join("pack/pack")
    }

    /// The index of the received pack; `None` if the pack was empty.
    pub(crate) fn pack_index(&self) -> Result<Option<PathBuf>> {
        for entry in fs::read_dir(self.directory.path().join("pack"))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "idx") {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    fn find_kind(&self, sha: &Sha) -> Result<Option<crate::ObjectKind>> {
        Ok(self.store.header(sha, Lookup::NewPacksToo)?.map(|(kind, _)| kind))
    }
}

impl ObjectSource for Quarantine {
    fn find(&self, sha: &Sha) -> Result<Option<Arc<RawObject>>> {
        Ok(self.store.find(sha, Lookup::NewPacksToo)?.map(Arc::new))
    }
}
