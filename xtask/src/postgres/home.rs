//! The directory of one cluster.

use std::fs::{self, DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::account::Account;
use crate::reaper::{Reaper, Resource};
use crate::workspace;

/// Removed when dropped.
pub struct Home {
    reaper: Arc<Reaper>,
    path: PathBuf,
}

impl Home {
    /// In the target directory, or in a temporary directory if the account cannot enter that.
    pub fn create(reaper: &Arc<Reaper>, account: Option<&Account>) -> Result<Self, String> {
        let inside = workspace::target().join("postgres");
        fs::create_dir_all(&inside).map_err(|error| format!("{}: {error}", inside.display()))?;
        let parents = [inside, std::env::temp_dir(), "/tmp".into(), "/var/tmp".into()];
        let is_reachable = |parent: &PathBuf| account.is_none_or(|account| account.can_enter(parent));
        let Some(parent) = parents.into_iter().find(is_reachable) else {
            return Err("no directory that the account of PostgreSQL can enter".into());
        };
        let path = parent.join(format!("plinth-cluster-{}", std::process::id()));
        // Fails if it exists: in a shared directory, somebody else may have created it.
        DirBuilder::new().mode(0o755).create(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let home = Self { reaper: reaper.clone(), path };
        reaper.register(&Resource::Directory(home.path.clone()));
        home.create_data(account).map_err(|error| format!("{}: {error}", home.path.display()))?;
        Ok(home)
    }

    fn create_data(&self, account: Option<&Account>) -> std::io::Result<()> {
        // The mode at creation is subject to the umask; `set_permissions` is not.
        fs::set_permissions(&self.path, Permissions::from_mode(0o755))?;
        DirBuilder::new().mode(0o700).create(self.data())?;
        match account {
            Some(account) => chown(self.data(), Some(account.uid), Some(account.gid)),
            None => Ok(()),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn data(&self) -> PathBuf {
        self.path.join("data")
    }

    pub fn server_log(&self) -> PathBuf {
        self.path.join("server.log")
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
        self.reaper.unregister(&Resource::Directory(self.path.clone()));
    }
}
