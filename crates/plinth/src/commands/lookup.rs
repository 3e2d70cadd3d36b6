//! Finds what arguments name. The errors are for the person who typed them.

use plinth_base::error::{Error, Result};
use plinth_core::accounts::{self, Account, AccountKind};
use plinth_core::repos;
use plinth_core::repos::RepoWithRole;
use plinth_store::Connection;

pub async fn find_account(db: &mut Connection, login: &str, kind: AccountKind) -> Result<Account> {
    let found = accounts::store::find_of_kind(db, login, kind).await?;
    found.ok_or_else(|| Error::BadRequest(format!("there is no {} {login:?}", kind.as_str().to_lowercase())))
}

pub async fn find_user(db: &mut Connection, login: &str) -> Result<Account> {
    find_account(db, login, AccountKind::User).await
}

/// Finds a repository by `owner/name`.
pub async fn find_repo(db: &mut Connection, full_name: &str) -> Result<RepoWithRole> {
    let (owner, name) = split_full_name(full_name)?;
    let found = repos::store::find(db, owner, name, None).await?;
    found.ok_or_else(|| Error::BadRequest(format!("there is no repository {owner}/{name}")))
}

/// Splits `owner/name`.
pub fn split_full_name(full_name: &str) -> Result<(&str, &str)> {
    full_name.split_once('/').ok_or_else(|| Error::BadRequest("a repository is written owner/name".into()))
}
