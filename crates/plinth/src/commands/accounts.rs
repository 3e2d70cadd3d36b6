//! What `plinth user` and `plinth org` have in common.

use std::io::Write;

use crate::operator::Operator;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_core::accounts::store::{self, NewAccount};
use plinth_core::accounts::{AccountKind, Login};
use plinth_store::Store;

const LISTED_MAX: i64 = 10_000;

/// The account to create.
pub struct Wanted {
    pub kind: AccountKind,
    pub login: String,
    pub name: Option<String>,
    pub email: Option<String>,
    pub site_admin: bool,
}

pub async fn create(store: &Store, wanted: Wanted, now: Timestamp, out: &mut (dyn Write + Send)) -> Result<()> {
    Login::parse(&wanted.login).map_err(|error| Error::BadRequest(error.to_string()))?;
    let login = wanted.login.clone();
    let id = store
        .write(Operator, (wanted, now), |tx, (wanted, now)| {
            Box::pin(async move {
                let new = NewAccount {
                    kind: wanted.kind,
                    login: &wanted.login,
                    name: wanted.name.as_deref(),
                    email: wanted.email.as_deref(),
                    site_admin: wanted.site_admin,
                };
                store::insert(tx, &new, *now).await
            })
        })
        .await?;
    Ok(writeln!(out, "created {login} (id {id})")?)
}

pub async fn list(store: &Store, kind: AccountKind, out: &mut (dyn Write + Send)) -> Result<()> {
    let mut db = store.read().await?;
    for account in store::list(&mut db, kind, LISTED_MAX).await? {
        let name = account.name.as_deref().unwrap_or_default();
        writeln!(out, "{:>6}  {:<39}  {name}", account.id, account.login)?;
    }
    Ok(())
}
