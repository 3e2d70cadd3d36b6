//! What a new token is given.

use std::str::FromStr;

use super::{Permissions, Scopes, Secret};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, AppId, InstallationId, RepoId};
use plinth_store::text_column;

/// A token about to be stored.
#[derive(Debug, Clone)]
pub struct NewToken {
    pub secret: Secret,
    pub grant: TokenSpec,
    pub note: Option<String>,
    pub expires_at: Option<Timestamp>,
}

/// The rights of a token, different for each kind.
#[derive(Debug, Clone)]
pub enum TokenSpec {
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
