//! What a write transaction has changed, as rows that other nodes read.

use plinth_base::ids::{AccountId, RepoId};

use crate::generations::Changes;
use crate::{Effect, InvalidationScope};

const RIGHTS: i64 = -2;
const EVERYTHING: i64 = -1;

/// Inserts a row about the content of a scope, `$1`, or about rights.
pub(super) const ADD_CHANGE: &str = "insert into change (scope, pulls) values ($1, $2)";
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
        match self.content.iter_mut().find(|(known, _)| *known == scope) {
            Some((_, known)) => *known |= pulls,
            None => self.content.push((scope, pulls)),
        }
    }

    /// The values of [`ADD_CHANGE`] for each row. A change of rights invalidates everything, so nothing else counts then.
    pub fn rows(&self) -> Vec<(i64, bool)> {
        match (self.revokes, self.rights) {
            (true, _) => Vec::new(),
            (false, true) => vec![(RIGHTS, false)],
            (false, false) => self.content.clone(),
        }
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
                for (scope, pulls) in declared.rows() {
                    add_row(&mut found, scope * 2 + i64::from(pulls));
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
