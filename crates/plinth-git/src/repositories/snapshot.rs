//! A snapshot of the packs of all repositories: hard links that exist while the packs are copied.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::Repositories;
use super::staging::StagingDirectory;
use crate::durable;
use crate::packs::EXTENSIONS;
use crate::repository;
use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;

/// How often the packs of one repository are listed again while new ones arrive.
const LISTINGS_MAX: usize = 100;
/// How long a deletion waits for a snapshot that is being taken.
const DELETION_WAIT_MAX: Duration = Duration::from_secs(2);
const RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// Blocks the removal of packs and repositories, by any process, until it is dropped.
pub struct RemovalHold(#[expect(dead_code, reason = "the lock lives as long as the file is open")] File);

/// Allows the removal of packs and repositories; excludes snapshots.
pub struct RemovalPermit(#[expect(dead_code, reason = "the lock lives as long as the file is open")] File);

/// Hard links to packs: they stay readable even if a repository is deleted.
pub struct PackSnapshot {
    files: Vec<PackFile>,
    _directory: StagingDirectory,
}

/// One file of a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackFile {
    pub repo: RepoId,
    /// Relative to the directory of all repositories.
    pub path: PathBuf,
    /// The link to read it from.
    pub source: PathBuf,
    pub size: u64,
}

impl PackSnapshot {
    pub fn files(&self) -> &[PackFile] {
        &self.files
    }
}

impl Repositories {
    /// Waits for a running removal to end, and blocks the next one.
    pub fn hold_removals(&self) -> Result<RemovalHold> {
        let file = File::open(self.directory())?;
        file.lock_shared()?;
        Ok(RemovalHold(file))
    }

    /// `None` while a snapshot is being taken.
    pub fn try_removals(&self) -> Result<Option<RemovalPermit>> {
        let file = File::open(self.directory())?;
        match file.try_lock() {
            Ok(()) => Ok(Some(RemovalPermit(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    /// As [`Repositories::try_removals`], but waits for a short time first.
    pub(crate) fn wait_for_removals(&self) -> Result<Option<RemovalPermit>> {
        let started = Instant::now();
        loop {
            match self.try_removals()? {
                None if started.elapsed() < DELETION_WAIT_MAX => std::thread::sleep(RETRY_INTERVAL),
                outcome => return Ok(outcome),
            }
        }
    }

    /// Links every pack of these repositories. If removals are blocked since before the database was read, every object
    /// that the database names is in these packs or in the database.
    pub fn link_packs(&self, repos: &[RepoId], _hold: &RemovalHold) -> Result<PackSnapshot> {
        let directory = self.staging_directory()?;
        let mut files = Vec::new();
        for repo in repos {
            let relative = self.relative_directory_of(*repo)?.join("objects/pack");
            let target = directory.path().join(&relative);
            let packs = link_all(&self.directory().join(&relative), &target)?;
            for (name, size) in packs {
                files.push(PackFile { repo: *repo, path: relative.join(&name), source: target.join(&name), size });
            }
        }
        Ok(PackSnapshot { files, _directory: directory })
    }

    /// Adds the parts of an empty repository to a directory that has only packs, so that git can serve it.
    pub fn complete(&self, repo: RepoId) -> Result<()> {
        Ok(repository::create(&self.directory().join(self.relative_directory_of(repo)?))?)
    }
}

/// Links all packs until no new one arrives in between; returns names and sizes.
fn link_all(source: &Path, target: &Path) -> Result<Vec<(String, u64)>> {
    let mut linked = BTreeSet::new();
    for _ in 0..LISTINGS_MAX {
        let listed = pack_names(source)?;
        if listed.is_subset(&linked) {
            return sizes(target, &linked);
        }
        if linked.is_empty() {
            durable::create_directories(target)?;
        }
        for stem in listed.difference(&linked) {
            for extension in EXTENSIONS {
                let name = format!("{stem}.{extension}");
                match fs::hard_link(source.join(&name), target.join(&name)) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound && extension == "rev" => {}
                    result => result.map_err(|error| with_path(&source.join(&name), &error))?,
                }
            }
        }
        linked.extend(listed);
    }
    Err(Error::Unavailable(format!("the packs in {} change too fast", source.display())))
}

fn sizes(directory: &Path, stems: &BTreeSet<String>) -> Result<Vec<(String, u64)>> {
    let mut sizes = Vec::new();
    for name in stems.iter().flat_map(|stem| EXTENSIONS.map(|extension| format!("{stem}.{extension}"))) {
        match fs::metadata(directory.join(&name)) {
            Ok(metadata) => sizes.push((name, metadata.len())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(sizes)
}

/// Names, without extension, of all packs that readers see.
fn pack_names(directory: &Path) -> Result<BTreeSet<String>> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
        result => result.map_err(|error| with_path(directory, &error))?,
    };
    let mut names = BTreeSet::new();
    for entry in entries {
        let name = entry?.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(".idx").filter(|stem| stem.starts_with("pack-")).map(str::to_owned));
    }
    Ok(names)
}

fn with_path(path: &Path, error: &io::Error) -> Error {
    Error::internal(format!("{}: {error}", path.display()))
}
