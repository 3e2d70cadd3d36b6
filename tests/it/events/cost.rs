//! What a write costs without hooks.

use std::cell::Cell;

use super::state;
use crate::attacks::support::{METRICS, Victim};

/// The ref is in memory, since it was written or read before. PostgreSQL reads the pull requests of the branch in any case, in the same round trip.
const STATEMENTS_ON_SQLITE: u64 = 3;
const STATEMENTS_ON_POSTGRES: u64 = 5;

#[test]
fn update_ref_without_hooks_runs_no_statement_for_events() {
    let (statements, is_sqlite) = statements_of_update(None);
    assert_eq!(statements, if is_sqlite { STATEMENTS_ON_SQLITE } else { STATEMENTS_ON_POSTGRES });
}

/// On PostgreSQL one statement finds out that there is no subscription.
#[test]
fn update_ref_runs_no_statement_for_a_hook_with_another_event() {
    let (statements, is_sqlite) = statements_of_update(Some("member"));
    assert_eq!(statements, if is_sqlite { STATEMENTS_ON_SQLITE } else { STATEMENTS_ON_POSTGRES + 1 });
}

/// The statements of an update with a hook of the repository for an event, and whether the database is SQLite.
fn statements_of_update(event: Option<&str>) -> (u64, bool) {
    let victim = Victim::start_with(&state().to_string().replace("private_key_file: helper.pem", ""), METRICS);
    if let Some(event) = event {
        let hook = format!(r#"{{"events":["{event}"],"config":{{"url":"https://example.com/hook"}}}}"#);
        assert_eq!(victim.send("ghp_monamona", "POST", "/repos/octo-org/rocket/hooks", &hook).status(), 201);
    }
    let refs = "/repos/octo-org/rocket/git/refs";
    let tip = |branch: &str| {
        let found = victim.get("ghp_monamona", &format!("/repos/octo-org/rocket/git/ref/heads/{branch}"));
        let body: serde_json::Value = serde_json::from_str(found.body()).expect("it is JSON");
        body["object"]["sha"].as_str().expect("a ref has a target").to_owned()
    };
    let tips = [tip("main"), tip("next")];
    let new = format!(r#"{{"ref":"refs/heads/topic","sha":"{}"}}"#, tips[0]);
    assert_eq!(victim.send("ghp_monamona", "POST", refs, &new).status(), 201);
    let turn = Cell::new(0);
    let update = || {
        turn.set(turn.get() + 1);
        let body = format!(r#"{{"sha":"{}","force":true}}"#, tips[turn.get() % 2]);
        let updated = victim.send("ghp_monamona", "PATCH", &format!("{refs}/heads/topic"), &body);
        assert_eq!(updated.status(), 200);
    };
    // After each update, deliveries are looked for. On a busy machine, that falls into most attempts.
    let statements = (0..5).map(|_| victim.statements_of(update)).min().expect("some attempts");
    (statements, victim.database_flags().is_empty())
}
