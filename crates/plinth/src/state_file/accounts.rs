//! Users and organizations of a state file.

use super::file::{Org, User};
use super::name::{Name, problem};
use super::report::{Effect, Report};
use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_core::accounts::store::{self, NewAccount};
use plinth_core::accounts::{Account, AccountKind, Login, operations};
use plinth_store::Transaction;

pub async fn apply_users(tx: &mut Transaction, users: &[User], now: Timestamp, report: &mut Report) -> Result<()> {
    for user in users {
        let new = NewAccount {
            kind: AccountKind::User,
            login: &user.login.value,
            name: user.name.as_deref(),
            email: user.email.as_deref(),
            site_admin: user.site_admin,
        };
        apply_account(tx, &user.login, "users.login", &new, now, report).await?;
    }
    Ok(())
}

pub async fn apply_orgs(tx: &mut Transaction, orgs: &[Org], now: Timestamp, report: &mut Report) -> Result<()> {
    for org in orgs {
        let new = NewAccount {
            kind: AccountKind::Organization,
            login: &org.login.value,
            name: org.name.as_deref(),
            email: org.email.as_deref(),
            site_admin: false,
        };
        let account = apply_account(tx, &org.login, "orgs.login", &new, now, report).await?;
        for member in &org.members {
            let user = find_user(tx, &member.user, "orgs.members.user").await?;
            let before = operations::set_member(tx, account.id, user.id, member.role, now).await?;
            let effect = match before {
                None => Effect::Created,
                Some(role) if role == member.role => Effect::Unchanged,
                Some(_) => Effect::Changed,
            };
            report.note(format_args!("member {} of {}", user.login, account.login), effect);
        }
    }
    Ok(())
}

async fn apply_account(
    tx: &mut Transaction,
    login: &Name,
    field: &str,
    new: &NewAccount<'_>,
    now: Timestamp,
    report: &mut Report,
) -> Result<Account> {
    let parsed = Login::parse(&login.value).map_err(|error| problem(login, field, error))?;
    let word = if new.kind == AccountKind::Organization { "organization" } else { "user" };
    let effect = match store::find_by_login(tx, parsed.as_str()).await? {
        None => {
            store::insert(tx, new, now).await?;
            Effect::Created
        }
        Some(found) if found.kind != new.kind => {
            return Err(problem(login, field, format_args!("{} exists and is no {word}", found.login)));
        }
        Some(found) if is_same(&found, new) => Effect::Unchanged,
        Some(found) => {
            store::update(tx, found.id, new, now).await?;
            Effect::Changed
        }
    };
    report.note(format_args!("{word} {}", new.login), effect);
    let found = store::find_by_login(tx, parsed.as_str()).await?;
    found.ok_or_else(|| problem(login, field, "it was stored just now and does not exist"))
}

fn is_same(found: &Account, new: &NewAccount<'_>) -> bool {
    found.name.as_deref() == new.name && found.email.as_deref() == new.email && found.site_admin == new.site_admin
}

/// Finds a user of this file or of the store.
pub async fn find_user(tx: &mut Transaction, login: &Name, field: &str) -> Result<Account> {
    let found = store::find_of_kind(tx, &login.value, AccountKind::User).await?;
    found.ok_or_else(|| problem(login, field, format_args!("there is no user {:?}", login.value)))
}

/// Finds a user or an organization.
pub async fn find_account(tx: &mut Transaction, login: &Name, field: &str) -> Result<Account> {
    let found = store::find_by_login(tx, &login.value).await?;
    let found = found.filter(|account| account.kind != AccountKind::Bot);
    found.ok_or_else(|| problem(login, field, format_args!("there is no user or organization {:?}", login.value)))
}
