//! Which commits changed what: the numbers with which a cache finds out whether an entry is still valid
//! (docs/decisions/0132-cache-invalidation-by-scope.md).
//!
//! Commits are numbered. For rights, and for the content of each repository and account, the table has the number of the
//! last commit that changed them. A value that was read at commit 7 is valid as long as none of the numbers that it
//! depends on is greater than 7.

use std::sync::atomic::{AtomicU64, Ordering};

use plinth_base::ids::{AccountId, RepoId};

use super::Effect;

/// Counters per kind of content. Two ids may share one: that costs a cache miss and bounds the memory.
const SLOTS: usize = 4096;

/// The last commit that this process knew at some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Generations {
    commit: u64,
}

impl From<u64> for Generations {
    fn from(commit: u64) -> Self {
        Self { commit }
    }
}

impl From<Generations> for u64 {
    fn from(generations: Generations) -> Self {
        generations.commit
    }
}

/// Whose content a transaction changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InvalidationScope {
    /// Everybody's. For transactions that do not know better.
    Everything,
    Repo(RepoId),
    /// Issue fields and projects of an organization or a user.
    Account(AccountId),
}

/// What a cached value was read from. Every value also depends on rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dependency {
    /// On nothing else: see [`Effect::Rights`].
    Rights,
    /// On the pull requests of a repository: see [`Effect::Pulls`].
    Pulls(RepoId),
    /// On all content in the scope.
    Content(InvalidationScope),
}

impl InvalidationScope {
    /// Nothing where the scope is everything.
    fn slot(self) -> Option<usize> {
        let (id, kind) = match self {
            InvalidationScope::Everything => return None,
            InvalidationScope::Repo(RepoId(id)) => (id, 0),
            InvalidationScope::Account(AccountId(id)) => (id, 1),
        };
        Some((id.unsigned_abs() as usize).wrapping_mul(2).wrapping_add(kind) % SLOTS)
    }
}

/// The changes of transactions that are not committed yet.
#[derive(Debug, Default)]
pub struct Changes {
    rights: bool,
    pulls: Scopes,
    content: Scopes,
}

#[derive(Debug, Default)]
struct Scopes {
    everything: bool,
    slots: Vec<usize>,
}

impl Changes {
    /// Adds what one statement changes.
    pub fn add(&mut self, effect: Effect, scope: InvalidationScope) {
        match effect {
            Effect::Rights | Effect::TakesNoRight => self.rights = true,
            Effect::Pulls => {
                self.pulls.add(scope);
                self.content.add(scope);
            }
            Effect::Content => self.content.add(scope),
        }
    }

    pub fn affects(&self, dependency: Dependency) -> bool {
        self.rights
            || match dependency {
                Dependency::Rights => false,
                Dependency::Pulls(repo) => self.pulls.contain(InvalidationScope::Repo(repo)),
                Dependency::Content(scope) => self.content.contain(scope),
            }
    }
}

impl Scopes {
    fn add(&mut self, scope: InvalidationScope) {
        match scope.slot() {
            None => self.everything = true,
            Some(slot) if !self.slots.contains(&slot) => self.slots.push(slot),
            Some(_) => {}
        }
    }

    fn contain(&self, scope: InvalidationScope) -> bool {
        self.everything || scope.slot().map_or(!self.slots.is_empty(), |slot| self.slots.contains(&slot))
    }
}

/// The last commits that changed rights, pull requests and content.
#[derive(Debug, Default)]
pub struct GenerationTable {
    commit: AtomicU64,
    rights: AtomicU64,
    pulls: LastCommits,
    content: LastCommits,
}

#[derive(Debug)]
struct LastCommits {
    any: AtomicU64,
    /// The last commit whose scope was everything.
    everything: AtomicU64,
    slots: Box<[AtomicU64]>,
}

impl Default for LastCommits {
    fn default() -> Self {
        let slots = (0..SLOTS).map(|_| AtomicU64::new(0)).collect();
        Self { any: AtomicU64::new(0), everything: AtomicU64::new(0), slots }
    }
}

impl GenerationTable {
    pub fn now(&self) -> Generations {
        Generations { commit: self.commit.load(Ordering::Acquire) }
    }

