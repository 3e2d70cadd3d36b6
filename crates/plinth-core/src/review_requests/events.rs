//! Events of requests to review.

use crate::accounts::Account;
use crate::pulls::events::record_review_request;
use crate::pulls::model::Pull;
use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::AccountId;
use plinth_store::Transaction;

pub async fn record_requested(
    tx: &mut Transaction,
    pull: &Pull,
    reviewer: &Account,
    (actor, now): (Option<AccountId>, Timestamp),
) -> Result<()> {
    record_review_request(tx, ("review_requested", pull), reviewer.summary(), actor, now).await
}

pub async fn record_removed(
    tx: &mut Transaction,
    pull: &Pull,
    reviewer: &Account,
    (actor, now): (Option<AccountId>, Timestamp),
) -> Result<()> {
    record_review_request(tx, ("review_request_removed", pull), reviewer.summary(), actor, now).await
}
