//! Which packs of a repository stay on this disk, if nodes share them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::durable;
use crate::maintenance::stem;
use crate::repository::Repository;
use plinth_base::error::Result;

impl Repository {
    /// Removes every pack from this disk that is not among the named ones. Returns whether there were any.
    pub fn retain_packs(&self, names: &BTreeSet<String>) -> Result<bool> {
        let outdated: Vec<PathBuf> = self.packs()?.into_iter().filter(|pack| !names.contains(&stem(pack))).collect();
        for pack in &outdated {
            for extension in ["idx", "rev", "bitmap", "pack"] {
                durable::remove_file(&pack.with_extension(extension))?;
            }
        }
        if outdated.is_empty() {
            return Ok(false);
        }
        // A commit-graph must not list commits that are gone.
        durable::remove_directory(&self.objects_directory().join("info/commit-graphs"))?;
        durable::sync_directory(&self.pack_directory())?;
        self.invalidate_objects()?;
        Ok(true)
    }

    /// The names of the packs on this disk, without extension.
    pub fn pack_names(&self) -> Result<BTreeSet<String>> {
        Ok(self.packs()?.iter().map(|pack| stem(pack)).collect())
    }
}
