//! SQL for events.

use super::model::{About, Event, NewEvent};
use plinth_base::clock::Timestamp;
use plinth_base::ids::EventId;
use plinth_store::{Connection, DbError, RightsFact, Transaction, params};

/// The statements for events about one kind of thing. `$1` is its id and `$2` a pattern with the name of the event.
struct Statements {
    of: &'static str,
    /// Selects a row if there is an active hook that is subscribed to the event.
    is_subscribed: &'static str,
    insert: &'static str,
    /// Both in one, where each statement is a round trip.
    insert_if_subscribed: &'static str,
}

macro_rules! insert {
    ($columns:literal, $from:expr) => {
        concat!(
            "insert into event (name, action, actor_id, data, created_at, subject_id, owner_id, repo_id, installation_id) ",
            "select $3, $4, $5, $6, $7, ",
            $columns,
            $from
        )
    };
}

macro_rules! statements {
    ($of:literal, $columns:literal, $from:literal, $condition:expr) => {
        Statements {
            of: $of,
            is_subscribed: concat!("select cast(1 as bigint)", $from, " and ", $condition),
            insert: insert!($columns, $from),
            insert_if_subscribed: insert!($columns, concat!($from, " and ", $condition)),
        }
    };
}

/// Whether a list of events, as JSON, has the name in the pattern or subscribes to all.
macro_rules! has_event {
    ($events:literal) => {
        concat!("(", $events, " like $2 or ", $events, " like '%\"*\"%')")
    };
}

/// Whether there is such a hook of an organization, or of an app that is installed on the account.
macro_rules! has_hook_of_owner {
    ($owner:literal) => {
        concat!(
            "exists (select 1 from webhook w where w.org_id = ",
            $owner,
            " and w.active and ",
            has_event!("w.events"),
            ") or exists (select 1 from installation i join webhook w on w.app_id = i.app_id where i.account_id = ",
            $owner,
            " and w.active and ",
            has_event!("i.events"),
            ")"
        )
    };
}

const ABOUT_REPO: Statements = statements!(
    "repository",
    "$8, r.owner_id, r.id, null",
    " from repo r where r.id = $1 and not r.deleted",
    concat!(
        "(exists (select 1 from webhook w where w.repo_id = r.id and w.active and ",
        has_event!("w.events"),
        ") or ",
        has_hook_of_owner!("r.owner_id"),
        ")"
    )
);

const ABOUT_ACCOUNT: Statements = statements!(
    "account",
    "$8, a.id, null, null",
    " from account a where a.id = $1",
    concat!("(", has_hook_of_owner!("a.id"), ")")
);

/// An app is sent what happens to its own installations, subscribed or not.
const ABOUT_INSTALLATION: Statements = statements!(
    "installation",
    "coalesce($8, i.app_id), i.account_id, null, i.id",
    " from installation i where i.id = $1",
    "exists (select 1 from webhook w where w.app_id = i.app_id and w.active) and $2 <> ''"
);

/// Inserts an event, if there is an active hook that may receive it and is subscribed to it. Whether it does receive the
/// event is decided when it is dispatched.
pub async fn insert(db: &mut Transaction, new: &NewEvent, now: Timestamp) -> Result<(), DbError> {
    let (statements, id) = match new.about {
        About::Repo(id) => (&ABOUT_REPO, id.0),
        About::Account(id) => (&ABOUT_ACCOUNT, id.0),
        About::Installation(id) => (&ABOUT_INSTALLATION, id.0),
    };
    let pattern = format!("%\"{}\"%", new.name.as_str());
    let sql = if db.caches_facts() {
        let fact = RightsFact { what: new.name.as_str(), of: statements.of, id };
        if !is_subscribed(db, fact, statements.is_subscribed, &pattern).await? {
            return Ok(());
        }
        statements.insert
    } else {
        statements.insert_if_subscribed
    };
    let (action, data) = (new.action, new.data.to_string());
    let values = params![id, pattern, new.name, action, new.actor, data, now, new.subject];
    if db.content_only().execute(sql, values).await? > 0 {
        db.signal_on_commit();
    }
    Ok(())
}

/// Cached, as every change asks this once there is any hook.
async fn is_subscribed(
    db: &mut Transaction,
    fact: RightsFact,
    sql: &'static str,
    pattern: &str,
) -> Result<bool, DbError> {
    if let Some(known) = db.known_fact(&fact) {
        return Ok(known);
    }
    let found = db.optional::<(i64,)>(sql, params![fact.id, pattern]).await?.is_some();
    db.cache_fact(fact, found);
    Ok(found)
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

/// Deletes the oldest events that were recorded before a time, at most `limit`. Ids grow with time, so few rows are read.
pub async fn delete_before(db: &mut Transaction, before: Timestamp, limit: i64) -> Result<u64, DbError> {
    let sql = "delete from event where created_at < $1 and id in (select id from event order by id limit $2)";
    db.content_only().execute(sql, params![before, limit]).await
}
