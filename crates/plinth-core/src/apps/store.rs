//! SQL for apps, keys and installations.

use super::{App, AppKind, EventNames, Installation, KeyEntry};
use crate::tokens::{Issuer, Permissions, SelectionMode};
use plinth_base::clock::Timestamp;
use plinth_base::error::{Code, Error, Result};
use plinth_base::ids::{AccountId, AppId, InstallationId, RepoId};
use plinth_store::{Connection, DbError, FromRow, Row, Transaction, params};

pub async fn find(db: &mut Connection, id: AppId) -> Result<Option<App>, DbError> {
    let sql = "select id, kind, slug, name, owner_id, bot_id, client_id, permissions, events, created_at, updated_at \
               from app where id = $1";
    db.optional(sql, params![id]).await
}

pub async fn find_by_slug(db: &mut Connection, slug: &str) -> Result<Option<App>, DbError> {
    let sql = "select id, kind, slug, name, owner_id, bot_id, client_id, permissions, events, created_at, updated_at \
               from app where slug = $1";
    db.optional(sql, params![slug]).await
}

pub async fn find_by_client_id(db: &mut Connection, client_id: &str) -> Result<Option<App>, DbError> {
    let sql = "select id, kind, slug, name, owner_id, bot_id, client_id, permissions, events, created_at, updated_at \
               from app where client_id = $1";
    db.optional(sql, params![client_id]).await
}

pub async fn list(db: &mut Connection, limit: i64) -> Result<Vec<App>, DbError> {
    let sql = "select id, kind, slug, name, owner_id, bot_id, client_id, permissions, events, created_at, updated_at \
               from app order by id limit $1";
    db.all(sql, params![limit]).await
}

/// The hash of the client secret, if the app has one.
pub async fn find_client_secret_hash(db: &mut Connection, id: AppId) -> Result<Option<Vec<u8>>, DbError> {
    let sql = "select client_secret_hash from app where id = $1";
    Ok(db.optional::<(Option<Vec<u8>>,)>(sql, params![id]).await?.and_then(|(hash,)| hash))
}

pub async fn update_client_secret(
    db: &mut Transaction,
    id: AppId,
    hash: &[u8; 32],
    now: Timestamp,
) -> Result<(), DbError> {
    let sql = "update app set client_secret_hash = $2, updated_at = $3 where id = $1";
    db.execute(sql, params![id, hash, now]).await?;
    Ok(())
}

/// The app of a JSON web token's issuer, by id or by client id.
pub async fn find_by_issuer(db: &mut Connection, issuer: &Issuer) -> Result<Option<AppId>, DbError> {
    let (number, client_id) = match issuer {
        Issuer::AppId(id) => (Some(*id), None),
        Issuer::ClientId(client_id) => (None, Some(client_id.as_str())),
    };
    let sql = "select id from app where kind = 'app' and (id = $1 or client_id = $2)";
    Ok(db.optional::<(AppId,)>(sql, params![number, client_id]).await?.map(|(id,)| id))
}

/// The columns of a new app.
pub struct NewApp<'a> {
    pub kind: AppKind,
    pub slug: &'a str,
    pub name: &'a str,
    pub owner: AccountId,
    pub bot: AccountId,
    pub client_id: &'a str,
    pub client_secret_hash: Option<[u8; 32]>,
    pub permissions: &'a Permissions,
    pub events: &'a EventNames,
}

pub async fn insert(db: &mut Transaction, new: &NewApp<'_>, now: Timestamp) -> Result<AppId> {
    let sql = "insert into app (slug, name, owner_id, bot_id, client_id, client_secret_hash, permissions, events, \
               created_at, updated_at, kind) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10) returning id";
    let inserted = db
        .insert::<(AppId,)>(
            sql,
            params![
                new.slug,
                new.name,
                new.owner,
                new.bot,
                new.client_id,
                new.client_secret_hash,
                new.permissions.to_text(),
                new.events.to_text(),
                now,
                new.kind
            ],
        )
        .await;
    let (id,) = inserted.map_err(|e| e.on_unique(|| Error::invalid("App", "slug", Code::AlreadyExists)))?;
    Ok(id)
}

