//! Directory/file conflicts: git cannot store a ref whose name is a directory of another one.

use plinth_base::ids::RepoId;
use plinth_git::RefName;
use plinth_store::{Connection, DbError, params};

/// Parent names per statement.
const PARENTS_PER_STATEMENT: usize = 4;

/// The names that cannot exist together with a ref.
pub(super) struct Relatives<'a> {
    /// Names below this one start with it and a slash.
    pub below: String,
    /// `0` is the character after the slash.
    pub after_below: String,
    /// Every ref name has at least two components, so the first component alone cannot conflict.
    pub parents: Vec<&'a str>,
}

impl<'a> Relatives<'a> {
    pub fn of(name: &'a RefName) -> Self {
        let text = name.as_str();
        let parents = text.match_indices('/').map(|(end, _)| &text[..end]).skip(1).collect();
        Self { below: format!("{text}/"), after_below: format!("{text}0"), parents }
    }
}

pub(super) fn first_parents<'a>(parents: &[&'a str]) -> [Option<&'a str>; PARENTS_PER_STATEMENT] {
    std::array::from_fn(|index| parents.get(index).copied())
}

/// Whether [`send_change`](super::new_refs::send_insert) cannot find every directory/file conflict of a new ref.
pub fn has_many_parents(name: &RefName) -> bool {
    Relatives::of(name).parents.len() > PARENTS_PER_STATEMENT
}

/// A ref whose name is a parent directory of this one, or below it. Git cannot store both.
pub async fn find_directory_file_conflict(
    db: &mut Connection,
    repo: RepoId,
    name: &RefName,
) -> Result<Option<RefName>, DbError> {
    let Relatives { below, after_below, mut parents } = Relatives::of(name);
    let padded = parents.len().next_multiple_of(PARENTS_PER_STATEMENT).max(PARENTS_PER_STATEMENT);
    parents.resize(padded, "");
    for names in parents.chunks_exact(PARENTS_PER_STATEMENT) {
        let sql = "select name from git_ref where repo_id = $1 and name >= $2 and name < $3 \
                   union all select name from git_ref where repo_id = $1 and name = $4 \
                   union all select name from git_ref where repo_id = $1 and name = $5 \
                   union all select name from git_ref where repo_id = $1 and name = $6 \
                   union all select name from git_ref where repo_id = $1 and name = $7 limit 1";
        let values = params![repo, below, after_below, names[0], names[1], names[2], names[3]];
        if let Some((found,)) = db.optional::<(RefName,)>(sql, values).await? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}
