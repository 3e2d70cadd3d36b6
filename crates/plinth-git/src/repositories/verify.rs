//! Verifies repositories with git itself, and repairs files that can be derived from others.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::Repositories;
use super::staging::is_staging;
use crate::child::{GitCommand, Limits};
use crate::durable;
use crate::objects::RawObject;
use crate::packs::EXTENSIONS;
use crate::packs::checksum::TrailerCheck;
use crate::packs::write::write_pack;
use crate::repository;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{RepoId, Sha};

/// A large repository takes long, and no request waits for it.
const LIMITS: Limits = Limits { time: Duration::from_secs(24 * 60 * 60), memory: 8 << 30, file_size: 64 << 30 };
/// Missing objects that are listed for one repository.
const MISSING_MAX: usize = 100;
/// A younger directory without a row may belong to an import that is running.
const ORPHAN_AGE_MIN: Duration = Duration::from_secs(60 * 60);
const PIECE_SIZE: usize = 1024 * 1024;

/// Something wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackProblem {
    pub path: PathBuf,
    pub message: String,
    pub repair: Repairable,
}

/// What can be derived again from intact files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repairable {
    No,
    /// The index, from its pack.
    Index,
    /// The commit-graph, from the commits.
    CommitGraph,
    /// Directories that may be empty.
    Directories,
}

/// The result of a walk from all tips.
#[derive(Debug, Default)]
pub struct Connectivity {
    /// Objects that another object names and that do not exist.
    pub missing: Vec<Sha>,
    /// Why the walk could not be finished.
    pub failure: Option<String>,
}

impl Repositories {
    /// Checks the directory of a repository, and each pack with every object in it; calls `progress` with the size of each
    /// pack that was read. A repository that never had an object has no directory.
    pub fn check_packs(&self, repo: RepoId, progress: &mut dyn FnMut(u64)) -> Result<Vec<PackProblem>> {
        let directory = self.directory().join(self.relative_directory_of(repo)?);
        if !directory.is_dir() {
            return Ok(Vec::new());
        }
        let mut problems: Vec<PackProblem> = repository::missing_parts(&directory)
            .into_iter()
            .map(|path| problem(&path, "it is missing, and git cannot serve the repository", Repairable::Directories))
            .collect();
        for stem in pack_stems(&directory.join("objects/pack"))? {
            let (pack, index) = (stem.with_extension("pack"), stem.with_extension("idx"));
            problems.extend(check_pack(&directory, &pack, &index)?);
            progress(fs::metadata(&pack).map_or(0, |metadata| metadata.len()));
        }
        problems.extend(check_commit_graph(&directory)?);
        Ok(problems)
    }

    /// Walks everything that the tips reach. `overlay` are objects that are in no pack yet.
    pub fn check_connectivity(&self, repo: RepoId, tips: &[Sha], overlay: &[RawObject]) -> Result<Connectivity> {
        let directory = self.directory().join(self.relative_directory_of(repo)?);
        if tips.is_empty() || !directory.is_dir() {
            return Ok(Connectivity::default());
        }
        let overlay_directory = self.staging_directory()?;
        if !overlay.is_empty() {
            fs::create_dir(overlay_directory.path().join("pack"))?;
            write_pack(&overlay_directory.path().join("pack"), overlay)?;
        }
        let (mut child, fed) = GitCommand::new(&directory, "rev-list", LIMITS)
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", overlay_directory.path())
            // A commit-graph may list commits that are gone.
            .setting("core.commitGraph=false")
            .args(["--objects", "--no-object-names", "--missing=print", "--stdin"])
            .spawn_fed(|stdin| tips.iter().try_for_each(|tip| writeln!(stdin, "{tip}")))?;
        let mut missing = Vec::new();
        for line in io::BufReader::new(child.take_stdout()).lines() {
            let line = line?;
            let sha: Option<Sha> = line.strip_prefix('?').and_then(|sha| sha.parse().ok());
            missing.extend(sha.filter(|_| missing.len() < MISSING_MAX));
        }
        let exit = child.wait()?;
        let failure = (!exit.success).then_some(exit.stderr);
        if failure.is_none() {
            fed?;
        }
        Ok(Connectivity { missing, failure })
    }

    /// Derives a damaged or missing file again.
    pub fn repair(&self, repo: RepoId, problem: &PackProblem) -> Result<()> {
        let directory = self.directory().join(self.relative_directory_of(repo)?);
        match problem.repair {
            Repairable::No => Err(Error::Conflict("it cannot be repaired".into())),
            Repairable::Directories => self.complete(repo),
            Repairable::CommitGraph => {
                durable::remove_directory(&directory.join("objects/info/commit-graphs"))?;
                Ok(durable::remove_file(&directory.join("objects/info/commit-graph"))?)
            }
            Repairable::Index => write_index(&directory, &problem.path.with_extension("pack")),
        }
    }

