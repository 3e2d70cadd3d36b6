//! No write is acknowledged after the right to it was taken away: every writing operation of the table, with every kind
//! of right, while the request waits for the store.
//!
//! A transaction takes the right away and stays open. A request that begins meanwhile still sees the right and is
//! admitted; its own transaction waits, and finds the right gone.

mod fixture;
mod requests;
mod rights;

use fixture::Fixture;
use rights::{Caller, RIGHTS};

use plinth_api::policy::Row;
use plinth_core::access::Action;

fn writing_rows() -> impl Iterator<Item = &'static Row> {
    plinth_api::policy::table::TABLE.iter().copied().filter(|row| row.rule.action == Action::Write)
}

/// Tries every operation with every right of a caller: refused after the right was taken away, with nothing changed, and
/// carried out in the end, when all rights were given back.
async fn try_all(caller: Caller) {
    let fixture = Fixture::new(caller).await;
    let before = fixture.counts().await;
    let mut tried = Vec::new();
    for right in RIGHTS.iter().filter(|right| right.caller == caller) {
        for row in writing_rows().filter(|row| right.is_for(row)) {
            let answer = fixture.send_while_taken(right, row).await;
            let refused = [401, 403, 404].contains(&answer.status);
            assert!(refused, "{} while {}: {}", row.operation, right.what, answer.status);
            tried.push(row);
        }
        assert_eq!(fixture.counts().await, before, "nothing has changed while {}", right.what);
    }
    for row in requests::in_order(tried) {
        let answer = fixture.send(row).await;
        assert!((200..300).contains(&answer.status), "{}: {answer}", row.operation);
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
    writes_of_an_org_admin_end_with_the_right: OrgAdmin;
    writes_of_a_collaborator_end_with_the_right: Collaborator;
    writes_of_a_fine_grained_token_end_with_the_right: FineGrained;
    writes_of_an_app_user_token_end_with_the_right: AppUser;
    writes_of_an_installation_token_end_with_the_right: Installation;
    writes_of_an_app_end_with_its_key: App;
}

#[test]
fn every_writing_operation_is_tried() {
    let tried = |row: &&Row| RIGHTS.iter().any(|right| right.is_for(row));
    let untried: Vec<_> = writing_rows().filter(|row| !tried(row)).map(|row| row.operation).collect();
    assert!(untried.is_empty(), "operations that write and are not tried: {untried:?}");
}

/// The clock ends a token without any transaction.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_write_is_refused_once_its_token_has_expired() {
    let right = RIGHTS.iter().find(|right| right.what == rights::TOKEN_ENDS).expect("it is on the list");
    let fixture = Fixture::new(right.caller).await;
    fixture.execute("update token set expires_at = 1772000010 where note = 'caller'").await;
    for row in writing_rows().filter(|row| right.is_for(row)) {
        let answer = fixture.send_while(row, &["update setting set name = name"], |app| app.clock.advance(60)).await;
        assert_eq!(answer.status, 401, "{}", row.operation);
        fixture.service.advance(-60);
        // What a request found expired stays so; this one is to be tried again.
        let seen = fixture.service.app.expired_tokens.list();
        fixture.service.app.expired_tokens.remove(&seen);
    }
}
