//! The insert of a ref, unless it or one that git cannot store together with it exists.

use super::Target;
use super::dependencies::row_key;
use super::directory_conflicts::{Relatives, first_parents};
use plinth_base::ids::RepoId;
use plinth_git::RefName;
use plinth_store::{DbError, RowStatement, SentCount, Transaction, lists, params};

/// Where a ref can be created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewRefs {
    /// In any repository.
    Anywhere,
    /// In a repository that has a branch.
    WithBranches,
}

/// Whether a ref can be inserted. `$end` ends each subquery. Each parent has its own: with a list of names, PostgreSQL may read all
/// refs of the repository.
macro_rules! can_insert {
    ($end:literal, $repo:literal, [$below:literal, $after:literal], $anywhere:literal, [$($parent:literal),+]) => {
        concat!(
            "not exists (select 1 from git_ref g where g.repo_id = ",
            $repo,
            " and g.name >= ",
            $below,
            " and g.name < ",
            $after,
            $end,
            ") and (",
            $anywhere,
            " or exists (select 1 from git_ref g where g.repo_id = ",
            $repo,
            " and g.name >= 'refs/heads/' and g.name < 'refs/heads0'",
            $end,
            "))",
            $(
                " and not exists (select 1 from git_ref g where g.repo_id = ", $repo, " and g.name = ", $parent, $end, ")"
            ),+
        )
    };
}

macro_rules! insert_one {
    ($($parent:literal),+) => {
        concat!(
            "insert into git_ref (repo_id, name, target, kind) select $1, $2, $3, $4 where ",
            can_insert!("", "$1", ["$5", "$6"], "$7", [$($parent),+]),
            " on conflict do nothing"
        )
    };
}

const INSERT_BELOW_ONE: &str = insert_one!("$8");
const INSERT: &str = insert_one!("$8", "$9", "$10", "$11");

/// For PostgreSQL. `offset 0` makes it look up each row in the index, whatever it thinks of the number of refs.
const INSERT_ROWS: &str = concat!(
    "with n as (select * from unnest(",
    lists!(
        "$1": "bigint", "$2": "text", "$3": "bytea", "$4": "text", "$5": "text", "$6": "text", "$7": "boolean",
        "$8": "text", "$9": "text", "$10": "text", "$11": "text"
    ),
    ") with ordinality as i (repo_id, name, target, kind, below, after_below, \
     anywhere, parent, parent_2, parent_3, parent_4, row_number)), \
     made as (insert into git_ref (repo_id, name, target, kind) select n.repo_id, n.name, n.target, n.kind \
     from n where ",
    can_insert!(
        " offset 0",
        "n.repo_id",
        ["n.below", "n.after_below"],
        "n.anywhere",
        ["n.parent", "n.parent_2", "n.parent_3", "n.parent_4"]
    ),
    " on conflict do nothing returning repo_id, name) \
     select n.row_number from n join made on made.repo_id = n.repo_id and made.name = n.name"
);

/// Changes one row if the ref is inserted.
pub async fn send_insert(
    db: &mut Transaction,
    repo: RepoId,
    (name, new): (&RefName, Target),
    allowed: NewRefs,
) -> Result<SentCount, DbError> {
    let Relatives { below, after_below, parents } = Relatives::of(name);
    let anywhere = allowed == NewRefs::Anywhere;
    let [a, b, c, d] = first_parents(&parents);
    let values = params![repo, name, new.sha, new.kind, below, after_below, anywhere, a, b, c, d];
    if db.sends_together() {
        let row = RowStatement { sql: INSERT_ROWS, key: Some(format!("{repo}/{name}")), params: values };
        return db.content_only().changes_row(row_key(name)).send_change_of_row(row).await;
    }
    let insert = db.content_only().changes_row(row_key(name)).without_deferred();
    match parents.len() {
        0 | 1 => insert.send(INSERT_BELOW_ONE, &values[..8]).await,
        _ => insert.send(INSERT, values).await,
    }
}
