//! Repositories as a cache of packs that nodes share: which are on this disk, and what can be removed from it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::{Repositories, Staged};
use crate::durable;
use crate::packs::EXTENSIONS;
use crate::shared_packs::{SharedPack, SharedPacks};
use plinth_base::error::Result;
use plinth_base::ids::RepoId;

impl Repositories {
    /// Makes the directories a cache of packs that nodes share.
    #[must_use]
    pub fn sharing(self, shared: Arc<dyn SharedPacks>) -> Self {
        Self { shared: Some(shared), ..self }
    }

    /// Whether other nodes have the same packs.
    pub fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// Makes the packs of a staged repository durable for all nodes. They belong to no repository yet; without shared packs,
    /// there is nothing to do.
    pub fn upload(&self, staged: &Staged) -> Result<Vec<SharedPack>> {
        let Some(shared) = &self.shared else { return Ok(Vec::new()) };
        let mut uploaded = Vec::new();
        for entry in fs::read_dir(staged.pack_directory())? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "idx") {
                uploaded.push(shared.upload(&path)?);
            }
        }
        Ok(uploaded)
    }

    /// The directory of a repository. It may not exist.
    pub fn directory_path(&self, id: RepoId) -> PathBuf {
        self.directory.join(super::relative_directory(id))
    }

    /// Bytes of all files of packs of a repository on this disk.
    pub fn directory_bytes(&self, id: RepoId) -> u64 {
        let files = fs::read_dir(self.pack_directory(id)).into_iter().flatten().flatten();
        files.map(|file| file.metadata().map_or(0, |metadata| metadata.len())).sum()
    }

    /// Removes the copy of a repository from this disk, unless it is in use. Returns whether it did.
    pub fn evict(&self, id: RepoId) -> Result<bool> {
        if !self.close_idle(id) {
            return Ok(false);
        }
        durable::remove_directory(&self.directory_of(id)?)?;
        self.cache.remove_repository(id);
        Ok(true)
    }

    /// Removes packs that no node needs any more, unless the repository is in use.
    pub fn remove_outdated(&self, id: RepoId, current: &BTreeSet<String>, age_min: Duration) -> Result<()> {
        let directory = self.pack_directory(id);
        let mut outdated = BTreeSet::new();
        for (name, age) in list_packs(&directory)? {
            if !current.contains(&name) && age >= age_min {
                outdated.insert(name);
            }
        }
        if outdated.is_empty() || !self.close_idle(id) {
            return Ok(());
        }
        for name in outdated {
            for extension in EXTENSIONS.iter().rev() {
                durable::remove_file(&directory.join(format!("{name}.{extension}")))?;
            }
        }
        // A commit-graph must not list commits that are gone.
        durable::remove_directory(&self.directory_of(id)?.join("objects/info/commit-graphs"))?;
        self.cache.remove_repository(id);
        Ok(())
    }

    /// Forgets an open repository that nobody uses. Returns false if somebody does.
    fn close_idle(&self, id: RepoId) -> bool {
        let mut open = self.open.lock();
        let users = open.in_use.get(&id).map_or(0, std::sync::Weak::strong_count);
        let idle_users = match open.by_id.get(&id) {
            Some((repository, _)) if Arc::strong_count(repository) > 1 => return false,
            Some(_) => 1,
            None => 0,
        };
        if users > idle_users {
            return false;
        }
        open.by_id.remove(&id);
        true
    }
}

/// Names, without extension, of packs with an index, and how long ago they were written.
fn list_packs(directory: &Path) -> Result<Vec<(String, Duration)>> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(".idx") else { continue };
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let age = modified.ok().and_then(|at| SystemTime::now().duration_since(at).ok());
        found.push((name.to_owned(), age.unwrap_or_default()));
    }
    Ok(found)
}
