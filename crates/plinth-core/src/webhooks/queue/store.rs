//! SQL for the queue.

use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, AppId, DeliveryId, InstallationId, RepoId, WebhookId};
use plinth_store::{Connection, DbError, Transaction, from_row, params};

use super::model::{Attempt, Claimed, DueHook};
use crate::apps::EventNames;
use crate::tokens::Permissions;

pub async fn find_hook(db: &mut Connection, id: WebhookId) -> Result<Option<WebhookId>, DbError> {
    let found = db.optional::<(WebhookId,)>("select id from webhook where id = $1", params![id]).await?;
    Ok(found.map(|(id,)| id))
}

pub async fn find_active_hook_of_app(db: &mut Connection, app: AppId) -> Result<Option<WebhookId>, DbError> {
    let sql = "select id from webhook where app_id = $1 and active";
    Ok(db.optional::<(WebhookId,)>(sql, params![app]).await?.map(|(id,)| id))
}

/// The active hooks of a repository that is not deleted, and of an organization.
pub async fn list_active_hooks(
    db: &mut Connection,
    repo: Option<RepoId>,
    org: Option<AccountId>,
) -> Result<Vec<(WebhookId, EventNames)>, DbError> {
    let sql = "select w.id, w.events from webhook w join repo r on r.id = w.repo_id and not r.deleted \
               where w.repo_id = $1 and w.active \
               union all select w.id, w.events from webhook w where w.org_id = $2 and w.active";
    db.all(sql, params![repo, org]).await
}

/// An installation whose app has an active hook.
pub struct Installed {
    pub hook: WebhookId,
    pub installation: InstallationId,
    pub permissions: Permissions,
    pub events: EventNames,
    /// Whether it has the repository; true without one.
    pub has_repo: bool,
}

from_row!(Installed { hook, installation, permissions, events, has_repo });

/// The installations on an account that are not suspended.
pub async fn list_active_installations(
    db: &mut Connection,
    account: Option<AccountId>,
    repo: Option<RepoId>,
) -> Result<Vec<Installed>, DbError> {
    let sql = "select w.id, i.id, i.permissions, i.events, \
               (cast($2 as bigint) is null or i.repository_selection = 'all' \
               or exists (select 1 from installation_repo x where x.installation_id = i.id and x.repo_id = $2)) \
               from installation i join webhook w on w.app_id = i.app_id and w.active \
               where i.account_id = $1 and i.suspended_at is null";
    db.all(sql, params![account, repo]).await
}

/// The hooks with pending deliveries after a hook, at most 256, and whether one of them is due. It takes one step in the index for each hook, however many deliveries are pending.
pub async fn list_hooks_with_pending(
    db: &mut Connection,
    after: WebhookId,
    now: Timestamp,
) -> Result<Vec<DueHook>, DbError> {
    let sql = "select h.id, exists (select 1 from webhook_delivery d \
               where d.webhook_id = h.id and d.delivered_at is null and d.due_at <= $2 \
               and (d.claimed_until is null or d.claimed_until <= $2)) from \
               (with recursive pending (id, number) as \
               (select min(webhook_id), 1 from webhook_delivery where delivered_at is null and webhook_id > $1 \
               union all select (select min(d.webhook_id) from webhook_delivery d \
               where d.delivered_at is null and d.webhook_id > pending.id), number + 1 \
               from pending where id is not null and number < 256) \
               select id from pending where id is not null) h order by h.id";
    db.all(sql, params![after, now]).await
}

macro_rules! claim {
    ($lock:literal) => {
        concat!(
            "update webhook_delivery set claimed_until = $3, claim = $4 where id in ",
            "(select id from webhook_delivery where webhook_id = $1 and delivered_at is null and due_at <= $2 ",
            "and (claimed_until is null or claimed_until <= $2) order by due_at, id limit $5",
            $lock,
            ")"
        )
    };
}

/// A claim of the first deliveries of a hook that are due.
pub struct NewClaim {
    pub hook: WebhookId,
    pub now: Timestamp,
    pub until: Timestamp,
    pub number: i64,
    pub limit: i64,
}

