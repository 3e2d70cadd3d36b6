//! Changes of this node's own transactions, which it records when they are committed, before it reads their rows
//! (docs/decisions/0191-writers-cache-on-postgresql.md).
//!
//! Otherwise nothing that a transaction has written could be cached: its row is read later, maybe together with that of another
//! transaction that has changed the same again.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use super::declared::{Declared, add_row};
use crate::invalidation::{Changes, Dependency};
use crate::{GenerationTable, Generations};

/// With more, nobody has read rows for a while.
const RECORDED_MAX: usize = 1_000;

/// Which transactions of this node are recorded, and their rows not read yet.
#[derive(Default)]
pub(super) struct OwnChanges {
    /// Where rows are read. Transactions of another server have other numbers.
    server: Option<Arc<str>>,
    recorded: HashSet<i64>,
}

/// What one of the writes that share a transaction has changed.
#[derive(Default)]
pub(super) struct MemberChanges {
    pub declared: Declared,
    /// When its statements ran, in a batch.
    pub position: usize,
    /// For who asked as of when it is right.
    pub generations: Option<Arc<OnceLock<Generations>>>,
}

/// A transaction that was committed.
pub(super) struct Committed<'a> {
    pub server: &'a str,
    pub number: i64,
    /// From before its snapshot.
    pub before: Generations,
    /// In the order in which they ran.
    pub members: &'a [MemberChanges],
}

impl OwnChanges {
    /// From now on rows are read from this server. What it had before is not known.
    pub fn begin(&mut self, table: &GenerationTable, server: Arc<str>) {
        *self = Self { server: Some(server), ..Self::default() };
        table.record_unknown();
    }

    /// Records that anything may have changed.
    pub fn record_unknown(&mut self, table: &GenerationTable) {
        self.recorded.clear();
        table.record_unknown();
    }

    /// Records what rows say that were read: a number, a detail and a transaction each.
    pub fn record_rows(&mut self, table: &GenerationTable, rows: &[[i64; 3]]) {
        let mut changes = Changes::default();
        let others = rows.iter().filter(|[_, _, transaction]| !self.recorded.contains(transaction));
        others.for_each(|[number, detail, _]| add_row(&mut changes, *number, *detail));
        table.record(&changes);
        for [_, _, transaction] in rows {
            self.recorded.remove(transaction);
        }
    }

    /// Records a transaction, and lets those who asked know as of when it is right.
    ///
    /// Only if nothing was recorded since before its snapshot that it may not have seen: that would have a smaller number, although it
    /// came later. What is recorded from now on has a greater one.
    pub fn record(&mut self, table: &GenerationTable, committed: &Committed<'_>) {
        let Committed { server, number, before, members } = *committed;
        let scopes = members.iter().map(|member| member.declared.scopes()).collect::<Option<Vec<_>>>();
        let Some(scopes) = scopes else { return };
        let mut scopes = scopes.into_iter().flatten();
        let is_unchanged = scopes.all(|scope| table.is_unchanged(before, Dependency::Content(scope)));
        if self.server.as_deref() != Some(server) || !is_unchanged || self.recorded.len() >= RECORDED_MAX {
            return;
        }
        let each: Vec<Changes> = members.iter().map(|member| member.declared.changes()).collect();
        for (index, member) in members.iter().enumerate() {
            // Of what has changed nothing, the scope is not known.
            if let Some(generations) = &member.generations
                && !member.declared.is_empty()
            {
                let _ = generations.set(table.after(index + 1));
            }
        }
        table.record_each(&each);
        self.recorded.insert(number);
    }
}

#[cfg(test)]
mod tests {
    use plinth_base::ids::{AccountId, RepoId};

    use super::*;
    use crate::content_kinds::ContentKinds;
    use crate::effect::{self, ChangedRows, RowKey};
    use crate::{ContentKind, Effect, InvalidationScope};

    const REPO: InvalidationScope = InvalidationScope::Repo(RepoId(7));
    const OTHER: InvalidationScope = InvalidationScope::Repo(RepoId(8));
    const ACCOUNT: InvalidationScope = InvalidationScope::Account(AccountId(7));
    const SERVER: &str = "primary";

    fn row(id: i64) -> Dependency {
        Dependency::Row(RepoId(7), ContentKind::Refs, RowKey::of_id(id))
    }

    fn declared(effect: Effect, scope: InvalidationScope, id: i64) -> Declared {
        let mut declared = Declared::default();
        let rows = ChangedRows::One(RowKey::of_id(id));
        declared.add(effect::Declared { effect, scope, rows }, ContentKinds::by_words("update git_ref"));
        declared
    }

    /// What other nodes, and this one, find of a transaction.
    fn rows(number: i64, declared: &Declared) -> Vec<[i64; 3]> {
        let [scopes, details] = declared.rows().expect("something has changed");
        let numbers =
            |list: String| list.split(',').map(|number| number.parse().expect("a number")).collect::<Vec<i64>>();
        let pairs = numbers(scopes).into_iter().zip(numbers(details));
        pairs.map(|(scope, detail)| [scope, detail, number]).collect()
    }

    struct Node {
        own: OwnChanges,
        table: GenerationTable,
    }

    impl Node {
        fn new() -> Self {
            let (mut own, table) = (OwnChanges::default(), GenerationTable::default());
            own.begin(&table, SERVER.into());
            Self { own, table }
        }