pub async fn update_grant(
    db: &mut Transaction,
    id: AppId,
    permissions: &Permissions,
    events: &EventNames,
    now: Timestamp,
) -> Result<(), DbError> {
    let sql = "update app set permissions = $2, events = $3, updated_at = $4 where id = $1";
    db.execute(sql, params![id, permissions.to_text(), events.to_text(), now]).await?;
    Ok(())
}

pub async fn list_keys(db: &mut Connection, app: AppId) -> Result<Vec<Vec<u8>>, DbError> {
    let sql = "select public_key from app_key where app_id = $1 order by id desc";
    Ok(db.all::<(Vec<u8>,)>(sql, params![app]).await?.into_iter().map(|(key,)| key).collect())
}

/// The fingerprints of an app's keys, oldest first.
pub async fn list_key_entries(db: &mut Connection, app: AppId) -> Result<Vec<KeyEntry>, DbError> {
    db.all("select fingerprint, created_at from app_key where app_id = $1 order by id", params![app]).await
}

pub async fn delete_key(db: &mut Transaction, app: AppId, fingerprint: &str) -> Result<u64, DbError> {
    db.execute("delete from app_key where app_id = $1 and fingerprint = $2", params![app, fingerprint]).await
}

/// Deletes all keys but this one.
pub async fn delete_other_keys(db: &mut Transaction, app: AppId, fingerprint: &str) -> Result<u64, DbError> {
    db.execute("delete from app_key where app_id = $1 and fingerprint <> $2", params![app, fingerprint]).await
}

/// Inserts a public key, unless the app has it already.
pub async fn insert_key(
    db: &mut Transaction,
    app: AppId,
    fingerprint: &str,
    public_key: &[u8],
    now: Timestamp,
) -> Result<(), DbError> {
    let sql = "insert into app_key (app_id, fingerprint, public_key, created_at) values ($1, $2, $3, $4) \
               on conflict (app_id, fingerprint) do nothing";
    db.takes_no_right().execute(sql, params![app, fingerprint, public_key, now]).await?;
    Ok(())
}

pub async fn find_installation(db: &mut Connection, id: InstallationId) -> Result<Option<Installation>, DbError> {
    let sql = "select id, app_id, account_id, repository_selection, permissions, events, suspended_at, suspended_by, \
               created_at, updated_at from installation where id = $1";
    db.optional(sql, params![id]).await
}

/// The app's installation on this account.
pub async fn find_installation_on(
    db: &mut Connection,
    app: AppId,
    account: AccountId,
) -> Result<Option<Installation>, DbError> {
    let sql = "select id, app_id, account_id, repository_selection, permissions, events, suspended_at, suspended_by, \
               created_at, updated_at from installation where app_id = $1 and account_id = $2";
    db.optional(sql, params![app, account]).await
}

/// An installation with the slug of its app and the login of its account.
struct Listed(Installation, String, String);

impl FromRow for Listed {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self(Installation::from_row(row)?, row.get(10)?, row.get(11)?))
    }
}

/// All installations, with the slug of the app and the login of the account.
pub async fn list_installations(
    db: &mut Connection,
    limit: i64,
) -> Result<Vec<(Installation, String, String)>, DbError> {
    let sql = "select i.id, i.app_id, i.account_id, i.repository_selection, i.permissions, i.events, i.suspended_at, \
               i.suspended_by, i.created_at, i.updated_at, a.slug, o.login from installation i \
               join app a on a.id = i.app_id join account o on o.id = i.account_id order by i.id limit $1";
    let listed: Vec<Listed> = db.all(sql, params![limit]).await?;
    Ok(listed.into_iter().map(|Listed(installation, slug, login)| (installation, slug, login)).collect())
}

