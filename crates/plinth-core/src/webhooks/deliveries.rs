//! SQL for messages and deliveries as the API shows them. Only deliveries that have been attempted are shown.

use plinth_base::clock::Timestamp;
use plinth_base::ids::{DeliveryId, InstallationId, MessageId, RepoId, WebhookId};
use plinth_store::{Connection, DbError, Transaction, from_row, params};

use super::model::{Delivery, Message, NewDelivery, NewMessage};

/// One delivery in a list.
#[derive(Debug, Clone)]
pub struct DeliverySummary {
    pub id: DeliveryId,
    pub guid: String,
    pub delivered_at: Timestamp,
    pub redelivery: bool,
    pub duration_ms: i64,
    pub status: String,
    pub status_code: i64,
    pub event: String,
    pub action: Option<String>,
    pub installation_id: Option<InstallationId>,
    pub repository_id: Option<RepoId>,
}

from_row!(DeliverySummary {
    id,
    guid,
    delivered_at,
    redelivery,
    duration_ms,
    status,
    status_code,
    event,
    action,
    installation_id,
    repository_id,
});

/// Which deliveries a list shows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter {
    pub redelivery: Option<bool>,
    pub outcome: Option<Outcome>,
}

/// How a delivery ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// A status below 400.
    Success,
    Failure,
}

impl Filter {
    /// Two ranges of statuses that are shown. No response counts as status 0.
    fn statuses(self) -> [i64; 4] {
        match self.outcome {
            None => [0, i64::MAX, 0, 0],
            Some(Outcome::Success) => [200, 399, 200, 399],
            Some(Outcome::Failure) => [0, 199, 400, i64::MAX],
        }
    }
}

/// The deliveries to a hook from `start` on, newest first.
pub async fn list(
    db: &mut Connection,
    hook: WebhookId,
    start: DeliveryId,
    filter: Filter,
    limit: i64,
) -> Result<Vec<DeliverySummary>, DbError> {
    let sql = "select d.id, m.guid, d.delivered_at, d.redelivery, coalesce(d.duration_ms, 0), coalesce(d.status, ''), \
               coalesce(d.status_code, 0), m.event, m.action, m.installation_id, m.repo_id \
               from webhook_delivery d join webhook_message m on m.id = d.message_id \
               where d.webhook_id = $1 and d.id <= $2 and d.delivered_at is not null \
               and d.redelivery = coalesce($3, d.redelivery) \
               and (coalesce(d.status_code, 0) between $4 and $5 or coalesce(d.status_code, 0) between $6 and $7) \
               order by d.id desc limit $8";
    let [low, high, other_low, other_high] = filter.statuses();
    db.all(sql, params![hook, start, filter.redelivery, low, high, other_low, other_high, limit]).await
}

/// The ids of the deliveries before those that [`list`] returns from `start` on, nearest first.
pub async fn list_newer(
    db: &mut Connection,
    hook: WebhookId,
    start: DeliveryId,
    filter: Filter,
    limit: i64,
) -> Result<Vec<DeliveryId>, DbError> {
    let sql = "select d.id from webhook_delivery d where d.webhook_id = $1 and d.id > $2 and d.delivered_at is not null \
               and d.redelivery = coalesce($3, d.redelivery) \
               and (coalesce(d.status_code, 0) between $4 and $5 or coalesce(d.status_code, 0) between $6 and $7) \
               order by d.id limit $8";
    let [low, high, other_low, other_high] = filter.statuses();
    let values = params![hook, start, filter.redelivery, low, high, other_low, other_high, limit];
    Ok(db.all::<(DeliveryId,)>(sql, values).await?.into_iter().map(|(id,)| id).collect())
}

/// A delivery to this hook.
pub async fn find(db: &mut Connection, hook: WebhookId, id: DeliveryId) -> Result<Option<Delivery>, DbError> {
    let sql = "select id, message_id, webhook_id, redelivery, attempt, due_at, claimed_until, delivered_at, duration_ms, \
               status, status_code, request_headers, response_headers, response_body from webhook_delivery \
               where webhook_id = $1 and id = $2 and delivered_at is not null";
    db.optional(sql, params![hook, id]).await
}

pub async fn find_message(db: &mut Connection, id: MessageId) -> Result<Option<Message>, DbError> {
    let sql = "select id, webhook_id, guid, event, action, repo_id, installation_id, payload, created_at \
               from webhook_message where id = $1";
    db.optional(sql, params![id]).await
}

pub async fn insert_message(db: &mut Transaction, new: &NewMessage, now: Timestamp) -> Result<MessageId, DbError> {
    let sql = "insert into webhook_message \
               (webhook_id, guid, event, action, repo_id, installation_id, payload, created_at) \
               values ($1, $2, $3, $4, $5, $6, $7, $8) returning id";
    let values = params![new.webhook, new.guid, new.event, new.action, new.repo, new.installation, new.payload, now];
    let (id,) = db.content_only().insert::<(MessageId,)>(sql, values).await?;
    Ok(id)
}

pub async fn insert_delivery(db: &mut Transaction, new: &NewDelivery) -> Result<DeliveryId, DbError> {
    db.signal_on_commit();
    let sql = "insert into webhook_delivery (message_id, webhook_id, redelivery, attempt, due_at) \
               values ($1, $2, $3, $4, $5) returning id";
    let values = params![new.message, new.webhook, new.redelivery, new.attempt, new.due_at];
    let (id,) = db.content_only().insert::<(DeliveryId,)>(sql, values).await?;
    Ok(id)
}

/// Deletes at most `rows_max` deliveries to a hook, and returns how many.
pub async fn delete_some(db: &mut Transaction, hook: WebhookId, rows_max: i64) -> Result<u64, DbError> {
    let sql = "delete from webhook_delivery where id in \
               (select id from webhook_delivery where webhook_id = $1 order by id limit $2)";
    db.content_only().execute(sql, params![hook, rows_max]).await
}

/// Deletes at most `rows_max` messages of a hook that has no deliveries any more, and returns how many. A payload may have
/// megabytes, so rows are deleted until they have 8 MiB.
pub async fn delete_some_messages(db: &mut Transaction, hook: WebhookId, rows_max: i64) -> Result<u64, DbError> {
    let sql = "delete from webhook_message where id in \
               (select id from (select id, sum(size) over (order by id) - size as size_before \
               from (select id, length(payload) as size from webhook_message where webhook_id = $1 order by id limit $2) m) s \
               where size_before < 8388608)";
    db.content_only().execute(sql, params![hook, rows_max]).await
}