        fn read(&mut self, number: i64, declared: &Declared) {
            self.own.record_rows(&self.table, &rows(number, declared));
        }

        /// Returns as of when each member is right.
        fn commit(
            &mut self,
            (server, number): (&str, i64),
            before: Generations,
            members: impl IntoIterator<Item = Declared>,
        ) -> Vec<Option<Generations>> {
            let members: Vec<_> = members
                .into_iter()
                .map(|declared| MemberChanges {
                    declared,
                    generations: Some(Arc::default()),
                    ..MemberChanges::default()
                })
                .collect();
            self.own.record(&self.table, &Committed { server, number, before, members: &members });
            members.iter().map(|member| member.generations.as_ref().and_then(|known| known.get().copied())).collect()
        }

        fn commit_one(&mut self, number: i64, before: Generations, declared: Declared) -> Option<Generations> {
            self.commit((SERVER, number), before, [declared])[0]
        }
    }

    #[test]
    fn own_transaction_is_right_until_another_one_changes_the_same() {
        let mut node = Node::new();
        let before = node.table.now();
        let (first, second) = (declared(Effect::Content, REPO, 1), declared(Effect::Content, REPO, 2));
        let known = node.commit_one(100, before, first).expect("nothing else has changed");
        assert!(!node.table.is_unchanged(before, row(1)) && node.table.is_unchanged(known, row(1)));
        node.read(100, &declared(Effect::Content, REPO, 1));
        assert!(node.table.is_unchanged(known, row(1)), "its own rows say nothing new");
        node.read(101, &second);
        assert!(node.table.is_unchanged(known, row(1)) && !node.table.is_unchanged(known, row(2)));
        node.read(102, &declared(Effect::Content, REPO, 1));
        assert!(!node.table.is_unchanged(known, row(1)));
        assert!(node.own.recorded.is_empty());
    }

    #[test]
    fn members_of_a_group_have_numbers_in_their_order() {
        let mut node = Node::new();
        let members = [1, 2, 1].map(|id| declared(Effect::Content, REPO, id));
        let known = node.commit((SERVER, 100), node.table.now(), members);
        let [Some(first), Some(second), Some(third)] = known[..] else { panic!("{known:?}") };
        assert!(first < second && second < third && third == node.table.now());
        assert!(!node.table.is_unchanged(first, row(1)), "a later member has changed it");
        assert!(node.table.is_unchanged(second, row(2)) && node.table.is_unchanged(third, row(1)));
    }

    /// It may not have seen what was recorded meanwhile, so nobody could say which of the two is newer.
    #[test]
    fn nothing_is_known_of_a_transaction_during_which_its_scope_has_changed() {
        let everything = declared(Effect::Content, InvalidationScope::Everything, 1);
        for (other, is_known) in [
            (declared(Effect::Content, REPO, 2), false),
            (declared(Effect::Pulls, REPO, 2), false),
            (declared(Effect::TakesNoRight, OTHER, 1), false),
            (everything, false),
            (declared(Effect::Content, OTHER, 1), true),
            (declared(Effect::Content, ACCOUNT, 1), true),
        ] {
            let mut node = Node::new();
            let before = node.table.now();
            node.read(99, &other);
            let known = node.commit_one(100, before, declared(Effect::Content, REPO, 1));
            assert_eq!(known.is_some(), is_known, "{other:?}");
            // Either it was recorded, or it is when its rows are read.
            let cached = known.unwrap_or(node.table.now());
            node.read(100, &declared(Effect::Content, REPO, 1));
            assert_eq!(node.table.is_unchanged(cached, row(1)), is_known, "{other:?}");
        }
    }

    #[test]
    fn nothing_is_known_of_rights_everything_and_other_servers() {
        let content = |id| declared(Effect::Content, REPO, id);
        let mut node = Node::new();
        for unknown in [
            declared(Effect::TakesNoRight, REPO, 1),
            declared(Effect::Rights, REPO, 1),
            declared(Effect::Content, InvalidationScope::Everything, 1),
        ] {
            let known = node.commit((SERVER, 100), node.table.now(), [content(1), unknown]);
            assert_eq!(known, [None, None]);
        }
        assert_eq!(node.commit(("standby", 100), node.table.now(), [content(1)]), [None]);
        let known = node.commit((SERVER, 99), node.table.now(), [content(1), Declared::default()]);
        assert!(matches!(known[..], [Some(_), None]), "what has changed nothing has no scope: {known:?}");
        node.read(99, &content(1));
        let before = node.table.now();
        node.own.begin(&node.table, "standby".into());
        assert_eq!(node.commit(("standby", 100), before, [content(1)]), [None], "begun before");
        let before = node.table.now();
        node.own.record_unknown(&node.table);
        assert_eq!(node.commit_one(100, before, content(1)), None);
        assert!(node.own.recorded.is_empty());
        assert_eq!(Node { own: OwnChanges::default(), ..Node::new() }.commit_one(1, before, content(1)), None);
    }

    #[test]
    fn numbers_do_not_pile_up_while_nobody_reads_rows() {
        let mut node = Node::new();
        let limit = i64::try_from(RECORDED_MAX).expect("a small number");
        for number in 0..limit + 10 {
            let known = node.commit_one(number, node.table.now(), declared(Effect::Content, REPO, number));
            assert_eq!(known.is_some(), number < limit);
        }
        assert_eq!(node.own.recorded.len(), RECORDED_MAX);
    }
}
