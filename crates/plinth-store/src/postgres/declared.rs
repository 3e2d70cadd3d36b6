//! What a write transaction has changed, as rows that other nodes read.

use plinth_base::ids::{AccountId, RepoId};

use crate::invalidation::Changes;
use crate::{Effect, InvalidationScope};

const RIGHTS: i64 = -2;
const EVERYTHING: i64 = -1;

/// Inserts rows about the content of scopes, or about rights: a list of numbers, which [`add_row`] takes.
pub(super) const ADD_CHANGES: &str = "insert into change (scope, pulls) \
    select row_number >> 1, row_number & 1 = 1 from unnest(cast(string_to_array($1, ',') as bigint[])) row_number";
pub(super) const ADD_REVOCATION: &str = "insert into revocation default values";

/// What a write transaction has changed, as far as its statements have declared.
#[derive(Debug, Default)]
pub(super) struct Declared {
    pub revokes: bool,
    rights: bool,
    content: Vec<(i64, bool)>,
}

impl Declared {
    pub fn add(&mut self, effect: Effect, scope: InvalidationScope) {
        match effect {
            Effect::Rights => self.revokes = true,
            Effect::TakesNoRight => self.rights = true,
            Effect::Pulls => self.add_content(scope, true),
            Effect::Content => self.add_content(scope, false),
        }
    }

    pub fn changes_rights(&self) -> bool {
        self.revokes || self.rights
    }

    pub fn is_empty(&self) -> bool {
        !self.changes_rights() && self.content.is_empty()
    }

    fn add_content(&mut self, scope: InvalidationScope, pulls: bool) {
        let scope = match scope {
            InvalidationScope::Everything => EVERYTHING,
            InvalidationScope::Repo(RepoId(id)) => id * 2,
            InvalidationScope::Account(AccountId(id)) => id * 2 + 1,
        };
        self.add_row(scope, pulls);
    }

    fn add_row(&mut self, scope: i64, pulls: bool) {
        match self.content.iter_mut().find(|(known, _)| *known == scope) {
            Some((_, known)) => *known |= pulls,
            None => self.content.push((scope, pulls)),
        }
    }

    /// Adds what another member of a batch has declared.
    pub fn append(&mut self, other: Self) {
        self.revokes |= other.revokes;
        self.rights |= other.rights;
        other.content.into_iter().for_each(|(scope, pulls)| self.add_row(scope, pulls));
    }

    /// The value of [`ADD_CHANGES`], if there are rows. A change of rights invalidates everything, so nothing else counts then.
    pub fn rows(&self) -> Option<String> {
        let rights = [(RIGHTS, false)];
        let rows: &[(i64, bool)] = match (self.revokes, self.rights) {
            (true, _) => &[],
            (false, true) => &rights,
            (false, false) => &self.content,
        };
        let numbers: Vec<String> =
            rows.iter().map(|(scope, pulls)| (scope * 2 + i64::from(*pulls)).to_string()).collect();
        (!numbers.is_empty()).then(|| numbers.join(","))
    }
}

/// The change that a row is about.
pub(super) fn add_row(changes: &mut Changes, row: i64) {
    let (scope, pulls) = (row >> 1, row & 1 == 1);
    let content = if pulls { Effect::Pulls } else { Effect::Content };
    match scope {
        RIGHTS => changes.add(Effect::TakesNoRight, InvalidationScope::Everything),
        EVERYTHING => changes.add(content, InvalidationScope::Everything),
        even if even % 2 == 0 => changes.add(content, InvalidationScope::Repo(RepoId(even / 2))),
        odd => changes.add(content, InvalidationScope::Account(AccountId(odd / 2))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dependency;

    #[test]
    fn rows_say_what_was_declared() {
        let (repo, account) = (InvalidationScope::Repo(RepoId(7)), InvalidationScope::Account(AccountId(7)));
        let everything = InvalidationScope::Everything;
        let dependencies = [
            Dependency::Rights,
            Dependency::Pulls(RepoId(7)),
            Dependency::Pulls(RepoId(8)),
            Dependency::Content(repo),
            Dependency::Content(account),
            Dependency::Content(everything),
        ];
        for scope in [repo, account, everything] {
            for effect in [Effect::TakesNoRight, Effect::Pulls, Effect::Content] {
                let (mut declared, mut expected, mut found) =
                    (Declared::default(), Changes::default(), Changes::default());
                declared.add(effect, scope);
                expected.add(effect, scope);
                let rows = declared.rows().expect("something has changed");
                for row in rows.split(',') {
                    add_row(&mut found, row.parse().expect("a number"));
                }
                for dependency in dependencies {
                    assert_eq!(
                        found.affects(dependency),
                        expected.affects(dependency),
                        "{effect:?} {scope:?} {dependency:?}"
                    );
                }
            }
        }
    }
}
