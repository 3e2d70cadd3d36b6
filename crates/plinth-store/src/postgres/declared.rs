//! What a write transaction has changed, as rows that other nodes read.

use plinth_base::ids::{AccountId, RepoId};

use super::change_detail::Detail;
use crate::content_kinds::ContentKinds;
use crate::effect;
use crate::invalidation::Changes;
use crate::{Effect, InvalidationScope};

const RIGHTS: i64 = -2;
const EVERYTHING: i64 = -1;
/// Rows of one transaction about one scope. With more, one of them says that any row may have changed.
const ROWS_MAX: usize = 32;

/// Inserts rows about the content of scopes, or about rights: a list of numbers, two for each row, which [`add_row`] takes. Returns the
/// number of the transaction.
pub(super) const ADD_CHANGES: &str = "insert into change (scope, pulls, detail) \
    select number >> 1, number & 1 = 1, detail from unnest(cast(string_to_array($1, ',') as bigint[]), \
        cast(string_to_array($2, ',') as bigint[])) as r (number, detail) returning changed_by";
pub(super) const ADD_REVOCATION: &str = "insert into revocation default values";

/// What a write transaction has changed, as far as its statements have declared.
#[derive(Debug, Default)]
pub(super) struct Declared {
    pub revokes: bool,
    rights: bool,
    content: Vec<ContentRow>,
}

#[derive(Debug, Clone, Copy)]
struct ContentRow {
    scope: InvalidationScope,
    pulls: bool,
    detail: Detail,
}

impl Declared {
    /// Adds what a statement of these kinds of content has declared.
    pub fn add(&mut self, declared: effect::Declared, kinds: ContentKinds) {
        let effect::Declared { effect, scope, rows } = declared;
        let detail = match effect {
            Effect::Rights => return self.revokes = true,
            Effect::TakesNoRight => return self.rights = true,
            Effect::Pulls => Detail::Everything,
            Effect::Content => Detail::of(scope, kinds, rows),
        };
        self.add_row(ContentRow { scope, pulls: effect == Effect::Pulls, detail });
    }

    pub fn changes_rights(&self) -> bool {
        self.revokes || self.rights
    }

    pub fn is_empty(&self) -> bool {
        !self.changes_rights() && self.content.is_empty()
    }

    fn add_row(&mut self, added: ContentRow) {
        let of_scope = self.content.iter_mut().filter(|known| known.scope == added.scope);
        for (index, known) in of_scope.enumerate() {
            let both = known.detail.with(added.detail);
            let both = both.or_else(|| (index + 1 == ROWS_MAX).then_some(Detail::Everything));
            if let Some(both) = both {
                (known.pulls, known.detail) = (known.pulls | added.pulls, both);
                return;
            }
        }
        self.content.push(added);
    }

    /// Adds what another member of a batch has declared.
    pub fn append(&mut self, other: Self) {
        self.revokes |= other.revokes;
        self.rights |= other.rights;
        other.content.into_iter().for_each(|row| self.add_row(row));
    }

    /// The values of [`ADD_CHANGES`], if there are rows. A change of rights invalidates everything, so nothing else counts then.
    pub fn rows(&self) -> Option<[String; 2]> {
        let rows: Vec<(i64, Detail)> = match (self.revokes, self.rights) {
            (true, _) => Vec::new(),
            (false, true) => vec![(RIGHTS * 2, Detail::Everything)],
            (false, false) => self.content.iter().map(|row| (row.number(), row.detail)).collect(),
        };
        let list = |number: fn(&(i64, Detail)) -> i64| {
            rows.iter().map(|row| number(row).to_string()).collect::<Vec<_>>().join(",")
        };
        (!rows.is_empty()).then(|| [list(|(number, _)| *number), list(|(_, detail)| detail.number())])
    }

    /// Whose content has changed. Nothing if more than that has.
    pub fn scopes(&self) -> Option<Vec<InvalidationScope>> {
        let scopes = self.content.iter().map(|row| row.scope);
        let scopes = scopes.map(|scope| (scope != InvalidationScope::Everything).then_some(scope));
        if self.changes_rights() { None } else { scopes.collect() }
    }

    /// What has changed of the content of [`Declared::scopes`].
    pub fn changes(&self) -> Changes {
        let mut changes = Changes::default();
        self.content.iter().for_each(|row| row.add_to(&mut changes));
        changes
    }
}

impl ContentRow {
    /// The scope, and whether pull requests have changed.
    fn number(&self) -> i64 {
        let scope = match self.scope {
            InvalidationScope::Everything => EVERYTHING,
            InvalidationScope::Repo(RepoId(id)) => id * 2,
            InvalidationScope::Account(AccountId(id)) => id * 2 + 1,
        };
        scope * 2 + i64::from(self.pulls)
    }