/// Claims deliveries, and counts them. Those that another node claims at this moment are skipped.
pub async fn claim(db: &mut Transaction, new: &NewClaim) -> Result<u64, DbError> {
    let sql = if db.can_wait_for_locks() { claim!(" for update skip locked") } else { claim!("") };
    let values = params![new.hook, new.now, new.until, new.number, new.limit];
    db.content_only().execute(sql, values).await
}

/// What a claim has claimed, in the order in which it is sent.
pub async fn list_claimed(db: &mut Connection, new: &NewClaim, count: i64) -> Result<Vec<Claimed>, DbError> {
    let sql = "select d.id, d.message_id, d.attempt, d.redelivery, m.repo_id \
               from webhook_delivery d join webhook_message m on m.id = d.message_id \
               where d.webhook_id = $1 and d.delivered_at is null and d.due_at <= $2 and d.claim = $3 \
               order by d.due_at, d.id limit $4";
    db.all(sql, params![new.hook, new.now, new.number, count]).await
}

/// Ends a claim before its time, so that the delivery is sent at once.
pub async fn release(db: &mut Transaction, delivery: DeliveryId) -> Result<u64, DbError> {
    let sql = "update webhook_delivery set claimed_until = null, claim = null where id = $1 and delivered_at is null";
    db.content_only().execute(sql, params![delivery]).await
}

/// Ends all claims.
pub async fn release_all(db: &mut Transaction) -> Result<u64, DbError> {
    let sql = "update webhook_delivery set claimed_until = null, claim = null \
               where delivered_at is null and claimed_until is not null";
    db.content_only().execute(sql, &[]).await
}

/// Stores the result of an attempt, unless another node was faster or the hook is gone.
pub async fn finish(db: &mut Transaction, attempt: &Attempt) -> Result<u64, DbError> {
    let sql = "update webhook_delivery set delivered_at = $2, duration_ms = $3, status = $4, status_code = $5, \
               request_headers = $6, response_headers = $7, response_body = $8, claimed_until = null, claim = null \
               where id = $1 and delivered_at is null";
    let values = params![
        attempt.claimed.delivery,
        attempt.delivered_at,
        attempt.duration_ms,
        attempt.status,
        attempt.status_code,
        attempt.request_headers,
        attempt.response_headers,
        attempt.response_body
    ];
    db.content_only().execute(sql, values).await
}

/// Deletes messages with their deliveries, at most `limit`.
pub async fn delete_messages_before(db: &mut Transaction, before: Timestamp, limit: i64) -> Result<u64, DbError> {
    let sql = "delete from webhook_message where id in \
               (select id from webhook_message where created_at < $1 order by created_at limit $2)";
    db.content_only().execute(sql, params![before, limit]).await
}

pub async fn count_pending(db: &mut Connection) -> Result<i64, DbError> {
    let sql = "select count(*) from webhook_delivery where delivered_at is null";
    Ok(db.one::<(i64,)>(sql, &[]).await?.0)
}

pub async fn count_due(db: &mut Connection, now: Timestamp) -> Result<i64, DbError> {
    let sql = "select (select count(*) from event) + \
               (select count(*) from webhook_delivery where delivered_at is null and due_at <= $1)";
    Ok(db.one::<(i64,)>(sql, params![now]).await?.0)
}

/// What an installation allows now, and whether it has the repository; true without one. Nothing if it is gone or suspended.
pub async fn find_active_installation(
    db: &mut Connection,
    id: InstallationId,
    repo: Option<RepoId>,
) -> Result<Option<(Permissions, bool)>, DbError> {
    let sql = "select i.permissions, (cast($2 as bigint) is null or i.repository_selection = 'all' \
               or exists (select 1 from installation_repo x where x.installation_id = i.id and x.repo_id = $2)) \
               from installation i where i.id = $1 and i.suspended_at is null";
    db.optional(sql, params![id, repo]).await
}