/// The columns of a new installation.
pub struct NewInstallation<'a> {
    pub app: AppId,
    pub account: AccountId,
    pub mode: SelectionMode,
    pub permissions: &'a Permissions,
    pub events: &'a EventNames,
}

pub async fn insert_installation(
    db: &mut Transaction,
    new: &NewInstallation<'_>,
    now: Timestamp,
) -> Result<InstallationId> {
    let sql = "insert into installation (app_id, account_id, repository_selection, permissions, events, created_at, \
               updated_at) values ($1, $2, $3, $4, $5, $6, $6) returning id";
    let inserted = db
        .insert::<(InstallationId,)>(
            sql,
            params![new.app, new.account, new.mode, new.permissions.to_text(), new.events.to_text(), now],
        )
        .await;
    let (id,) = inserted.map_err(|e| e.on_unique(|| Error::invalid("Installation", "account", Code::AlreadyExists)))?;
    Ok(id)
}

pub async fn update_selection(
    db: &mut Transaction,
    id: InstallationId,
    mode: SelectionMode,
    now: Timestamp,
) -> Result<(), DbError> {
    let sql = "update installation set repository_selection = $2, updated_at = $3 where id = $1";
    db.execute(sql, params![id, mode, now]).await?;
    Ok(())
}

/// Updates the time of the last change, after a change in another table.
pub async fn update_installation_time(db: &mut Transaction, id: InstallationId, now: Timestamp) -> Result<(), DbError> {
    db.takes_no_right().execute("update installation set updated_at = $2 where id = $1", params![id, now]).await?;
    Ok(())
}

/// Deletes an installation; foreign keys delete its selection and its tokens.
pub async fn delete_installation(db: &mut Transaction, id: InstallationId) -> Result<u64, DbError> {
    db.execute("delete from installation where id = $1", params![id]).await
}

/// The number of selected repositories.
pub async fn count_selected(db: &mut Connection, id: InstallationId) -> Result<i64, DbError> {
    let sql = "select count(*) from installation_repo where installation_id = $1";
    Ok(db.one::<(i64,)>(sql, params![id]).await?.0)
}

/// Whether the selection has this repository.
pub async fn selects(db: &mut Connection, installation: InstallationId, repo: RepoId) -> Result<bool, DbError> {
    let sql = "select cast(1 as bigint) from installation_repo where installation_id = $1 and repo_id = $2";
    Ok(db.optional::<(i64,)>(sql, params![installation, repo]).await?.is_some())
}

/// Adds a repository to the selection, if it is not there yet.
pub async fn insert_selected(db: &mut Transaction, installation: InstallationId, repo: RepoId) -> Result<u64, DbError> {
    let sql = "insert into installation_repo (installation_id, repo_id) values ($1, $2) on conflict do nothing";
    db.takes_no_right().execute(sql, params![installation, repo]).await
}

pub async fn delete_selected(db: &mut Transaction, installation: InstallationId, repo: RepoId) -> Result<u64, DbError> {
    let sql = "delete from installation_repo where installation_id = $1 and repo_id = $2";
    db.execute(sql, params![installation, repo]).await
}

pub async fn update_installation_grant(
    db: &mut Transaction,
    id: InstallationId,
    permissions: &Permissions,
    now: Timestamp,
) -> Result<(), DbError> {
    let sql = "update installation set permissions = $2, updated_at = $3 where id = $1";
    db.execute(sql, params![id, permissions.to_text(), now]).await?;
    Ok(())
}

/// Suspends or unsuspends an installation. One that is suspended already keeps its date.
pub async fn update_suspension(
    db: &mut Transaction,
    id: InstallationId,
    since: Option<Timestamp>,
    by: Option<AccountId>,
) -> Result<(), DbError> {
    let sql = "update installation set \
               suspended_by = case when cast($2 as bigint) is null then null \
               when suspended_at is null then cast($3 as bigint) else suspended_by end, \
               suspended_at = case when cast($2 as bigint) is null then null else coalesce(suspended_at, $2) end where id = $1";
    db.execute(sql, params![id, since, by]).await?;
    Ok(())
}
