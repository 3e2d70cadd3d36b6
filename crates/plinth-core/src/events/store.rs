//! SQL for events.

use super::model::{About, Event, EventName, NewEvent};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, EventId, InstallationId, RepoId};
use plinth_store::{Connection, DbError, Transaction, params};

/// Inserts an event, if there is an active hook that may receive it and is subscribed to it. Whether it does receive the
/// event is decided when it is dispatched.
pub async fn insert(db: &mut Transaction, new: &NewEvent, now: Timestamp) -> Result<(), DbError> {
    let inserted = match new.about {
        About::Repo(repo) => insert_about_repo(db, repo, new, now).await?,
        About::Account(account) => insert_about_account(db, account, new, now).await?,
        About::Installation(installation) => insert_about_installation(db, installation, new, now).await?,
    };
    if inserted > 0 {
        db.signal_on_commit();
    }
    Ok(())
}

/// Whether a list of events, as JSON, has the name in the pattern `$8` or subscribes to all.
macro_rules! has_event {
    ($events:literal) => {
        concat!("(", $events, " like $8 or ", $events, " like '%\"*\"%')")
    };
}

fn pattern(name: EventName) -> String {
    format!("%\"{}\"%", name.as_str())
}

async fn insert_about_repo(db: &mut Transaction, repo: RepoId, new: &NewEvent, now: Timestamp) -> Result<u64, DbError> {
    let sql = concat!(
        "insert into event (name, action, repo_id, owner_id, actor_id, subject_id, data, created_at) ",
        "select $1, $2, r.id, r.owner_id, $4, $5, $6, $7 from repo r where r.id = $3 and not r.deleted ",
        "and (exists (select 1 from webhook w where w.repo_id = r.id and w.active and ",
        has_event!("w.events"),
        ") or exists (select 1 from webhook w where w.org_id = r.owner_id and w.active and ",
        has_event!("w.events"),
        ") or exists (select 1 from installation i join webhook w on w.app_id = i.app_id ",
        "where i.account_id = r.owner_id and w.active and ",
        has_event!("i.events"),
        "))"
    );
    let (action, data, pattern) = (new.action, new.data.to_string(), pattern(new.name));
    db.content_only().execute(sql, params![new.name, action, repo, new.actor, new.subject, data, now, pattern]).await
}

async fn insert_about_account(
    db: &mut Transaction,
    account: AccountId,
    new: &NewEvent,
    now: Timestamp,
) -> Result<u64, DbError> {
    let sql = concat!(
        "insert into event (name, action, owner_id, actor_id, subject_id, data, created_at) ",
        "select $1, $2, a.id, $4, $5, $6, $7 from account a where a.id = $3 ",
        "and (exists (select 1 from webhook w where w.org_id = a.id and w.active and ",
        has_event!("w.events"),
        ") or exists (select 1 from installation i join webhook w on w.app_id = i.app_id ",
        "where i.account_id = a.id and w.active and ",
        has_event!("i.events"),
        "))"
    );
    let (action, data, pattern) = (new.action, new.data.to_string(), pattern(new.name));
    db.content_only().execute(sql, params![new.name, action, account, new.actor, new.subject, data, now, pattern]).await
}

async fn insert_about_installation(
    db: &mut Transaction,
    installation: InstallationId,
    new: &NewEvent,
    now: Timestamp,
) -> Result<u64, DbError> {
    let sql = "insert into event (name, action, owner_id, installation_id, actor_id, subject_id, data, created_at) \
               select $1, $2, i.account_id, i.id, $4, i.app_id, $5, $6 from installation i \
               where i.id = $3 and exists (select 1 from webhook w where w.app_id = i.app_id and w.active)";
    let (action, data) = (new.action, new.data.to_string());
    db.content_only().execute(sql, params![new.name, action, installation, new.actor, data, now]).await
}

/// The events that were recorded first, at most `limit`.
pub async fn list_oldest(db: &mut Connection, limit: i64) -> Result<Vec<Event>, DbError> {
    let sql = "select id, name, action, repo_id, owner_id, installation_id, actor_id, subject_id, data, created_at \
               from event order by id limit $1";
    db.all(sql, params![limit]).await
}

/// Deletes an event that was dispatched, and returns how many there were: another node may have been faster.
pub async fn delete(db: &mut Transaction, id: EventId) -> Result<u64, DbError> {
    db.content_only().execute("delete from event where id = $1", params![id]).await
}
