//! What a statement changes, declared where it is written: see [`Transaction`](super::Transaction).
//!
//! On SQLite every declaration is checked against the tables and columns that the statement writes to, as SQLite reports
//! them when it compiles the statement (`sqlite3_set_authorizer`). A wrong declaration fails the statement.

use super::InvalidationScope;

/// What a statement may change. Each includes what the ones after it change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Who may do what, or anything else. Assumed of every statement that declares nothing.
    Rights,
    /// Anything, but it takes no right away from anybody: a new row, or a column that no decision depends on.
    TakesNoRight,
    /// Versions of pull requests, and who has contributed to a repository.
    Pulls,
    /// Content of the transaction's scope that neither rights nor versions of pull requests depend on.
    Content,
}

/// One write of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteAction {
    Insert {
        table: String,
    },
    Delete {
        table: String,
    },
    Update {
        table: String,
        column: String,
    },
    /// Of the schema, for example.
    Other,
}

/// What a statement has declared.
#[derive(Debug, Clone, Copy)]
pub struct Declared {
    pub effect: Effect,
    pub scope: InvalidationScope,
    pub rows: ChangedRows,
}

/// Which rows of its kinds a statement changes. What is not declared costs cache misses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ChangedRows {
    /// Any.
    #[default]
    Any,
    /// None: it inserts rows, or changes counts.
    None,
    One(RowKey),
}

/// A row of a kind of content, by an id or by the hash of a name. Two rows may share a key: that costs a cache miss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RowKey(pub(crate) u64);

impl RowKey {
    pub fn of_name(name: &str) -> Self {
        // FNV-1a: every node finds the same key, whatever compiled it. Names that share a key on purpose only cost cache misses.
        let hash = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        Self(name.as_bytes().iter().fold(0xcbf2_9ce4_8422_2325, hash))
    }

    pub fn of_id(id: i64) -> Self {
        Self(id.cast_unsigned())
    }
}

/// Tables that have content and nothing else.
const CONTENT_TABLES: &[&str] = &[
    "collection",
    "commit_status",
    "conversation",
    "device_code",
    "event",
    "git_object",
    "git_ref",
    "issue",
    "issue_assignee",
    "issue_comment",
    "issue_field",
    "issue_field_option",
    "issue_field_set",
    "issue_field_value",
    "issue_field_value_option",
    "issue_label",
    "issue_mention",
    "label",
    "notification",
    "pack",
    "project_field",
    "project_field_iteration",
    "project_field_option",
    "project_item",
    "project_item_value",
    "rate_limit_window",
    "release",
    "release_asset",
    "release_asset_chunk",
    "removed_pack",
    "review",
    "review_comment",
    "review_request",
    "review_thread",
    "review_thread_place",
    "web_session",
    "webhook_delivery",
    "webhook_message",
];
/// Content in tables that also have other columns.
const CONTENT_COLUMNS: &[(&str, &str)] = &[
    ("project", "generation"),
    ("project", "has_iterations"),
    ("project", "updated_at"),
    ("pull", "deleted_review_comments"),
    ("pull", "review_comments"),
    ("pull", "updated_at"),
    ("repo", "described_tip"),
    ("repo", "language"),
    ("repo", "languages"),
    ("repo", "license"),
    ("repo", "pushed_at"),
    ("repo", "ref_generation"),
    ("repo", "size"),
];
const PULL_TABLES: &[&str] = &["contributor", "pull", "pull_version"];
/// Columns of other tables whose change takes no right away.
const COLUMNS_WITHOUT_RIGHTS: &[(&str, &str)] =
    &[("installation", "updated_at"), ("repo", "default_branch"), ("repo", "updated_at"), ("setting", "value")];

impl Effect {
    /// Whether a statement that declares this effect may make this write.
    pub fn allows(self, action: &WriteAction) -> bool {
        match self {
            Effect::Rights => true,
            Effect::TakesNoRight => {
                let is_insert = matches!(action, WriteAction::Insert { .. });
                is_insert || action.is_in(&[], COLUMNS_WITHOUT_RIGHTS) || Effect::Pulls.allows(action)
            }
            Effect::Pulls => action.is_in(PULL_TABLES, &[]) || Effect::Content.allows(action),
            Effect::Content => action.is_in(CONTENT_TABLES, CONTENT_COLUMNS),
        }
    }

    /// Whether the statement may take a right away, for which PostgreSQL needs a lock.
    pub fn may_take_rights(self) -> bool {
        self == Effect::Rights
    }
}

impl WriteAction {
    fn is_in(&self, tables: &[&str], columns: &[(&str, &str)]) -> bool {
        match self {
            WriteAction::Insert { table } | WriteAction::Delete { table } => tables.contains(&table.as_str()),
            WriteAction::Update { table, column } => {
                tables.contains(&table.as_str()) || columns.contains(&(table.as_str(), column.as_str()))
            }
            WriteAction::Other => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(table: &str, column: &str) -> WriteAction {
        WriteAction::Update { table: table.into(), column: column.into() }
    }

    #[test]
    fn names_have_the_same_key_in_every_process() {
        // From the reference of FNV-1a.
        assert_eq!(RowKey::of_name(""), RowKey(0xcbf2_9ce4_8422_2325));
        assert_eq!(RowKey::of_name("foobar"), RowKey(0x8594_4171_f739_67e8));
    }

    #[test]
    fn each_effect_allows_its_own_writes_only() {
        let insert = |table: &str| WriteAction::Insert { table: table.into() };
        let delete = |table: &str| WriteAction::Delete { table: table.into() };
        let all = [Effect::Rights, Effect::TakesNoRight, Effect::Pulls, Effect::Content];
        for (action, allowed) in [
            (insert("git_ref"), [true, true, true, true]),
            (delete("review_comment"), [true, true, true, true]),
            (update("repo", "ref_generation"), [true, true, true, true]),
            (update("pull", "version"), [true, true, true, false]),
            (delete("pull"), [true, true, true, false]),
            (insert("token"), [true, true, false, false]),
            (update("repo", "default_branch"), [true, true, false, false]),
            (update("repo", "private"), [true, false, false, false]),
            (update("project", "public"), [true, false, false, false]),
            (delete("membership"), [true, false, false, false]),
            (update("something_new", "ref_generation"), [true, false, false, false]),
            (WriteAction::Other, [true, false, false, false]),
        ] {
            assert_eq!(all.map(|effect| effect.allows(&action)), allowed, "{action:?}");
        }
    }
}
