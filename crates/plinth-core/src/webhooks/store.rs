//! SQL for hooks. That of what was sent to them is in `deliveries.rs`.

use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, WebhookId};
use plinth_store::{Connection, DbError, Transaction, params};

use super::model::{Webhook, WebhookOwner, WebhookWithResponse};
use crate::paging::Page;

pub use super::deliveries::{insert_delivery, insert_message};

pub async fn find(db: &mut Connection, id: WebhookId) -> Result<Option<Webhook>, DbError> {
    let sql = "select id, repo_id, org_id, app_id, url, content_type, secret, insecure_ssl, events, active, created_at, \
               updated_at from webhook where id = $1";
    db.optional(sql, params![id]).await
}

/// A hook of this owner.
pub async fn find_of(db: &mut Connection, owner: WebhookOwner, id: WebhookId) -> Result<Option<Webhook>, DbError> {
    Ok(find(db, id).await?.filter(|hook| hook.owner == owner))
}

/// The hook of an app, of which there is at most one.
pub async fn find_of_app(db: &mut Connection, owner: WebhookOwner) -> Result<Option<Webhook>, DbError> {
    let sql = "select id, repo_id, org_id, app_id, url, content_type, secret, insecure_ssl, events, active, created_at, \
               updated_at from webhook where app_id = $1";
    db.optional(sql, params![owner.app()]).await
}

/// All hooks of an owner.
pub async fn list_of(db: &mut Connection, owner: WebhookOwner, limit: i64) -> Result<Vec<Webhook>, DbError> {
    let sql = "select id, repo_id, org_id, app_id, url, content_type, secret, insecure_ssl, events, active, created_at, \
               updated_at from webhook where repo_id = $1 or org_id = $2 or app_id = $3 order by id limit $4";
    db.all(sql, params![owner.repo(), owner.org(), owner.app(), limit]).await
}

/// All hooks of all owners.
pub async fn list_all(db: &mut Connection, limit: i64) -> Result<Vec<Webhook>, DbError> {
    let sql = "select id, repo_id, org_id, app_id, url, content_type, secret, insecure_ssl, events, active, created_at, \
               updated_at from webhook order by id limit $1";
    db.all(sql, params![limit]).await
}

pub async fn count_of(db: &mut Connection, owner: WebhookOwner) -> Result<i64, DbError> {
    let sql = "select count(*) from webhook where repo_id = $1 or org_id = $2 or app_id = $3";
    let (count,) = db.one(sql, params![owner.repo(), owner.org(), owner.app()]).await?;
    Ok(count)
}

/// A page of an owner's hooks with the outcome of the last delivery to each.
pub async fn list_page(
    db: &mut Connection,
    owner: WebhookOwner,
    page: Page,
) -> Result<Vec<WebhookWithResponse>, DbError> {
    let sql = "select w.id, w.repo_id, w.org_id, w.app_id, w.url, w.content_type, w.secret, w.insecure_ssl, w.events, \
               w.active, w.created_at, w.updated_at, d.status, d.status_code from webhook w \
               left join webhook_delivery d on d.id = (select max(l.id) from webhook_delivery l \
               where l.webhook_id = w.id and l.delivered_at is not null) \
               where w.repo_id = $1 or w.org_id = $2 or w.app_id = $3 order by w.id limit $4 offset $5";
    db.all(sql, params![owner.repo(), owner.org(), owner.app(), page.limit(), page.offset()]).await
}

/// A hook of this owner with the outcome of the last delivery to it.
pub async fn find_with_response(
    db: &mut Connection,
    owner: WebhookOwner,
    id: WebhookId,
) -> Result<Option<WebhookWithResponse>, DbError> {
    let sql = "select w.id, w.repo_id, w.org_id, w.app_id, w.url, w.content_type, w.secret, w.insecure_ssl, w.events, \
               w.active, w.created_at, w.updated_at, d.status, d.status_code from webhook w \
               left join webhook_delivery d on d.id = (select max(l.id) from webhook_delivery l \
               where l.webhook_id = w.id and l.delivered_at is not null) where w.id = $1";
    let found = db.optional::<WebhookWithResponse>(sql, params![id]).await?;
    Ok(found.filter(|found| found.hook.owner == owner))
}

/// A hook that has a secret, if there is any.
pub async fn find_any_with_secret(db: &mut Connection) -> Result<Option<Webhook>, DbError> {
    let sql = "select id, repo_id, org_id, app_id, url, content_type, secret, insecure_ssl, events, active, created_at, \
               updated_at from webhook where secret is not null order by id limit 1";
    db.optional(sql, params![]).await
}

/// Inserts a hook and returns its id. Its id in `new` is not used.
pub async fn insert(db: &mut Transaction, new: &Webhook) -> Result<WebhookId, DbError> {
    let sql = "insert into webhook (repo_id, org_id, app_id, url, content_type, secret, insecure_ssl, events, active, \
               created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning id";
    let (repo, org, app) = (new.owner.repo(), new.owner.org(), new.owner.app());
    let events = new.events.to_text();
    let values = params![
        repo,
        org,
        app,
        new.url,
        new.content_type,
        new.secret,
        new.insecure_ssl,
        events,
        new.active,
        new.created_at,
        new.updated_at
    ];
    // Not content: the generation of rights must move, so that writers see that there is a hook now.
    let (id,) = db.insert::<(WebhookId,)>(sql, values).await?;
    Ok(id)
}

/// Updates all columns but the owner.
pub async fn update(db: &mut Transaction, hook: &Webhook) -> Result<(), DbError> {
    let sql = "update webhook set url = $2, content_type = $3, secret = $4, insecure_ssl = $5, events = $6, active = $7, \
               updated_at = $8 where id = $1";
    let events = hook.events.to_text();
    let values = params![
        hook.id,
        hook.url,
        hook.content_type,
        hook.secret,
        hook.insecure_ssl,
        events,
        hook.active,
        hook.updated_at
    ];
    db.execute(sql, values).await?;
    Ok(())
}

/// Deletes a hook; foreign keys delete what is left of its messages and deliveries.
pub async fn delete(db: &mut Transaction, id: WebhookId) -> Result<(), DbError> {
    db.execute("delete from webhook where id = $1", params![id]).await?;
    Ok(())
}

/// Records the event `ping`, which only this hook receives, even if it is not active.
pub async fn insert_ping(
    db: &mut Transaction,
    hook: WebhookId,
    actor: Option<AccountId>,
    now: Timestamp,
) -> Result<(), DbError> {
    db.signal_on_commit();
    let sql = "insert into event (name, repo_id, owner_id, actor_id, subject_id, data, created_at) \
               select 'ping', r.id, coalesce(w.org_id, r.owner_id), $2, w.id, '{}', $3 from webhook w \
               left join repo r on r.id = w.repo_id and not r.deleted where w.id = $1";
    db.content_only().execute(sql, params![hook, actor, now]).await?;
    Ok(())
}
