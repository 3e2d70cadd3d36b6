//! What the store holds, told by numbers that move when it changes.

/// As long as a number stays the same, so does what it stands for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct State {
    /// Everything.
    pub changes: u64,
    /// Whatever decides who may do what: accounts, tokens, installations, memberships, and what repositories are
    /// called and whom they are shown to. What is new and unknown so far does not count, since nothing was decided on it.
    pub rights: u64,
}

/// Tables in which no right is kept. Every other change counts, so that a table that is forgotten here costs time only.
const WITHOUT_RIGHTS: &[&str] = &[
    "git_ref",
    "git_object",
    "pull",
    "pull_version",
    "review",
    "review_thread",
    "review_thread_place",
    "review_comment",
    "contributor",
    "notification",
    "device_code",
];
/// Moves with every change of references, and concerns nobody's rights.
const REFS_CHANGED: &str = "update repo set ref_generation";

/// Whether a statement may change what somebody may do.
pub fn concerns_rights(sql: &str) -> bool {
    if sql.starts_with("select") || sql.starts_with(REFS_CHANGED) {
        return false;
    }
    let verbs = ["insert into ", "update ", "delete from "];
    let rest = verbs.iter().find_map(|verb| sql.strip_prefix(verb));
    let table = rest.and_then(|rest| rest.split(' ').next());
    table.is_none_or(|table| !WITHOUT_RIGHTS.contains(&table))
}

#[cfg(test)]
mod tests {
    use super::concerns_rights;

    #[test]
    fn only_what_is_known_to_hold_no_rights_is_left_out() {
        for sql in [
            "select id from token",
            "insert into git_ref (repo_id) values ($1)",
            "update review_comment set body = $2 where id = $1",
            "delete from git_object where repo_id = $1",
            "update repo set ref_generation = ref_generation + 1, pushed_at = $2 where id = $1",
        ] {
            assert!(!concerns_rights(sql), "{sql}");
        }
        for sql in [
            "update repo set archived = $2 where id = $1",
            "update token set ended_at = $2 where id = $1",
            "delete from collaborator where repo_id = $1",
            "insert into token_repo (token_id, repo_id) values ($1, $2)",
            "insert into git_references (repo_id) values ($1)",
            "with x as (select 1) delete from token",
            "pragma foreign_keys = off",
        ] {
            assert!(concerns_rights(sql), "{sql}");
        }
    }
}
