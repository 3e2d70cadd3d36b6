//! A place beside the packs where pushed objects wait until they are judged. Dropping it leaves nothing behind.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use super::child::{GitCommand, Limits};
use super::durable;
use super::object::{ObjectSource, RawObject};
use super::object_store::{Lookup, ObjectStore};
use super::pack;
use super::repository::Repository;
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;

/// Objects that are readable here and nowhere else, until they are accepted.
pub struct Quarantine {
    repository: Arc<Repository>,
    directory: tempfile::TempDir,
    store: ObjectStore,
    limits: Limits,
}

impl Quarantine {
    /// Opens an empty one. `beside` are objects that the repository has but not in a pack: git must see them as well.
    pub(super) fn open<T: AsRef<RawObject>>(
        repository: &Arc<Repository>,
        beside: &[T],
        limits: Limits,
    ) -> Result<Self> {
        let directory = tempfile::tempdir_in(repository.quarantine_directory())?;
        for part in ["pack", "info", "beside/pack"] {
            fs::create_dir_all(directory.path().join(part))?;
        }
        let beside_directory = directory.path().join("beside");
        if !beside.is_empty() {
            pack::write_pack(&beside_directory.join("pack"), beside)?;
        }
        let mut alternates = Vec::new();
        for alternate in [&repository.objects_directory(), &beside_directory] {
            alternates.extend_from_slice(alternate.as_os_str().as_encoded_bytes());
            alternates.push(b'\n');
        }
        fs::write(directory.path().join("info/alternates"), alternates)?;
        let store = ObjectStore::open(directory.path().to_owned())?;
        Ok(Self { repository: repository.clone(), directory, store, limits })
    }

    /// A command that sees, and writes to, the quarantine in place of the repository's own objects.
    pub(super) fn command(&self, subcommand: &'static str) -> GitCommand {
        GitCommand::new(&self.repository.directory, subcommand, self.limits)
            .env("GIT_OBJECT_DIRECTORY", self.directory.path())
    }

    /// Names of our machine that git may mention are nobody's business.
    pub(super) fn without_paths(&self, complaint: &str) -> String {
        let quarantine = self.directory.path().to_string_lossy().into_owned();
        let repository = self.repository.directory.to_string_lossy().into_owned();
        complaint.replace(&quarantine, "").replace(&repository, "")
    }

    /// Checks that everything the new tips need is here or reachable from tips that were complete before.
    ///
    /// The fewer commits lie between the two, the faster it is: pass the old values of the refs first of all.
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
        let ending = self
            .command("rev-list")
            .args(["--objects", "--stdin", "--quiet"])
            // The commit-graph may still know commits that are gone.
            .env("GIT_COMMIT_GRAPH_PARANOIA", "1")
            .run(|stdin| stdin.write_all(input.as_bytes()))?;
        match (ending.success, ending.timed_out) {
            (true, _) => Ok(()),
            (false, true) => Err(Error::Unavailable("The check of the pushed history took too long.".into())),
            (false, false) => Err(Error::unprocessable("Objects that the pushed history needs are missing.")),
        }
    }

    /// Takes the pack into the repository and tells where it lies. When this returns, it survives a power cut.
    pub fn accept(self) -> Result<Option<PathBuf>> {
        let Some(index) = self.pack_index()? else { return Ok(None) };
        let target = self.repository.pack_directory();
        // Readers look for the index, so it comes last.
        let files = ["pack", "rev", "idx"].map(|extension| index.with_extension(extension));
        let files: Vec<PathBuf> = files.into_iter().filter(|file| file.exists()).collect();
        durable::install(&files, &target)?;
        let name = index.with_extension("pack");
        Ok(Some(target.join(name.file_name().expect("a pack has a name"))))
    }

    /// Where `pack-objects` puts what it makes.
    pub(super) fn pack_prefix(&self) -> PathBuf {
        self.directory.path().join("pack/pack")
    }

    /// The index of the pack that was received, if there was anything in it.
    pub(super) fn pack_index(&self) -> Result<Option<PathBuf>> {
        for entry in fs::read_dir(self.directory.path().join("pack"))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "idx") {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    fn find_kind(&self, sha: &Sha) -> Result<Option<super::ObjectKind>> {
        Ok(self.store.header(sha, Lookup::NewPacksToo)?.map(|(kind, _)| kind))
    }
}

impl ObjectSource for Quarantine {
    fn find(&self, sha: &Sha) -> Result<Option<Arc<RawObject>>> {
        Ok(self.store.find(sha, Lookup::NewPacksToo)?.map(Arc::new))
    }
}
