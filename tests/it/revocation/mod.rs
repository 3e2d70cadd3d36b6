//! No write is acknowledged after the right to it was taken away: every writing operation of the table, with every kind
//! of right, while the request waits for the store.
//!
//! A transaction takes the right away and stays open. A request that begins meanwhile still sees the right and is
//! admitted; its own transaction waits, and finds the right gone.

mod fixture;
mod requests;
mod rights;

use std::collections::BTreeSet;

use plinth::api::access::{Action, Row};

use fixture::Fixture;
use rights::{RIGHTS, Right};

fn writing_rows() -> impl Iterator<Item = &'static Row> {
    plinth::api::access::table::TABLE.iter().copied().filter(|row| row.rule.action == Action::Write)
}

/// Tries every operation that the right is good for: refused after the right was taken away, with nothing changed, and
/// carried out when it was given back.
async fn try_all(right: &Right) -> BTreeSet<&'static str> {
    let fixture = Fixture::new(right).await;
    let rows = Fixture::in_order(writing_rows().filter(|row| right.is_for(row)).collect());
    assert!(!rows.is_empty(), "{} is good for something", right.what);
    let before = fixture.counts().await;
    for row in &rows {
        let answer = fixture.send_while_taken(right, row).await;
        let refused = [401, 403, 404].contains(&answer.status);
        assert!(refused, "{} while {}: {}", row.operation, right.what, answer.status);
    }
    assert_eq!(fixture.counts().await, before, "nothing has changed while {}", right.what);
    for row in &rows {
        let answer = fixture.send(row).await;
        assert!((200..300).contains(&answer.status), "{}: {answer}", row.operation);
    }
    rows.iter().map(|row| row.operation).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_write_is_refused_once_its_right_is_taken_away() {
    let mut tried = BTreeSet::new();
    for right in RIGHTS {
        tried.extend(try_all(right).await);
    }
    let untried: Vec<_> = writing_rows().map(|row| row.operation).filter(|name| !tried.contains(name)).collect();
    assert!(untried.is_empty(), "operations that write and are not tried: {untried:?}");
}

/// The clock ends a token without any transaction.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_write_is_refused_once_its_token_has_expired() {
    let right = RIGHTS.iter().find(|right| right.what == rights::TOKEN_ENDS).expect("it is on the list");
    let fixture = Fixture::new(right).await;
    fixture.execute("update token set expires_at = 1772000010 where note = 'caller'").await;
    for row in writing_rows().filter(|row| right.is_for(row)) {
        let answer = fixture.send_while(row, &["update setting set name = name"], |app| app.clock.advance(60)).await;
        assert_eq!(answer.status, 401, "{}", row.operation);
        fixture.service.advance(-60);
        // What a request found expired stays so; this one is to be tried again.
        let seen = fixture.service.app.expired_tokens.list();
        fixture.service.app.expired_tokens.forget(&seen);
    }
}
