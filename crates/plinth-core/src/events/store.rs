//! SQL for events.

use super::model::{About, Event, NewEvent};
use plinth_base::clock::Timestamp;
use plinth_base::ids::EventId;
use plinth_store::{Connection, DbError, RightsFact, Transaction, params};

/// The statements for events about one kind of thing. `$1` is its id; in those with a condition, `$2` is a pattern with the
/// name of the event.
struct Statements {
    of: &'static str,
    /// Selects the account, if there is an active hook that is subscribed to the event.
    find_subscribed: &'static str,
    /// With the account, `$8`, which the statement above has found.
    insert: &'static str,
    /// Both in one, where each statement is a round trip.
    insert_if_subscribed: &'static str,
}

macro_rules! insert {
    ($($part:expr),*) => {
        concat!(
            "insert into event (name, action, actor_id, data, created_at, subject_id, owner_id, repo_id, installation_id) ",
            $($part),*
        )
    };
}

macro_rules! statements {
    ($of:literal, $owner:literal, $columns:literal, $from:literal, $condition:expr, insert: $insert:expr) => {
        Statements {
            of: $of,
            find_subscribed: concat!("select ", $owner, $from, " and ", $condition),
            insert: $insert,
            insert_if_subscribed: insert!("select $3, $4, $5, $6, $7, ", $columns, $from, " and ", $condition),
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
    "r.owner_id",
    "$8, r.owner_id, r.id, null",
    " from repo r where r.id = $1 and not r.deleted",
    concat!(
        "(exists (select 1 from webhook w where w.repo_id = r.id and w.active and ",
        has_event!("w.events"),
        ") or ",
        has_hook_of_owner!("r.owner_id"),
        ")"
    ),
    insert: insert!("values ($2, $3, $4, $5, $6, $7, $8, $1, null)")
);

const ABOUT_ACCOUNT: Statements = statements!(
    "account",
    "a.id",
    "$8, a.id, null, null",
    " from account a where a.id = $1",
    concat!("(", has_hook_of_owner!("a.id"), ")"),
    insert: insert!("select $2, $3, $4, $5, $6, $7, $8, null, null where $1 > 0")
);

/// An app is sent what happens to its own installations, subscribed or not.
const ABOUT_INSTALLATION: Statements = statements!(
    "installation",
    "i.account_id",
    "coalesce($8, i.app_id), i.account_id, null, i.id",
    " from installation i where i.id = $1",
    "exists (select 1 from webhook w where w.app_id = i.app_id and w.active) and $2 <> ''",
    insert: insert!("select $2, $3, $4, $5, $6, coalesce($7, i.app_id), $8, null, i.id from installation i where i.id = $1")
);

/// Inserts an event, if there is an active hook that may receive it and is subscribed to it. Whether it does receive the
/// event is decided when it is dispatched.
pub async fn insert(db: &mut Transaction, new: &NewEvent, now: Timestamp) -> Result<(), DbError> {
    let (statements, id) = match new.about {
        About::Repo(id) => (&ABOUT_REPO, id.0),
        About::Account(id) => (&ABOUT_ACCOUNT, id.0),
        About::Installation(id) => (&ABOUT_INSTALLATION, id.0),
    };
    let changed = if db.caches_facts() {
        let Some(owner) = find_subscribed(db, statements, id, new).await? else { return Ok(()) };
        let values = params![id, new.name, new.action, new.actor, new.data, now, new.subject, owner];
        db.content_only().execute(statements.insert, values).await?
    } else {
        let pattern = pattern(new);
        let values = params![id, pattern, new.name, new.action, new.actor, new.data, now, new.subject];
        // Whether it was inserted is not worth a round trip: whoever waits for events is woken for nothing at worst.
        db.content_only().send(statements.insert_if_subscribed, values).await?;
        1
    };
    if changed > 0 {
        db.signal_on_commit();
    }
    Ok(())
}

/// The account of what the event is about, if a hook is subscribed to it. Cached, as every change asks this once there is
/// any hook.
async fn find_subscribed(
    db: &mut Transaction,
    statements: &Statements,
    id: i64,
    new: &NewEvent,
) -> Result<Option<i64>, DbError> {
    let fact = RightsFact { what: new.name.as_str(), of: statements.of, id };
    if let Some(known) = db.known_fact(&fact) {
        return Ok(known);
    }
    let found = db.optional::<(i64,)>(statements.find_subscribed, params![id, pattern(new)]).await?;
    let owner = found.map(|(owner,)| owner);
    db.cache_fact(fact, owner);
    Ok(owner)
}

/// Matches lists of events, as JSON, that have the name of this one.
fn pattern(new: &NewEvent) -> String {
    format!("%\"{}\"%", new.name.as_str())
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
