//! What a new token is given.

use std::str::FromStr;

use super::{Permissions, Scopes, Secret};
use crate::clock::Timestamp;
use crate::db::text_column;
use crate::ids::{AccountId, AppId, InstallationId, RepoId};

/// A token about to be stored.
#[derive(Debug, Clone)]
pub struct NewToken {
    pub secret: Secret,
    pub grant: Grant,
    pub note: Option<String>,
    pub expires_at: Option<Timestamp>,
}

/// The rights of a token, different for each kind.
#[derive(Debug, Clone)]
pub enum Grant {
    Classic { user: AccountId, scopes: Scopes },
    OAuth { user: AccountId, scopes: Scopes, app: Option<AppId> },
    FineGrained { user: AccountId, owner: AccountId, selection: Selection, permissions: Permissions },
    AppUser { user: AccountId, app: AppId },
    Installation { app: AppId, installation: InstallationId, selection: Selection, permissions: Permissions },
}

/// Which repositories of an account are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    All,
    Selected(Vec<RepoId>),
}

impl Selection {
    pub fn mode(&self) -> SelectionMode {
        match self {
            Selection::All => SelectionMode::All,
            Selection::Selected(_) => SelectionMode::Selected,
        }
    }
}

/// Whether a list of repositories counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectionMode {
    All,
    Selected,
}

impl SelectionMode {
    pub fn as_str(self) -> &'static str {
        match self {
            SelectionMode::All => "all",
            SelectionMode::Selected => "selected",
        }
    }
}

impl FromStr for SelectionMode {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "all" => Ok(SelectionMode::All),
            "selected" => Ok(SelectionMode::Selected),
            _ => Err(()),
        }
    }
}

text_column!(SelectionMode);
