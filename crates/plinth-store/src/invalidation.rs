//! What transactions change, and what cached values depend on (docs/decisions/0132-cache-invalidation-by-scope.md).
//!
//! Both are sets of counters, which the [`GenerationTable`](super::GenerationTable) has.

use plinth_base::ids::{AccountId, RepoId};

use super::Effect;
use super::content_kinds::{ContentKind, ContentKinds};
use super::effect::{ChangedRows, RowKey};

/// Counters for all content, and for one kind of it. Two ids may share one: that costs a cache miss and bounds the memory.
pub const SLOTS: usize = 4096;
pub const KIND_SLOTS: usize = 1024;
/// Counters for single rows. Nodes name them to each other: with another number, or another [`row_slot`], rows about changes need
/// another format (`postgres/change_detail.rs`).
pub const ROW_SLOTS: usize = 32_768;

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
    /// On all content of this kind in the repository, and on its pull requests.
    Kind(RepoId, ContentKind),
    /// On one row of this kind, and on the pull requests of the repository.
    Row(RepoId, ContentKind, RowKey),
}

impl InvalidationScope {
    /// Nothing where the scope is everything.
    pub fn slot(self, slots: usize) -> Option<usize> {
        let (id, kind) = match self {
            InvalidationScope::Everything => return None,
            InvalidationScope::Repo(RepoId(id)) => (id, 0),
            InvalidationScope::Account(AccountId(id)) => (id, 1),
        };
        Some((id.unsigned_abs() as usize).wrapping_mul(2).wrapping_add(kind) % slots)
    }
}

/// The counter of a row. Ids in a sequence get different ones.
pub fn row_slot(RepoId(repo): RepoId, kind: ContentKind, RowKey(row): RowKey) -> usize {
    // An odd number with as many ones as zeros spreads repositories over all counters.
    let spread = (repo.cast_unsigned() * 4 + kind as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    (spread ^ row ^ (row >> 32)) as usize % ROW_SLOTS
}

/// Which rows of a kind have changed, by their counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangedSlots {
    None,
    One(usize),
    Any,
}

impl ChangedSlots {
    /// Of each kind that has changed.
    pub fn of_kinds(
        scope: InvalidationScope,
        kinds: ContentKinds,
        rows: ChangedRows,
    ) -> [Option<Self>; ContentKind::COUNT] {
        ContentKind::ALL.map(|kind| kinds.contains(kind).then(|| Self::of(scope, kind, rows)))
    }

    /// For rows of this kind in this scope. Where the repository is not known, a row says nothing.
    fn of(scope: InvalidationScope, kind: ContentKind, rows: ChangedRows) -> Self {
        match (rows, scope) {
            (ChangedRows::None, _) => Self::None,
            (ChangedRows::One(row), InvalidationScope::Repo(repo)) => Self::One(row_slot(repo, kind, row)),
            (ChangedRows::Any | ChangedRows::One(_), _) => Self::Any,
        }
    }

    /// Both, unless these are two counters.
    pub fn with(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::None, slots) | (slots, Self::None) => Some(slots),
            (Self::Any, _) | (_, Self::Any) => Some(Self::Any),
            (Self::One(one), Self::One(other)) => (one == other).then_some(self),
        }
    }
}

/// The changes of transactions that are not committed yet.
#[derive(Debug, Default)]
pub struct Changes {
    pub rights: bool,
    pub pulls: Scopes<SLOTS>,
    pub content: Scopes<SLOTS>,
    pub kinds: [KindChanges; ContentKind::COUNT],
}

/// The changes of one kind of content.
#[derive(Debug, Default)]
pub struct KindChanges {
    pub all: Scopes<KIND_SLOTS>,
    /// Of those, the changes that may be of any row.
    pub of_any_row: Scopes<KIND_SLOTS>,
    /// The counters of rows that have changed.
    pub rows: Vec<usize>,
}

#[derive(Debug, Default)]
pub struct Scopes<const SLOTS: usize> {
    pub everything: bool,
    pub slots: Vec<usize>,
}

impl Changes {
    /// Adds what one statement changes.
    pub fn add(&mut self, effect: Effect, scope: InvalidationScope) {
        match effect {
            Effect::Rights | Effect::TakesNoRight => self.rights = true,
            Effect::Pulls => {
                self.pulls.add(scope);
                self.add_all_kinds(scope);
            }
            Effect::Content => self.add_all_kinds(scope),
        }
    }

    /// Adds content that one statement changes, of which more is known.
    pub fn add_content(&mut self, scope: InvalidationScope, kinds: ContentKinds, rows: ChangedRows) {
        self.add_kinds(scope, ChangedSlots::of_kinds(scope, kinds, rows));
    }

    /// Adds content, with what has changed of each kind.
    pub fn add_kinds(&mut self, scope: InvalidationScope, kinds: [Option<ChangedSlots>; ContentKind::COUNT]) {
        self.content.add(scope);
        for (changes, slots) in self.kinds.iter_mut().zip(kinds) {
            let Some(slots) = slots else { continue };
            changes.all.add(scope);
            match slots {
                ChangedSlots::None => {}
                ChangedSlots::One(slot) => changes.rows.push(slot),
                ChangedSlots::Any => changes.of_any_row.add(scope),
            }
        }
    }

    fn add_all_kinds(&mut self, scope: InvalidationScope) {
        self.content.add(scope);
        for changes in &mut self.kinds {
            changes.all.add(scope);
            changes.of_any_row.add(scope);
        }
    }

    pub fn affects(&self, dependency: Dependency) -> bool {
        self.rights
            || match dependency {
                Dependency::Rights => false,
                Dependency::Pulls(repo) => self.pulls.contain(InvalidationScope::Repo(repo)),
                Dependency::Content(scope) => self.content.contain(scope),
                Dependency::Kind(repo, kind) => self.kinds[kind as usize].all.contain(InvalidationScope::Repo(repo)),
                Dependency::Row(repo, kind, row) => {
                    let changes = &self.kinds[kind as usize];
                    changes.of_any_row.contain(InvalidationScope::Repo(repo))
                        || changes.rows.contains(&row_slot(repo, kind, row))
                }
            }
    }
}

impl<const SLOTS: usize> Scopes<SLOTS> {
    fn add(&mut self, scope: InvalidationScope) {
        match scope.slot(SLOTS) {
            None => self.everything = true,
            Some(slot) if !self.slots.contains(&slot) => self.slots.push(slot),
            Some(_) => {}
        }
    }

    fn contain(&self, scope: InvalidationScope) -> bool {
        self.everything || scope.slot(SLOTS).map_or(!self.slots.is_empty(), |slot| self.slots.contains(&slot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_spread_over_the_counters() {
        let slots = |repo, kind| (1..=100).map(move |id| row_slot(RepoId(repo), kind, RowKey::of_id(id)));
        let kinds = ContentKind::ALL.into_iter();
        let all = kinds.flat_map(|kind| (1..=10).flat_map(move |repo| slots(repo, kind)));
        let different: std::collections::HashSet<usize> = all.collect();
        assert!(different.len() > 2000, "{} counters for 3,000 rows", different.len());
        let names = (0..1000).map(|number| RowKey::of_name(&format!("refs/heads/topic/{number}")));
        let different: std::collections::HashSet<usize> =
            names.map(|row| row_slot(RepoId(1), ContentKind::Refs, row)).collect();
        assert!(different.len() > 900, "{} counters for 1,000 names", different.len());
    }
}