    /// Directories that are named after a repository id, whether the repository still exists or not.
    pub fn list_directories(&self) -> Result<Vec<(RepoId, PathBuf)>> {
        let mut found = Vec::new();
        for shard in entries(self.directory())? {
            if is_staging(&shard) {
                continue;
            }
            for directory in entries(&shard)? {
                let id = directory.file_name().and_then(|name| name.to_str()?.strip_suffix(".git")?.parse().ok());
                found.extend(id.map(|id| (RepoId(id), directory)));
            }
        }
        found.sort_unstable_by_key(|(id, _)| *id);
        Ok(found)
    }

    /// Directories and files without which git could not serve a repository.
    pub fn missing_parts(&self) -> Result<Vec<PathBuf>> {
        let directories = self.list_directories()?;
        let with_packs = directories.iter().filter(|(_, directory)| directory.join("objects/pack").is_dir());
        Ok(with_packs.flat_map(|(_, directory)| repository::missing_parts(directory)).collect())
    }

    /// Whether a directory is so old that no running operation is about to use it.
    pub fn is_abandoned(directory: &Path) -> bool {
        // HEAD is written once, while the time of a directory changes with its entries.
        let metadata = fs::metadata(directory.join("HEAD")).or_else(|_| fs::metadata(directory));
        let modified = metadata.and_then(|metadata| metadata.modified());
        modified.is_ok_and(|at| SystemTime::now().duration_since(at).is_ok_and(|age| age > ORPHAN_AGE_MIN))
    }

    /// Files and directories of killed processes. Only meaningful while no server runs.
    pub fn leftovers(&self) -> Result<Vec<PathBuf>> {
        let mut found = self.staging_leftovers()?;
        for (_, directory) in self.list_directories()? {
            found.extend(entries(&directory.join("quarantine"))?);
            found.extend(repository::temporary_files(&directory)?);
        }
        Ok(found)
    }
}

fn check_pack(directory: &Path, pack: &Path, index: &Path) -> Result<Option<PackProblem>> {
    if !pack.exists() {
        return Ok(index
            .exists()
            .then(|| problem(pack, "the pack is missing, but its index is there", Repairable::No)));
    }
    let exit = GitCommand::new(directory, "verify-pack", LIMITS).args([index]).run(|_| Ok(()))?;
    if exit.success {
        return Ok(None);
    }
    if !pack.exists() {
        // It was replaced in the meantime, and its replacement is checked instead.
        return Ok(None);
    }
    // The index can be derived again from an intact pack.
    Ok(Some(match (is_intact(pack)?, index.exists()) {
        (true, true) => problem(index, &format!("the index is damaged: {}", exit.stderr), Repairable::Index),
        (true, false) => problem(index, "the pack has no index", Repairable::Index),
        (false, _) => problem(pack, &format!("the pack is damaged: {}", exit.stderr), Repairable::No),
    }))
}

fn check_commit_graph(directory: &Path) -> Result<Option<PackProblem>> {
    let info = directory.join("objects/info");
    if !info.join("commit-graphs").exists() && !info.join("commit-graph").exists() {
        return Ok(None);
    }
    let exit = GitCommand::new(directory, "commit-graph", LIMITS).args(["verify", "--no-progress"]).run(|_| Ok(()))?;
    let damaged = |message: &str| problem(&info.join("commit-graphs"), message, Repairable::CommitGraph);
    Ok((!exit.success).then(|| damaged(&format!("the commit-graph is damaged: {}", exit.stderr))))
}

/// Whether the checksum at the end matches the content.
fn is_intact(pack: &Path) -> Result<bool> {
    let mut file = fs::File::open(pack)?;
    let mut check = TrailerCheck::default();
    let mut buffer = vec![0; PIECE_SIZE];
    loop {
        // A read error counts as damage.
        let Ok(count) = file.read(&mut buffer) else { return Ok(false) };
        if count == 0 {
            return check.is_intact();
        }
        check.update(&buffer[..count]);
    }
}

fn write_index(directory: &Path, pack: &Path) -> Result<()> {
    let index = pack.with_extension("idx");
    let scratch = tempfile::tempdir_in(directory.join("quarantine"))?;
    let new = scratch.path().join("new.idx");
    GitCommand::new(directory, "index-pack", LIMITS)
        .args([Path::new("--no-rev-index"), Path::new("-o"), &new, pack])
        .run(|_| Ok(()))?
        .check("writing an index")?;
    durable::sync_file(&new)?;
    // It was derived from the damaged index.
    durable::remove_file(&pack.with_extension("rev"))?;
    fs::rename(&new, &index)?;
    Ok(durable::sync_directory(&directory.join("objects/pack"))?)
}

/// Paths, without extension, of all packs of which at least one file exists.
fn pack_stems(directory: &Path) -> Result<BTreeSet<PathBuf>> {
    let is_part =
        |path: &PathBuf| path.extension().is_some_and(|end| EXTENSIONS.iter().any(|extension| end == *extension));
    Ok(entries(directory)?.into_iter().filter(is_part).map(|path| path.with_extension("")).collect())
}

fn entries(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(directory) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        result => result.map_err(|error| Error::internal(format!("{}: {error}", directory.display())))?,
    };
    Ok(entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>()?)
}

fn problem(path: &Path, message: &str, repair: Repairable) -> PackProblem {
    PackProblem { path: path.to_owned(), message: message.to_owned(), repair }
}
