//! No write is acknowledged after the caller's right was revoked: every writing operation of the policy table, with every
//! kind of right, while the request waits for the store.
//!
//! A transaction revokes the right and stays open. A request that arrives meanwhile still sees the right and is admitted;
//! its own transaction waits and then finds the right revoked.

mod fixture;
mod hooks;
mod requests;
mod rights;
mod tables;

use fixture::Fixture;
use rights::{Caller, RIGHTS};

use plinth_api::policy::Row;
use plinth_core::access::Action;

fn writing_rows() -> impl Iterator<Item = &'static Row> {
    plinth_api::policy::table::TABLE.iter().copied().filter(|row| row.rule.action == Action::Write)
}

/// Tries every operation with every right of a caller: rejected after the right was revoked, with nothing changed, and
/// executed at the end, when all rights are restored.
async fn try_all(caller: Caller) {
    let fixture = Fixture::new(caller).await;
    let before = fixture.counts().await;
    let mut tried = Vec::new();
    for right in RIGHTS.iter().filter(|right| right.caller == caller) {
        for row in writing_rows().filter(|row| right.is_for(row)) {
            let response = fixture.send_while_taken(right, row).await;
            let rejected = [401, 403, 404].contains(&response.status);
            assert!(rejected, "{} while {}: {}", row.operation, right.what, response.status);
            tried.push(row);
        }
        assert_eq!(fixture.counts().await, before, "nothing has changed while {}", right.what);
    }
    for row in requests::in_order(tried) {
        let response = fixture.send(row).await;
        assert!((200..300).contains(&response.status), "{}: {response}", row.operation);
    }
}

macro_rules! callers {
    ($($name:ident: $caller:ident;)*) => {$(
        #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
        async fn $name() {
            try_all(Caller::$caller).await;
        }
    )*};
}

callers! {
    org_admin_writes_fail_after_right_is_revoked: OrgAdmin;
    collaborator_writes_fail_after_right_is_revoked: Collaborator;
    fine_grained_token_writes_fail_after_right_is_revoked: FineGrained;
    app_user_token_writes_fail_after_right_is_revoked: AppUser;
    installation_token_writes_fail_after_right_is_revoked: Installation;
    app_writes_fail_after_key_is_removed: App;
}

#[test]
fn revocation_requests_cover_every_writing_operation() {
    let tried = |row: &&Row| RIGHTS.iter().any(|right| right.is_for(row));
    let untried: Vec<_> = writing_rows().filter(|row| !tried(row)).map(|row| row.operation).collect();
    assert!(untried.is_empty(), "operations that write and are not tried: {untried:?}");
}

/// A token expires by the clock, without a transaction.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn write_fails_after_token_expires() {
    let right = RIGHTS.iter().find(|right| right.what == rights::TOKEN_ENDS).expect("it is on the list");
    let fixture = Fixture::new(right.caller).await;
    fixture.execute("update token set expires_at = 1772000010 where note = 'caller'").await;
    for row in writing_rows().filter(|row| right.is_for(row)) {
        let response = fixture.send_while(row, &["update setting set name = name"], |app| app.clock.advance(60)).await;
        assert_eq!(response.status, 401, "{}", row.operation);
        fixture.service.advance(-60);
        // The service caches expired tokens; the next operation needs this one again.
        let seen = fixture.service.app.expired_tokens.list();
        fixture.service.app.expired_tokens.remove(&seen);
    }
}