    fn add_to(&self, changes: &mut Changes) {
        match self.detail {
            _ if self.pulls => changes.add(Effect::Pulls, self.scope),
            Detail::Everything => changes.add(Effect::Content, self.scope),
            Detail::Kinds(kinds) => changes.add_kinds(self.scope, kinds),
        }
    }
}

/// The change that a row is about.
pub(super) fn add_row(changes: &mut Changes, number: i64, detail: i64) {
    let (scope, pulls) = (number >> 1, number & 1 == 1);
    let scope = match scope {
        RIGHTS => return changes.add(Effect::TakesNoRight, InvalidationScope::Everything),
        EVERYTHING => InvalidationScope::Everything,
        even if even % 2 == 0 => InvalidationScope::Repo(RepoId(even / 2)),
        odd => InvalidationScope::Account(AccountId(odd / 2)),
    };
    ContentRow { scope, pulls, detail: Detail::from_number(detail) }.add_to(changes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::{ChangedRows, RowKey};
    use crate::{ContentKind, Dependency};

    const REPO: InvalidationScope = InvalidationScope::Repo(RepoId(7));
    const SCOPES: [InvalidationScope; 3] =
        [REPO, InvalidationScope::Account(AccountId(7)), InvalidationScope::Everything];

    /// What other nodes find.
    fn found(declared: &Declared) -> Changes {
        let [scopes, details] = declared.rows().expect("something has changed");
        let numbers =
            |list: String| list.split(',').map(|number| number.parse().expect("a number")).collect::<Vec<_>>();
        let mut changes = Changes::default();
        numbers(scopes)
            .into_iter()
            .zip(numbers(details))
            .for_each(|(scope, detail)| add_row(&mut changes, scope, detail));
        changes
    }

    fn dependencies() -> impl Iterator<Item = Dependency> {
        let of_repo = |repo| {
            let of_kind = move |kind| {
                let row = |id| Dependency::Row(repo, kind, RowKey::of_id(id));
                [Dependency::Kind(repo, kind), row(1), row(2), row(3)]
            };
            let all = [Dependency::Pulls(repo), Dependency::Content(InvalidationScope::Repo(repo))];
            all.into_iter().chain(ContentKind::ALL.into_iter().flat_map(of_kind))
        };
        let contents = SCOPES.map(Dependency::Content).into_iter();
        contents.chain([Dependency::Rights]).chain(of_repo(RepoId(7))).chain(of_repo(RepoId(8)))
    }

    fn one(id: i64) -> ChangedRows {
        ChangedRows::One(RowKey::of_id(id))
    }

    #[test]
    fn rows_say_what_was_declared() {
        let statements = ["git_ref", "repo", "review_comment", "repo update git_ref", "notification"];
        let statements = statements.map(|tables| ContentKinds::by_words(&format!("update {tables}")));
        let content = statements.into_iter().flat_map(|kinds| {
            [ChangedRows::Any, ChangedRows::None, one(1), one(2)].map(|rows| (Effect::Content, kinds, rows))
        });
        let others = [Effect::TakesNoRight, Effect::Pulls];
        let all = content.chain(others.map(|effect| (effect, statements[0], ChangedRows::Any)));
        let all: Vec<_> =
            all.flat_map(|(effect, kinds, rows)| SCOPES.map(|scope| (effect, scope, kinds, rows))).collect();
        // Each alone, and each after each other.
        for first in &all {
            for second in &all {
                let (mut declared, mut expected) = (Declared::default(), Changes::default());
                for (effect, scope, kinds, rows) in [*first, *second] {
                    declared.add(effect::Declared { effect, scope, rows }, kinds);
                    match effect {
                        Effect::Content => expected.add_content(scope, kinds, rows),
                        _ => expected.add(effect, scope),
                    }
                }
                let found = found(&declared);
                for dependency in dependencies() {
                    let affects = (found.affects(dependency), expected.affects(dependency));
                    assert_eq!(affects.0, affects.1, "{first:?} {second:?} {dependency:?}");
                }
            }
        }
    }

    #[test]
    fn transaction_that_changes_many_rows_says_that_any_may_have_changed() {
        let kinds = ContentKinds::by_words("update git_ref");
        let row = |id| Dependency::Row(RepoId(7), ContentKind::Refs, RowKey::of_id(id));
        for rows in [32, 33, 1000] {
            let mut declared = Declared::default();
            for id in 1..=rows {
                declared.add(effect::Declared { effect: Effect::Content, scope: REPO, rows: one(id) }, kinds);
            }
            let [scopes, _] = declared.rows().expect("something has changed");
            assert_eq!(scopes.split(',').count(), ROWS_MAX);
            let found = found(&declared);
            assert!((1..=rows).all(|id| found.affects(row(id))));
            assert_eq!(found.affects(row(2000)), rows > 32);
        }
    }
}
