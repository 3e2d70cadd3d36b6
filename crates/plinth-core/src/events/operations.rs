//! Recording events.

use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_store::Transaction;

use super::model::NewEvent;
use super::store;

/// Whether there is any hook at all. Without one, nothing is recorded, and this costs no statement unless rights have
/// just changed.
pub async fn is_wanted(tx: &mut Transaction) -> Result<bool> {
    Ok(tx.has_webhooks().await?)
}

/// The data of an event, as JSON.
pub fn to_data<T: serde::Serialize>(data: &T) -> String {
    serde_json::to_string(data).expect("the data of events have text keys and no failing parts")
}

/// Records an event in the transaction of the change, if there is a hook that may receive it.
pub async fn record(tx: &mut Transaction, now: Timestamp, event: impl FnOnce() -> NewEvent) -> Result<()> {
    if is_wanted(tx).await? {
        store::insert(tx, &event(), now).await?;
    }
    Ok(())
}
