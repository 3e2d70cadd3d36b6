//! Which commits changed what: the numbers with which a cache finds out whether an entry is still valid
//! (docs/decisions/0132-cache-invalidation-by-scope.md).
//!
//! Transactions are numbered in the order of their commits. For rights, and for the content of each repository and account, the
//! table has the number of the last transaction that changed them. A value that was read at number 7 is valid as long as none of
//! the numbers that it depends on is greater than 7. Some kinds of content also have numbers of their own, and so have their rows.
//!
//! A commit may have many transactions. Each has its own number, so that what one of them has written is valid as of its number,
//! unless a later one of the same commit has changed it again.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use super::content_kinds::ContentKind;
use super::invalidation::{
    Changes, Dependency, InvalidationScope, KIND_SLOTS, KindChanges, ROW_SLOTS, SLOTS, Scopes, row_slot,
};

/// The last transaction that this process knew at some time.
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

/// The generations as of a transaction, with its own changes.
#[derive(Debug, Clone)]
pub enum CommitGenerations {
    Known(Option<Generations>),
    /// With PostgreSQL, the order of commits is not known before them.
    AfterCommit(Arc<OnceLock<Generations>>),
}

impl CommitGenerations {
    /// Ask after the commit. Nothing if something else may have changed at the same time.
    pub fn get(&self) -> Option<Generations> {
        match self {
            Self::Known(generations) => *generations,
            Self::AfterCommit(generations) => generations.get().copied(),
        }
    }
}

/// The last commits that changed rights, pull requests and content.
#[derive(Debug, Default)]
pub struct GenerationTable {
    commit: AtomicU64,
    rights: AtomicU64,
    pulls: LastCommits<SLOTS>,
    content: LastCommits<SLOTS>,
    kinds: [KindCommits; ContentKind::COUNT],
}

/// The last commits that changed one kind of content.
#[derive(Debug)]
struct KindCommits {
    all: LastCommits<KIND_SLOTS>,
    of_any_row: LastCommits<KIND_SLOTS>,
    rows: Box<[AtomicU64]>,
}

impl Default for KindCommits {
    fn default() -> Self {
        Self { all: LastCommits::default(), of_any_row: LastCommits::default(), rows: counters(ROW_SLOTS) }
    }
}

#[derive(Debug)]
struct LastCommits<const SLOTS: usize> {
    any: AtomicU64,
    /// The last commit whose scope was everything.
    everything: AtomicU64,
    slots: Box<[AtomicU64]>,
}

impl<const SLOTS: usize> Default for LastCommits<SLOTS> {
    fn default() -> Self {
        Self { any: AtomicU64::new(0), everything: AtomicU64::new(0), slots: counters(SLOTS) }
    }
}

fn counters(count: usize) -> Box<[AtomicU64]> {
    (0..count).map(|_| AtomicU64::new(0)).collect()
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
            Dependency::Kind(repo, kind) => self.kinds[kind as usize].all.last(InvalidationScope::Repo(repo)),
            Dependency::Row(repo, kind, row) => {
                let KindCommits { of_any_row, rows, .. } = &self.kinds[kind as usize];
                let last = rows[row_slot(repo, kind, row)].load(Ordering::Acquire);
                last.max(of_any_row.last(InvalidationScope::Repo(repo)))
            }
        };
        last.max(self.rights.load(Ordering::Acquire)) <= since.commit
    }

    /// The generations after so many further transactions.
    pub fn after(&self, transactions: usize) -> Generations {
        Generations { commit: self.now().commit + transactions as u64 }
    }

    /// Records a commit of one transaction.
    pub fn record(&self, changes: &Changes) {
        self.record_each(std::slice::from_ref(changes));
    }

    /// Records a commit. Two calls at once would use the same numbers, so callers take turns.
    pub fn record_each(&self, transactions: &[Changes]) {
        let mut commit = self.commit.load(Ordering::Acquire);
        for changes in transactions {
            commit += 1;
            if changes.rights {
                self.rights.store(commit, Ordering::Release);
            }
            self.pulls.record(&changes.pulls, commit);
            self.content.record(&changes.content, commit);
            for (commits, changes) in self.kinds.iter().zip(&changes.kinds) {
                commits.record(changes, commit);
            }
        }
        // Last: a thread that reads this number also reads those above.
        self.commit.store(commit, Ordering::Release);
    }

    /// Uses up the numbers of transactions that have changed nothing.
    pub fn skip(&self, transactions: usize) {
        self.commit.store(self.after(transactions).commit, Ordering::Release);
    }

    /// Records a commit that may have changed anything.
    pub fn record_unknown(&self) {
        self.record(&Changes { rights: true, ..Changes::default() });
    }
}

