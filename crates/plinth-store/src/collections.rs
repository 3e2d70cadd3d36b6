//! Which collection of unreachable objects a node has seen of each repository.
//!
//! Whoever refers to an object has checked before that it exists, by the packs that this node knew then. Another node may have
//! removed it since. So a transaction that changes a repository, while somebody here relies on its objects, fails if the number
//! of collections is not the one that this node knew.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::{Connection, DbError, InvalidationScope, Sent, Transaction, params};
use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;

const FIND: &str = "select number from collection where repo_id = $1";
/// As [`FIND`], for a list of repositories. For PostgreSQL.
pub(super) const FIND_ALL: &str =
    "select repo_id, number from collection where repo_id = any (cast(string_to_array($1, ',') as bigint[]))";
/// From this size on, repositories that nobody relies on are forgotten.
const REPOS_MAX: usize = 65_536;

/// What this node knows. Nothing, if no other node removes objects.
#[derive(Default)]
pub struct Collections {
    /// Whether anything was ever known, so that other stores pay one load.
    is_used: AtomicBool,
    repos: Mutex<HashMap<RepoId, State>>,
}

enum State {
    /// Somebody brings the packs of this node up to date.
    Updating,
    Known {
        number: i64,
        guards: usize,
        is_outdated: bool,
    },
}

/// Somebody relies on objects that exist after a collection.
pub struct CollectionGuard {
    collections: Arc<Collections>,
    repo: RepoId,
}

impl Drop for CollectionGuard {
    fn drop(&mut self) {
        if let Some(State::Known { guards, .. }) = self.collections.repos.lock().get_mut(&self.repo) {
            *guards -= 1;
        }
    }
}

/// The exclusive right to bring the packs of this node up to date: nobody relies on their objects meanwhile.
pub struct CollectionUpdate {
    collections: Arc<Collections>,
    repo: RepoId,
    number: Option<i64>,
}

impl CollectionUpdate {
    /// The packs of this node are of this collection or a later one.
    pub fn finish(mut self, number: i64) -> CollectionGuard {
        self.number = Some(number);
        CollectionGuard { collections: self.collections.clone(), repo: self.repo }
    }
}

impl Drop for CollectionUpdate {
    fn drop(&mut self) {
        let mut repos = self.collections.repos.lock();
        match self.number {
            Some(number) => repos.insert(self.repo, State::Known { number, guards: 1, is_outdated: false }),
            None => repos.remove(&self.repo),
        };
    }
}

impl Collections {
    /// Relies on the objects of a repository, if its packs on this node are up to date.
    pub fn enter(self: &Arc<Self>, repo: RepoId) -> Option<CollectionGuard> {
        match self.repos.lock().get_mut(&repo) {
            Some(State::Known { guards, is_outdated: false, .. }) => {
                *guards += 1;
                Some(CollectionGuard { collections: self.clone(), repo })
            }
            _ => None,
        }
    }

    /// Begins to bring packs up to date, unless somebody does, or relies on their objects.
    pub fn begin_update(self: &Arc<Self>, repo: RepoId) -> Option<CollectionUpdate> {
        let mut repos = self.repos.lock();
        match repos.get(&repo) {
            Some(State::Updating) => return None,
            Some(State::Known { guards, .. }) if *guards > 0 => return None,
            Some(State::Known { .. }) | None => {}
        }
        if repos.len() >= REPOS_MAX {
            repos.retain(|_, state| !matches!(state, State::Known { guards: 0, .. }));
        }
        repos.insert(repo, State::Updating);
        self.is_used.store(true, Ordering::Release);
        Some(CollectionUpdate { collections: self.clone(), repo, number: None })
    }

    /// The packs of a repository on this node are not up to date.
    pub fn outdate(&self, repo: RepoId) {
        if let Some(State::Known { is_outdated, .. }) = self.repos.lock().get_mut(&repo) {
            *is_outdated = true;
        }
    }

    /// What a transaction in this scope must find.
    pub(super) fn expected(self: &Arc<Self>, scope: InvalidationScope) -> Option<Expected> {
        if !self.is_used.load(Ordering::Acquire) {
            return None;
        }
        let InvalidationScope::Repo(repo) = scope else { return None };
        match self.repos.lock().get(&repo) {
            Some(State::Known { number, guards, .. }) if *guards > 0 => {
                Some(Expected { collections: self.clone(), repo, number: *number })
            }
            _ => None,
        }
    }
}

/// The collection that somebody on this node relies on.
pub(super) struct Expected {
    collections: Arc<Collections>,
    repo: RepoId,
    number: i64,
}

impl Expected {
    pub fn repo(&self) -> RepoId {
        self.repo
    }

    /// Whether these rows of [`FIND_ALL`] have the number.
    pub fn is_in(&self, found: &[(RepoId, i64)]) -> bool {
        let number = found.iter().find(|(repo, _)| *repo == self.repo).map_or(0, |(_, number)| *number);
        number == self.number
    }

    pub async fn send(&self, db: &mut Connection) -> Result<Sent<Vec<(i64,)>>> {
        Ok(db.send_without_deferred(FIND, params![self.repo]).await?)
    }

    /// Fails if what was sent found another number.
    pub async fn check(&self, db: &mut Connection, sent: Sent<Vec<(i64,)>>) -> Result<()> {
        if db.rows(sent).await?.first().map_or(0, |(number,)| *number) == self.number {
            return Ok(());
        }
        self.collections.outdate(self.repo);
        Err(Error::Unavailable("unreachable objects of this repository were just removed; try again".into()))
    }
}

/// The number of collections of a repository so far.
pub async fn find_collection(db: &mut Connection, repo: RepoId) -> Result<i64, DbError> {
    let found = db.optional::<(i64,)>(FIND, params![repo]).await?;
    Ok(found.map_or(0, |(number,)| number))
}

/// Counts a collection, in the transaction that removes objects.
pub async fn count_collection(tx: &mut Transaction, repo: RepoId) -> Result<(), DbError> {
    let sql = "insert into collection (repo_id, number) values ($1, 1) \
               on conflict (repo_id) do update set number = collection.number + 1";
    tx.content_only().execute(sql, params![repo]).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packs_are_updated_while_nobody_relies_on_them() {
        let (collections, repo) = (Arc::<Collections>::default(), RepoId(1));
        assert!(collections.enter(repo).is_none() && collections.expected(InvalidationScope::Repo(repo)).is_none());
        let update = collections.begin_update(repo).expect("nobody else does");
        assert!(collections.begin_update(repo).is_none() && collections.enter(repo).is_none());
        drop(update);
        let first = collections.begin_update(repo).expect("it was given up").finish(3);
        let second = collections.enter(repo).expect("it is up to date");
        assert_eq!(collections.expected(InvalidationScope::Repo(repo)).map(|expected| expected.number), Some(3));
        collections.outdate(repo);
        assert!(collections.enter(repo).is_none() && collections.begin_update(repo).is_none());
        drop(first);
        assert!(collections.begin_update(repo).is_none());
        drop(second);
        assert!(collections.expected(InvalidationScope::Repo(repo)).is_none());
        drop(collections.begin_update(repo).expect("nobody relies on it").finish(4));
        assert!(collections.enter(repo).is_some());
    }
}
