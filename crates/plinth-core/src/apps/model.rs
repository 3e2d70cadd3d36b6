//! Apps and installations as they are stored.

use std::str::FromStr;

use crate::tokens::{Permissions, SelectionMode};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, AppId, InstallationId};
use plinth_store::{from_row, text_column};

/// A GitHub App or an OAuth app. Only its public keys and a hash of its secret are stored.
#[derive(Debug, Clone)]
pub struct App {
    pub id: AppId,
    pub kind: AppKind,
    pub slug: String,
    pub name: String,
    pub owner_id: AccountId,
    pub bot_id: AccountId,
    pub client_id: String,
    pub permissions: Permissions,
    pub events: EventNames,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

from_row!(App { id, kind, slug, name, owner_id, bot_id, client_id, permissions, events, created_at, updated_at });

/// The kind of an app: one with installations and keys, or one with scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppKind {
    GitHubApp,
    OAuth,
}

impl AppKind {
    pub fn as_str(self) -> &'static str {
        match self {
            AppKind::GitHubApp => "app",
            AppKind::OAuth => "oauth",
        }
    }
}

impl FromStr for AppKind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        [AppKind::GitHubApp, AppKind::OAuth].into_iter().find(|kind| kind.as_str() == text).ok_or(())
    }
}

text_column!(AppKind);

/// A public key of an app, without the key itself.
#[derive(Debug, Clone)]
pub struct KeyEntry {
    pub fingerprint: String,
    pub created_at: Timestamp,
}

from_row!(KeyEntry { fingerprint, created_at });

/// One account's installation of an app.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Installation {
    pub id: InstallationId,
    pub app_id: AppId,
    pub account_id: AccountId,
    pub repository_selection: SelectionMode,
    pub permissions: Permissions,
    pub events: EventNames,
    pub suspended_at: Option<Timestamp>,
    pub suspended_by: Option<AccountId>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

from_row!(Installation {
    id,
    app_id,
    account_id,
    repository_selection,
    permissions,
    events,
    suspended_at,
    suspended_by,
    created_at,
    updated_at,
});

/// The suspension of an installation.
#[derive(Debug, Clone, Copy)]
pub struct Suspension {
    pub at: Timestamp,
    pub by: Option<AccountId>,
}

/// Names of events, stored as a JSON list.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct EventNames(pub Vec<String>);

impl EventNames {
    /// The stored form.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).expect("a list of words is always JSON")
    }
}

impl plinth_store::Column for EventNames {
    type Raw = String;

    fn from_raw(raw: String) -> Result<Self, plinth_store::DbError> {
        serde_json::from_str(&raw).map_err(|error| plinth_store::DbError::Fault(error.into()))
    }
}
