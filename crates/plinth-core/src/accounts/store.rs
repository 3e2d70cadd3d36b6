//! SQL for accounts and memberships.

use std::collections::{BTreeSet, HashMap};

use super::login::login_key;
use super::{Account, AccountKind, OrgRole};
use crate::paging::Page;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Code, Error, Result};
use plinth_base::ids::AccountId;
use plinth_store::{Connection, DbError, Transaction, Value, params};

pub async fn find(db: &mut Connection, id: AccountId) -> Result<Option<Account>, DbError> {
    let sql = "select id, kind, login, name, email, site_admin, created_at, updated_at from account where id = $1";
    db.optional(sql, params![id]).await
}

pub async fn find_by_login(db: &mut Connection, login: &str) -> Result<Option<Account>, DbError> {
    let sql =
        "select id, kind, login, name, email, site_admin, created_at, updated_at from account where login_key = $1";
    db.optional(sql, params![login_key(login)]).await
}

pub async fn find_of_kind(db: &mut Connection, login: &str, kind: AccountKind) -> Result<Option<Account>, DbError> {
    Ok(find_by_login(db, login).await?.filter(|account| account.kind == kind))
}

/// Email addresses per statement.
const EMAILS_PER_STATEMENT: usize = 16;

/// The users and bots whose commits have one of these email addresses, by the address in lower case. If several accounts
/// have the same address, the oldest one counts.
pub async fn find_by_emails(
    db: &mut Connection,
    emails: &BTreeSet<String>,
) -> Result<HashMap<String, Account>, DbError> {
    let sql = "select id, kind, login, name, email, site_admin, created_at, updated_at from account \
               where kind <> 'Organization' and lower(coalesce(email, login || '@users.noreply.localhost')) in \
               ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) order by id desc";
    let mut found = HashMap::new();
    let emails: Vec<&String> = emails.iter().collect();
    for some in emails.chunks(EMAILS_PER_STATEMENT) {
        let mut values = [Value::Null; EMAILS_PER_STATEMENT];
        for (value, email) in values.iter_mut().zip(some) {
            *value = Value::Text(email);
        }
        let accounts = db.all::<Account>(sql, &values).await?;
        found.extend(accounts.into_iter().map(|account| (account.commit_email().to_ascii_lowercase(), account)));
    }
    Ok(found)
}

/// The columns of a new account.
pub struct NewAccount<'a> {
    pub kind: AccountKind,
    pub login: &'a str,
    pub name: Option<&'a str>,
    pub email: Option<&'a str>,
    pub site_admin: bool,
}

pub async fn insert(db: &mut Transaction, new: &NewAccount<'_>, now: Timestamp) -> Result<AccountId> {
    let sql = "insert into account (kind, login, login_key, name, email, site_admin, created_at, updated_at) \
               values ($1, $2, $3, $4, $5, $6, $7, $7) returning id";
    let inserted = db
        .insert::<(AccountId,)>(
            sql,
            params![new.kind, new.login, login_key(new.login), new.name, new.email, new.site_admin, now],
        )
        .await;
    let (id,) = inserted.map_err(|e| e.on_unique(|| Error::invalid("Account", "login", Code::AlreadyExists)))?;
    Ok(id)
}

pub async fn update(db: &mut Transaction, id: AccountId, new: &NewAccount<'_>, now: Timestamp) -> Result<(), DbError> {
    let sql = "update account set name = $2, email = $3, site_admin = $4, updated_at = $5 where id = $1";
    db.execute(sql, params![id, new.name, new.email, new.site_admin, now]).await?;
    Ok(())
}

pub async fn find_membership(db: &mut Connection, org: AccountId, user: AccountId) -> Result<Option<OrgRole>, DbError> {
    let sql = "select role from membership where org_id = $1 and user_id = $2";
    Ok(db.optional::<(OrgRole,)>(sql, params![org, user]).await?.map(|(role,)| role))
}

/// Adds the member or changes its role.
pub async fn upsert_membership(
    db: &mut Transaction,
    org: AccountId,
    user: AccountId,
    role: OrgRole,
) -> Result<(), DbError> {
    let sql = "insert into membership (org_id, user_id, role) values ($1, $2, $3) \
               on conflict (org_id, user_id) do update set role = excluded.role";
    db.execute(sql, params![org, user, role]).await?;
    Ok(())
}

/// The members of an organization, by id; with a role, only those who have it.
pub async fn list_members(
    db: &mut Connection,
    org: AccountId,
    role: Option<OrgRole>,
    page: Page,
) -> Result<Vec<Account>, DbError> {
    let sql = "select a.id, a.kind, a.login, a.name, a.email, a.site_admin, a.created_at, a.updated_at \
               from membership m join account a on a.id = m.user_id \
               where m.org_id = $1 and (cast($2 as text) is null or m.role = $2) order by a.id limit $3 offset $4";
    db.all(sql, params![org, role, page.limit(), page.offset()]).await
}

pub async fn count_members(db: &mut Connection, org: AccountId, role: Option<OrgRole>) -> Result<i64, DbError> {
    let sql = "select count(*) from membership where org_id = $1 and (cast($2 as text) is null or role = $2)";
    Ok(db.one::<(i64,)>(sql, params![org, role]).await?.0)
}

/// The organizations that a user is a member of, by id.
pub async fn list_orgs_of(db: &mut Connection, user: AccountId, page: Page) -> Result<Vec<Account>, DbError> {
    let sql = "select a.id, a.kind, a.login, a.name, a.email, a.site_admin, a.created_at, a.updated_at \
               from membership m join account a on a.id = m.org_id where m.user_id = $1 order by a.id limit $2 offset $3";
    db.all(sql, params![user, page.limit(), page.offset()]).await
}

pub async fn count_orgs_of(db: &mut Connection, user: AccountId) -> Result<i64, DbError> {
    let sql = "select count(*) from membership where user_id = $1";
    Ok(db.one::<(i64,)>(sql, params![user]).await?.0)
}

pub async fn delete_membership(db: &mut Transaction, org: AccountId, user: AccountId) -> Result<u64, DbError> {
    db.execute("delete from membership where org_id = $1 and user_id = $2", params![org, user]).await
}

pub async fn list(db: &mut Connection, kind: AccountKind, limit: i64) -> Result<Vec<Account>, DbError> {
    let sql = "select id, kind, login, name, email, site_admin, created_at, updated_at from account \
               where kind = $1 order by id limit $2";
    db.all(sql, params![kind, limit]).await
}
