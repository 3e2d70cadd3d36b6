//! Kinds of content, and which of them a statement changes.

use std::cell::RefCell;
use std::collections::HashMap;

use super::effect::WriteAction;

/// Kinds of a repository's content that have generations of their own, so that a change of one leaves what was read from the others
/// valid. Which kinds a statement changes follows from the tables and columns that it writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContentKind {
    /// Refs, by name.
    Refs,
    /// The row of the repository itself.
    Repository,
    /// Review comments, with their reviews, threads and counts.
    ReviewComments,
}

impl ContentKind {
    pub const COUNT: usize = 3;
    pub const ALL: [ContentKind; ContentKind::COUNT] =
        [ContentKind::Refs, ContentKind::Repository, ContentKind::ReviewComments];

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A set of kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ContentKinds(u8);

impl ContentKinds {
    /// The kinds that these writes change.
    pub fn of<'a>(actions: impl IntoIterator<Item = &'a WriteAction>) -> Self {
        let kinds = actions.into_iter().filter_map(WriteAction::kind);
        Self(kinds.fold(0, |bits, kind| bits | kind.bit()))
    }

    /// The kinds that a statement changes by its words: those of the tables that it inserts into, updates or deletes from. Of a table
    /// with columns of a kind, it is enough that it names one of them.
    pub fn by_words(sql: &str) -> Self {
        let words = sql.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let is = |index: usize, word: &str| words.get(index).is_some_and(|found| found.eq_ignore_ascii_case(word));
        let is_written = |table: &str| {
            (1..words.len()).filter(|index| is(*index, table)).any(|index| {
                let follows_delete = || index > 1 && is(index - 2, "delete") && is(index - 1, "from");
                is(index - 1, "into") || is(index - 1, "update") || follows_delete()
            })
        };
        let of_tables = KIND_TABLES.iter().filter(|(table, _)| is_written(table)).map(|(_, kind)| *kind);
        let names = |column: &str| (0..words.len()).any(|index| is(index, column));
        let of_columns = KIND_COLUMNS.iter().filter(|((table, column), _)| names(column) && is_written(table));
        let kinds = of_tables.chain(of_columns.map(|(_, kind)| *kind));
        Self(kinds.fold(0, |bits, kind| bits | kind.bit()))
    }

    /// As [`ContentKinds::by_words`], remembered for each statement.
    pub fn written_by(sql: &'static str) -> Self {
        thread_local! {
            /// By the place of the text.
            static KNOWN: RefCell<HashMap<(usize, usize), ContentKinds>> = RefCell::default();
        }
        let key = (sql.as_ptr().addr(), sql.len());
        KNOWN.with_borrow_mut(|known| *known.entry(key).or_insert_with(|| Self::by_words(sql)))
    }

    pub fn contains(self, kind: ContentKind) -> bool {
        self.0 & kind.bit() != 0
    }

    pub fn contains_all(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }
}

/// Tables of a kind of content, and columns of other tables.
const KIND_TABLES: &[(&str, ContentKind)] = &[
    ("git_ref", ContentKind::Refs),
    ("repo", ContentKind::Repository),
    ("review", ContentKind::ReviewComments),
    ("review_comment", ContentKind::ReviewComments),
    ("review_thread", ContentKind::ReviewComments),
    ("review_thread_place", ContentKind::ReviewComments),
];
const KIND_COLUMNS: &[((&str, &str), ContentKind)] = &[
    (("pull", "deleted_review_comments"), ContentKind::ReviewComments),
    (("pull", "review_comments"), ContentKind::ReviewComments),
];

impl WriteAction {
    /// The kind of content that is written to, if it has one.
    pub fn kind(&self) -> Option<ContentKind> {
        let (table, column) = match self {
            WriteAction::Insert { table } | WriteAction::Delete { table } => (table.as_str(), None),
            WriteAction::Update { table, column } => (table.as_str(), Some(column.as_str())),
            WriteAction::Other => return None,
        };
        let of_table = KIND_TABLES.iter().find(|(name, _)| *name == table).map(|(_, kind)| *kind);
        let of_column = || KIND_COLUMNS.iter().find(|(name, _)| Some(*name) == column.map(|column| (table, column)));
        of_table.or_else(|| of_column().map(|(_, kind)| *kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_found_by_the_words_of_a_statement() {
        for (sql, expected) in [
            ("update git_ref set target = $3 where repo_id = $1", vec![ContentKind::Refs]),
            ("DELETE FROM \"git_ref\"", vec![ContentKind::Refs]),
            ("insert into review_comment(id) select id from repo", vec![ContentKind::ReviewComments]),
            (
                "with x as (delete from git_ref returning id) insert into review (id) select id from x",
                vec![ContentKind::Refs, ContentKind::ReviewComments],
            ),
            ("update pull set review_comments=review_comments + $2 where id = $1", vec![ContentKind::ReviewComments]),
            ("update pull set updated_at = $2 where id = $1", vec![]),
            ("update issue set number = (select count(*) from review_comment)", vec![]),
            ("insert into notification (repo_id, git_ref_id) values ($1, $2)", vec![]),
            ("select id from repo for update", vec![]),
            ("repo", vec![]),
        ] {
            let kinds = ContentKinds::by_words(sql);
            let found: Vec<_> = ContentKind::ALL.into_iter().filter(|kind| kinds.contains(*kind)).collect();
            assert_eq!(found, expected, "{sql}");
        }
    }
}