impl KindCommits {
    fn record(&self, changes: &KindChanges, commit: u64) {
        self.all.record(&changes.all, commit);
        self.of_any_row.record(&changes.of_any_row, commit);
        for row in &changes.rows {
            self.rows[*row].store(commit, Ordering::Release);
        }
    }
}

impl<const SLOTS: usize> LastCommits<SLOTS> {
    fn last(&self, scope: InvalidationScope) -> u64 {
        match scope.slot(SLOTS) {
            None => self.any.load(Ordering::Acquire),
            Some(slot) => self.everything.load(Ordering::Acquire).max(self.slots[slot].load(Ordering::Acquire)),
        }
    }

    fn record(&self, scopes: &Scopes<SLOTS>, commit: u64) {
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
    use plinth_base::ids::{AccountId, RepoId};

    use super::*;
    use crate::Effect;
    use crate::content_kinds::ContentKinds;
    use crate::effect::{ChangedRows, RowKey, WriteAction};

    const A: InvalidationScope = InvalidationScope::Repo(RepoId(1));
    const B: InvalidationScope = InvalidationScope::Repo(RepoId(2));
    const ORG: InvalidationScope = InvalidationScope::Account(AccountId(1));
    const ALL: InvalidationScope = InvalidationScope::Everything;
    const ROW: RowKey = RowKey(5);
    const DEPENDENCIES: [Dependency; 10] = [
        Dependency::Rights,
        Dependency::Pulls(RepoId(1)),
        Dependency::Pulls(RepoId(2)),
        Dependency::Content(A),
        Dependency::Content(B),
        Dependency::Content(ORG),
        Dependency::Content(ALL),
        Dependency::Kind(RepoId(1), ContentKind::Refs),
        Dependency::Row(RepoId(1), ContentKind::Refs, ROW),
        Dependency::Row(RepoId(2), ContentKind::Refs, ROW),
    ];

    /// Which of [`DEPENDENCIES`] are unchanged after a commit; the same is known before the commit.
    fn unchanged_after(effect: Effect, scope: InvalidationScope) -> [bool; 10] {
        unchanged_after_changes(|changes| changes.add(effect, scope))
    }

    /// As [`unchanged_after`], for content of which more is known.
    fn unchanged_after_content(scope: InvalidationScope, table: &str, rows: ChangedRows) -> [bool; 10] {
        let insert = WriteAction::Insert { table: table.into() };
        unchanged_after_changes(|changes| changes.add_content(scope, ContentKinds::of([&insert]), rows))
    }

    fn unchanged_after_changes(add: impl FnOnce(&mut Changes)) -> [bool; 10] {
        let table = GenerationTable::default();
        let before = table.now();
        let mut changes = Changes::default();
        add(&mut changes);
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
                assert_eq!(unchanged_after(effect, scope), [false; 10]);
            }
        }
    }

    #[test]
    fn change_of_content_invalidates_its_scope_only() {
        let of_a = [false, false, true];
        for (effect, scope, unchanged, kinds) in [
            (Effect::Content, A, [true, true, true, false, true, true, false], of_a),
            (Effect::Pulls, A, [true, false, true, false, true, true, false], of_a),
            (Effect::Content, ORG, [true, true, true, true, true, false, false], [true; 3]),
            (Effect::Content, ALL, [true, true, true, false, false, false, false], [false; 3]),
            (Effect::Pulls, ALL, [true, false, false, false, false, false, false], [false; 3]),
        ] {
            assert_eq!(
                unchanged_after(effect, scope)[..],
                [&unchanged[..], &kinds].concat(),
                "{effect:?} of {scope:?}"
            );
        }
    }

    #[test]
    fn change_of_a_kind_invalidates_that_kind_and_the_declared_rows_only() {
        let (one, other) = (ChangedRows::One(ROW), ChangedRows::One(RowKey(6)));
        let content = [true, true, true, false, true, true, false];
        for (table, rows, kinds) in [
            ("git_ref", ChangedRows::Any, [false, false, true]),
            ("git_ref", ChangedRows::None, [false, true, true]),
            ("git_ref", one, [false, false, true]),
            ("git_ref", other, [false, true, true]),
            ("review_comment", ChangedRows::Any, [true; 3]),
            ("review_comment", one, [true; 3]),
            ("notification", ChangedRows::Any, [true; 3]),
        ] {
            let unchanged = unchanged_after_content(A, table, rows);
            assert_eq!(unchanged[..], [&content[..], &kinds].concat(), "{rows:?} of {table}");
        }
        // Where the repository is not known, the row says nothing.
        assert_eq!(unchanged_after_content(ALL, "git_ref", other)[7..], [false; 3]);
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