    /// Whether a value that was read at `since` is still what the store has.
    pub fn is_unchanged(&self, since: Generations, dependency: Dependency) -> bool {
        let last = match dependency {
            Dependency::Rights => 0,
            Dependency::Pulls(repo) => self.pulls.last(InvalidationScope::Repo(repo)),
            Dependency::Content(scope) => self.content.last(scope),
        };
        last.max(self.rights.load(Ordering::Acquire)) <= since.commit
    }

    /// Records a commit. Two calls at once would use one number, so callers take turns.
    pub fn record(&self, changes: &Changes) {
        let commit = self.commit.load(Ordering::Acquire) + 1;
        if changes.rights {
            self.rights.store(commit, Ordering::Release);
        }
        self.pulls.record(&changes.pulls, commit);
        self.content.record(&changes.content, commit);
        // Last: a thread that reads this number also reads those above.
        self.commit.store(commit, Ordering::Release);
    }

    /// Records a commit that may have changed anything.
    pub fn record_unknown(&self) {
        self.record(&Changes { rights: true, ..Changes::default() });
    }
}

impl LastCommits {
    fn last(&self, scope: InvalidationScope) -> u64 {
        match scope.slot() {
            None => self.any.load(Ordering::Acquire),
            Some(slot) => self.everything.load(Ordering::Acquire).max(self.slots[slot].load(Ordering::Acquire)),
        }
    }

    fn record(&self, scopes: &Scopes, commit: u64) {
        if scopes.everything {
            self.everything.store(commit, Ordering::Release);
        }
        for slot in &scopes.slots {
            self.slots[*slot].store(commit, Ordering::Release);
        }
        if scopes.everything || !scopes.slots.is_empty() {
            self.any.store(commit, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: InvalidationScope = InvalidationScope::Repo(RepoId(1));
    const B: InvalidationScope = InvalidationScope::Repo(RepoId(2));
    const ORG: InvalidationScope = InvalidationScope::Account(AccountId(1));
    const ALL: InvalidationScope = InvalidationScope::Everything;
    const DEPENDENCIES: [Dependency; 7] = [
        Dependency::Rights,
        Dependency::Pulls(RepoId(1)),
        Dependency::Pulls(RepoId(2)),
        Dependency::Content(A),
        Dependency::Content(B),
        Dependency::Content(ORG),
        Dependency::Content(ALL),
    ];

    /// Which of [`DEPENDENCIES`] are unchanged after a commit; the same is known before the commit.
    fn unchanged_after(effect: Effect, scope: InvalidationScope) -> [bool; 7] {
        let table = GenerationTable::default();
        let before = table.now();
        let mut changes = Changes::default();
        changes.add(effect, scope);
        table.record(&changes);
        assert!(DEPENDENCIES.iter().all(|dependency| table.is_unchanged(table.now(), *dependency)));
        let unchanged = DEPENDENCIES.map(|dependency| table.is_unchanged(before, dependency));
        assert_eq!(unchanged, DEPENDENCIES.map(|dependency| !changes.affects(dependency)));
        unchanged
    }

    #[test]
    fn change_of_rights_invalidates_everything() {
        for effect in [Effect::Rights, Effect::TakesNoRight] {
            for scope in [A, ORG, ALL] {
                assert_eq!(unchanged_after(effect, scope), [false; 7]);
            }
        }
    }

    #[test]
    fn change_of_content_invalidates_its_scope_only() {
        assert_eq!(unchanged_after(Effect::Content, A), [true, true, true, false, true, true, false]);
        assert_eq!(unchanged_after(Effect::Pulls, A), [true, false, true, false, true, true, false]);
        assert_eq!(unchanged_after(Effect::Content, ORG), [true, true, true, true, true, false, false]);
        assert_eq!(unchanged_after(Effect::Content, ALL), [true, true, true, false, false, false, false]);
        assert_eq!(unchanged_after(Effect::Pulls, ALL), [true, false, false, false, false, false, false]);
    }

    #[test]
    fn unknown_commit_invalidates_everything() {
        let table = GenerationTable::default();
        let before = table.now();
        table.record_unknown();
        assert!(!DEPENDENCIES.iter().any(|dependency| table.is_unchanged(before, *dependency)));
    }

    #[test]
    fn ids_that_share_a_slot_invalidate_each_other() {
        let far = RepoId(1 + i64::try_from(SLOTS).expect("a small number") / 2);
        let mut changes = Changes::default();
        changes.add(Effect::Content, A);
        assert!(changes.affects(Dependency::Content(InvalidationScope::Repo(far))));
    }
}
