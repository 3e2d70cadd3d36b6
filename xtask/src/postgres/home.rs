//! The directory of one cluster.

use std::fs::{self, DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use super::account::Account;
use crate::reaper::{Reaper, Resource};
use crate::workspace;

/// Whether the server writes to the disk what it acknowledges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syncs {
    Never,
    /// As in production.
    Commits,
}

/// A file system in memory, on Linux. Every test creates and drops a database of some hundred files.
const MEMORY: &str = "/dev/shm";
const MEMORY_KIB_MIN: u64 = 4 << 20;

/// Removed when dropped.
pub struct Home {
    reaper: Arc<Reaper>,
    path: PathBuf,
}

impl Home {
    /// In memory if nothing has to be on a disk, otherwise in the target directory, or in a temporary directory if the account
    /// cannot enter that.
    pub fn create(reaper: &Arc<Reaper>, account: Option<&Account>, syncs: Syncs) -> Result<Self, String> {
        let inside = workspace::target().join("postgres");
        fs::create_dir_all(&inside).map_err(|error| format!("{}: {error}", inside.display()))?;
        let in_memory = (syncs == Syncs::Never && has_space(MEMORY)).then(|| MEMORY.into());
        let parents = in_memory.into_iter().chain([inside, std::env::temp_dir(), "/tmp".into(), "/var/tmp".into()]);
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

fn has_space(directory: &str) -> bool {
    let output = Command::new("df").args(["-Pk", directory]).stderr(Stdio::null()).output();
    output.is_ok_and(|output| available_kib(&String::from_utf8_lossy(&output.stdout)) >= Some(MEMORY_KIB_MIN))
}

/// From the output of `df -Pk`: its second line names the device, the size, and what is used and available.
fn available_kib(output: &str) -> Option<u64> {
    output.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
        self.reaper.unregister(&Resource::Directory(self.path.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_space_is_the_fourth_number_of_the_second_line() {
        let header = "Filesystem     1024-blocks  Used Available Capacity Mounted on\n";
        assert_eq!(
            available_kib(&format!("{header}tmpfs             24684096 10704  24673392       1% /dev/shm\n")),
            Some(24_673_392)
        );
        assert_eq!(available_kib(header), None);
        assert_eq!(available_kib(""), None);
    }
}
