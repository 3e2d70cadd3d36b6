//! What the store holds, told by numbers that move when it changes.

/// As long as a number stays the same, so does what it stands for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Generations {
    /// Everything.
    pub changes: u64,
    /// Whatever decides who may do what: accounts, tokens, installations, memberships, and what repositories are
    /// called and whom they are shown to. What is new and unknown so far does not count, since nothing was decided on it.
    pub rights: u64,
    /// Where pull requests stand, and who has contributed to a repository. It moves with the rights, too.
    pub pulls: u64,
}

/// What else a statement may change, besides everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum InvalidationScope {
    Nothing,
    Pulls,
    Rights,
}

/// Tables in which no right is kept. Every other change counts, so that a table that is forgotten here costs time only.
const WITHOUT_RIGHTS: &[(&str, InvalidationScope)] = &[
    ("git_ref", InvalidationScope::Nothing),
    ("git_object", InvalidationScope::Nothing),
    ("pull", InvalidationScope::Pulls),
    ("pull_version", InvalidationScope::Pulls),
    ("review", InvalidationScope::Nothing),
    ("review_thread", InvalidationScope::Nothing),
    ("review_thread_place", InvalidationScope::Nothing),
    ("review_comment", InvalidationScope::Nothing),
    ("contributor", InvalidationScope::Pulls),
    ("notification", InvalidationScope::Nothing),
    ("device_code", InvalidationScope::Nothing),
];
/// Columns that move with every change of references and with every comment, and concern nobody.
const COUNTERS: &[&str] = &["update repo set ref_generation", "update pull set review_comments"];

impl InvalidationScope {
    pub fn of(sql: &str) -> Self {
        if sql.starts_with("select") || COUNTERS.iter().any(|counter| sql.starts_with(counter)) {
            return InvalidationScope::Nothing;
        }
        let verbs = ["insert into ", "update ", "delete from "];
        let rest = verbs.iter().find_map(|verb| sql.strip_prefix(verb));
        let table = rest.and_then(|rest| rest.split(' ').next());
        let known = WITHOUT_RIGHTS.iter().find(|(name, _)| Some(*name) == table);
        known.map_or(InvalidationScope::Rights, |(_, concern)| *concern)
    }
}

/// Tables and columns that count as rights above, though no right is ever taken away by changing them.
const NEVER_TAKING: &[&str] = &[
    "insert into setting ",
    "insert into installation_repo ",
    "insert into app_key ",
    "insert into issue_field_set ",
    "insert into project_field_option ",
    "insert into project_field_iteration ",
    "update issue_field ",
    "update issue_field_option ",
    "update project_field ",
    "update project set generation ",
    "update project set has_iterations ",
    "update repo set default_branch ",
    "update installation set updated_at ",
    "delete from issue_field ",
    "delete from issue_field_option ",
];

/// Whether a statement may take a right away from somebody: all that may change rights, except rows that are new.
pub fn may_take_rights(sql: &str) -> bool {
    let is_new_row = sql.starts_with("insert into ") && !sql.contains("on conflict");
    InvalidationScope::of(sql) == InvalidationScope::Rights
        && !is_new_row
        && !NEVER_TAKING.iter().any(|known| sql.starts_with(known))
}

impl Generations {
    /// Moves what a statement may have changed, but not yet everything: that moves when it is committed.
    pub fn note(&mut self, concern: InvalidationScope) {
        self.rights += u64::from(concern == InvalidationScope::Rights);
        self.pulls += u64::from(concern >= InvalidationScope::Pulls);
    }
}

#[cfg(test)]
mod tests {
    use super::{Generations, InvalidationScope, may_take_rights};

    #[test]
    fn only_what_is_known_to_hold_no_rights_is_left_out() {
        for sql in [
            "select id from token",
            "insert into git_ref (repo_id) values ($1)",
            "update review_comment set body = $2 where id = $1",
            "delete from git_object where repo_id = $1",
            "update repo set ref_generation = ref_generation + 1, pushed_at = $2 where id = $1",
            "update pull set review_comments = review_comments + $2, updated_at = $3 where id = $1",
        ] {
            assert_eq!(InvalidationScope::of(sql), InvalidationScope::Nothing, "{sql}");
        }
        for sql in [
            "insert into pull_version (pull_id) values ($1)",
            "update pull set version = $2 where id = $1",
            "update pull_version set merge_base = $3 where pull_id = $1 and number = $2",
            "insert into contributor (repo_id, email) values ($1, $2) on conflict do nothing",
        ] {
            assert_eq!(InvalidationScope::of(sql), InvalidationScope::Pulls, "{sql}");
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
            assert_eq!(InvalidationScope::of(sql), InvalidationScope::Rights, "{sql}");
        }
    }

    #[test]
    fn what_may_take_a_right_away_is_told_by_its_statement() {
        for sql in [
            "update token set ended_at = $2 where id = $1",
            "delete from membership where org_id = $1 and user_id = $2",
            "delete from repo where id = $1",
            "update installation set repository_selection = $2, updated_at = $3 where id = $1",
            "insert into membership (org_id, user_id, role) values ($1, $2, $3) on conflict (org_id, user_id) do update",
            "update something_new set a = $1",
        ] {
            assert!(may_take_rights(sql), "{sql}");
        }
        for sql in [
            "select id from token",
            "insert into token (hash) values ($1)",
            "insert into git_ref (repo_id) values ($1) on conflict do nothing",
            "insert into installation_repo (installation_id, repo_id) values ($1, $2) on conflict do nothing",
            "update project set generation = generation + 1, updated_at = $2 where id = $1",
            "update repo set ref_generation = ref_generation + 1, pushed_at = $2 where id = $1",
        ] {
            assert!(!may_take_rights(sql), "{sql}");
        }
    }

    #[test]
    fn what_moves_rights_moves_pull_requests_too() {
        let mut state = Generations::default();
        for (concern, rights, pulls) in
            [(InvalidationScope::Nothing, 0, 0), (InvalidationScope::Pulls, 0, 1), (InvalidationScope::Rights, 1, 2)]
        {
            state.note(concern);
            assert_eq!((state.rights, state.pulls), (rights, pulls));
        }
    }
}
