//! Installations with what their answers show of app and accounts.

use crate::accounts::AccountKind;
use crate::apps::Installation;
use plinth_base::ids::AccountId;
use plinth_store::{DbError, FromRow, Row};

/// An installation as one statement finds it.
#[derive(Debug, Clone)]
pub struct Shown {
    pub installation: Installation,
    pub client_id: String,
    pub app_slug: String,
    pub account: Someone,
    pub suspended_by: Option<Someone>,
}

/// The parts of an account that other resources embed.
#[derive(Debug, Clone)]
pub struct Someone {
    pub id: AccountId,
    pub kind: AccountKind,
    pub login: String,
    pub site_admin: bool,
}

impl FromRow for Shown {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        const INSTALLATION_COLUMNS: usize = 10;
        let at = |offset: usize| INSTALLATION_COLUMNS + offset;
        let account =
            Someone { id: row.get(at(2))?, kind: row.get(at(3))?, login: row.get(at(4))?, site_admin: row.get(at(5))? };
        let suspended_by = match row.get::<Option<AccountId>>(at(6))? {
            None => None,
            Some(id) => {
                Some(Someone { id, kind: row.get(at(7))?, login: row.get(at(8))?, site_admin: row.get(at(9))? })
            }
        };
        Ok(Self {
            installation: Installation::from_row(row)?,
            client_id: row.get(at(0))?,
            app_slug: row.get(at(1))?,
            account,
            suspended_by,
        })
    }
}
