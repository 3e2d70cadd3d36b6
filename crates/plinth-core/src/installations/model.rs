//! Installations as responses show them, and new installation tokens.

use crate::accounts::AccountSummary;
use crate::apps::Installation;
use crate::repos::Repo;
use crate::tokens::{Permissions, Secret, Selection};
use plinth_base::clock::Timestamp;
use plinth_base::ids::AccountId;
use plinth_store::{DbError, FromRow, Row};

/// An installation with its app and its accounts, from one statement.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct InstallationDetails {
    pub installation: Installation,
    pub client_id: String,
    pub app_slug: String,
    pub account: AccountSummary,
    pub suspended_by: Option<AccountSummary>,
}

impl FromRow for InstallationDetails {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        const INSTALLATION_COLUMNS: usize = 10;
        let at = |offset: usize| INSTALLATION_COLUMNS + offset;
        let account = AccountSummary {
            id: row.get(at(2))?,
            kind: row.get(at(3))?,
            login: row.get(at(4))?,
            site_admin: row.get(at(5))?,
        };
        let suspended_by = match row.get::<Option<AccountId>>(at(6))? {
            None => None,
            Some(id) => {
                Some(AccountSummary { id, kind: row.get(at(7))?, login: row.get(at(8))?, site_admin: row.get(at(9))? })
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

/// A new token. This is the only time that its secret is known.
pub struct CreatedToken {
    pub secret: Secret,
    pub expires_at: Timestamp,
    pub permissions: Permissions,
    pub selection: Selection,
    pub narrowed_to: Option<Vec<Repo>>,
}
