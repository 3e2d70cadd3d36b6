//! The copies of packs on this disk: bounded in bytes, whole repositories, the one that was not used for longest first.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::super::store;
use super::PackStorage;
use plinth_base::error::Result;
use plinth_base::ids::RepoId;
use plinth_git::Repositories;

/// A repository that was used within this time stays: a request may have completed it and not begun to read.
const IDLE_MIN: Duration = Duration::from_secs(60);
/// How long packs that were replaced stay on this disk, for those who have opened them.
const OUTDATED_AGE_MIN: Duration = Duration::from_secs(10 * 60);

/// How much of the disk each repository takes, and when it was last used.
pub struct Usage {
    bytes_max: u64,
    repos: Mutex<HashMap<RepoId, Used>>,
}

#[derive(Clone, Copy)]
struct Used {
    bytes: u64,
    at: Instant,
}

impl Usage {
    pub fn new(bytes_max: u64) -> Self {
        Self { bytes_max, repos: Mutex::default() }
    }

    pub fn touch(&self, repo: RepoId, bytes: u64) {
        self.repos.lock().insert(repo, Used { bytes, at: Instant::now() });
    }

    fn insert_if_unknown(&self, repo: RepoId, bytes: u64) {
        // A repository from before the start was used before all others.
        let at = Instant::now().checked_sub(IDLE_MIN).unwrap_or_else(Instant::now);
        self.repos.lock().entry(repo).or_insert(Used { bytes, at });
    }

    /// Repositories to remove until the rest fits, as far as they are idle.
    fn surplus(&self, idle_min: Duration) -> Vec<RepoId> {
        let mut used: Vec<(RepoId, Used)> = self.repos.lock().iter().map(|(repo, used)| (*repo, *used)).collect();
        used.sort_unstable_by_key(|(_, used)| used.at);
        let mut bytes: u64 = used.iter().map(|(_, used)| used.bytes).sum();
        let mut surplus = Vec::new();
        for (repo, used) in used {
            if bytes <= self.bytes_max {
                break;
            }
            if used.at.elapsed() >= idle_min {
                bytes -= used.bytes;
                surplus.push(repo);
            }
        }
        surplus
    }

    fn remove(&self, repo: RepoId) {
        self.repos.lock().remove(&repo);
    }
}

impl PackStorage {
    /// Waits until packs were fetched, or for a time.
    pub async fn grown_within(&self, time: Duration) {
        let _ = tokio::time::timeout(time, self.grown.notified()).await;
    }

    /// Removes repositories from this disk until the rest fits. Blocks.
    pub fn shrink_cache(&self, repositories: &Repositories) -> Result<()> {
        for (repo, _) in repositories.list_directories()? {
            self.usage.insert_if_unknown(repo, repositories.directory_bytes(repo));
        }
        for repo in self.usage.surplus(IDLE_MIN) {
            let lock = self.lock_of(repo);
            let _turn = lock.lock();
            if repositories.evict(repo)? {
                tracing::debug!(%repo, "removed the copy of a repository from this disk");
                self.usage.remove(repo);
            }
        }
        Ok(())
    }

    /// Removes packs that were replaced, and repositories that were deleted, from this disk. Blocks.
    pub fn remove_outdated(&self, repositories: &Repositories) -> Result<()> {
        for (repo, _) in repositories.list_directories()? {
            let lock = self.lock_of(repo);
            let _turn = lock.lock();
            let (exists, packs) = self.runtime.block_on(async {
                let mut db = self.store.read().await?;
                let exists = store::exists(&mut db, repo).await?;
                drop(db);
                Ok::<_, plinth_base::error::Error>((exists, self.list(repo).await?))
            })?;
            if exists {
                let current: BTreeSet<String> = packs.into_iter().map(|pack| pack.name).collect();
                repositories.remove_outdated(repo, &current, OUTDATED_AGE_MIN)?;
            } else if Repositories::is_abandoned(&repositories.directory_path(repo)) && repositories.evict(repo)? {
                self.usage.remove(repo);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surplus_is_what_was_not_used_for_longest() {
        let usage = Usage::new(25);
        for repo in 1..=4 {
            usage.touch(RepoId(repo), 10);
            std::thread::sleep(Duration::from_millis(2));
        }
        usage.touch(RepoId(1), 10);
        assert_eq!(usage.surplus(Duration::ZERO), [RepoId(2), RepoId(3)]);
        assert!(usage.surplus(IDLE_MIN).is_empty());
        usage.remove(RepoId(2));
        assert_eq!(usage.surplus(Duration::ZERO), [RepoId(3)]);
    }
}
