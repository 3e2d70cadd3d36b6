//! Comparing trees by the ids of what is in them.

use super::reader::Reader;
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;

impl Reader<'_> {
    /// Whether anything at or below a path differs between two commits. Without an old commit, whether anything is there.
    pub fn differs_under(&self, old_commit: Option<&Sha>, new_commit: &Sha, path: &[u8]) -> Result<bool> {
        let entry_in = |commit_id: &Sha| -> Result<_> {
            let tree_id = self.find_tree_id(commit_id)?.ok_or(Error::NotFound)?;
            Ok(self.find_path(&tree_id, path)?.map(|entry| (entry.mode, entry.sha)))
        };
        let old = old_commit.map(entry_in).transpose()?.flatten();
        Ok(old != entry_in(new_commit)?)
    }
}
