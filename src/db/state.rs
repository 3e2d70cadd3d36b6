//! What the store holds, told by numbers that move when it changes.

/// As long as a number stays the same, so does what it stands for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct State {
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
pub enum Concern {
    Nothing,
    Pulls,
    Rights,
}

/// Tables in which no right is kept. Every other change counts, so that a table that is forgotten here costs time only.
const WITHOUT_RIGHTS: &[(&str, Concern)] = &[
    ("git_ref", Concern::Nothing),
    ("git_object", Concern::Nothing),
    ("pull", Concern::Pulls),
    ("pull_version", Concern::Pulls),
    ("review", Concern::Nothing),
    ("review_thread", Concern::Nothing),
    ("review_thread_place", Concern::Nothing),
    ("review_comment", Concern::Nothing),
    ("contributor", Concern::Pulls),
    ("notification", Concern::Nothing),
    ("device_code", Concern::Nothing),
];
/// Columns that move with every change of references and with every comment, and concern nobody.
const COUNTERS: &[&str] = &["update repo set ref_generation", "update pull set review_comments"];

impl Concern {
    pub fn of(sql: &str) -> Self {
        if sql.starts_with("select") || COUNTERS.iter().any(|counter| sql.starts_with(counter)) {
            return Concern::Nothing;
        }
        let verbs = ["insert into ", "update ", "delete from "];
        let rest = verbs.iter().find_map(|verb| sql.strip_prefix(verb));
        let table = rest.and_then(|rest| rest.split(' ').next());
        let known = WITHOUT_RIGHTS.iter().find(|(name, _)| Some(*name) == table);
        known.map_or(Concern::Rights, |(_, concern)| *concern)
    }
}

impl State {
    /// Moves what a statement may have changed, but not yet everything: that moves when it is committed.
    pub fn note(&mut self, concern: Concern) {
        self.rights += u64::from(concern == Concern::Rights);
        self.pulls += u64::from(concern >= Concern::Pulls);
    }
}

#[cfg(test)]
mod tests {
    use super::{Concern, State};

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
            assert_eq!(Concern::of(sql), Concern::Nothing, "{sql}");
        }
        for sql in [
            "insert into pull_version (pull_id) values ($1)",
            "update pull set version = $2 where id = $1",
            "update pull_version set merge_base = $3 where pull_id = $1 and number = $2",
            "insert into contributor (repo_id, email) values ($1, $2) on conflict do nothing",
        ] {
            assert_eq!(Concern::of(sql), Concern::Pulls, "{sql}");
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
            assert_eq!(Concern::of(sql), Concern::Rights, "{sql}");
        }
    }

    #[test]
    fn what_moves_rights_moves_pull_requests_too() {
        let mut state = State::default();
        for (concern, rights, pulls) in [(Concern::Nothing, 0, 0), (Concern::Pulls, 0, 1), (Concern::Rights, 1, 2)] {
            state.note(concern);
            assert_eq!((state.rights, state.pulls), (rights, pulls));
        }
    }
}
