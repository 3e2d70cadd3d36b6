//! Accounts as they are stored.

use std::str::FromStr;

use plinth_base::clock::Timestamp;
use plinth_base::ids::AccountId;
use plinth_store::{from_row, text_column};

/// A user, an organization or the bot of an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub id: AccountId,
    pub kind: AccountKind,
    pub login: String,
    pub name: Option<String>,
    pub email: Option<String>,
    pub site_admin: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

from_row!(Account { id, kind, login, name, email, site_admin, created_at, updated_at });

impl Account {
    pub fn summary(&self) -> AccountSummary {
        let Self { id, kind, login, site_admin, .. } = self;
        AccountSummary { id: *id, kind: *kind, login: login.clone(), site_admin: *site_admin }
    }

    /// The email address of the account's commits.
    pub fn commit_email(&self) -> String {
        commit_identity(&self.login, None, self.email.as_deref()).1
    }
}

/// Name and email address of an account's commits; an account without an email address gets a noreply address.
pub fn commit_identity(login: &str, name: Option<&str>, email: Option<&str>) -> (String, String) {
    // As git does, without what would end the header or the name.
    let clean = |text: &str| text.replace(['<', '>', '\n', '\0'], "");
    let name = name.map(clean).filter(|name| !name.trim().is_empty()).unwrap_or_else(|| login.to_owned());
    let email = email.map_or_else(|| format!("{login}@users.noreply.localhost"), clean);
    (name, email)
}

/// The part of an account that other resources include.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct AccountSummary {
    pub id: AccountId,
    pub kind: AccountKind,
    pub login: String,
    pub site_admin: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum AccountKind {
    User,
    Organization,
    /// The account that an app acts as.
    Bot,
}

impl AccountKind {
    /// The `type` in responses and in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            AccountKind::User => "User",
            AccountKind::Organization => "Organization",
            AccountKind::Bot => "Bot",
        }
    }
}

impl FromStr for AccountKind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        [AccountKind::User, AccountKind::Organization, AccountKind::Bot]
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or(())
    }
}

/// The role of a user in an organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OrgRole {
    Member,
    Admin,
}

impl OrgRole {
    pub fn as_str(self) -> &'static str {
        match self {
            OrgRole::Member => "member",
            OrgRole::Admin => "admin",
        }
    }
}

impl FromStr for OrgRole {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        [OrgRole::Member, OrgRole::Admin].into_iter().find(|role| role.as_str() == text).ok_or(())
    }
}

text_column!(AccountKind, OrgRole);
