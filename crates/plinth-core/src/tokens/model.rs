//! Tokens as they are stored.

use std::str::FromStr;

use super::Permissions;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, AppId, InstallationId, RepoId, TokenId};
use plinth_store::{from_row, text_column};

/// The lifetime of an installation token.
pub const INSTALLATION_TOKEN_SECONDS: i64 = 60 * 60;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenKind {
    Classic,
    FineGrained,
    AppUser,
    Installation,
    #[serde(rename = "oauth")]
    OAuth,
}

impl TokenKind {
    pub const ALL: [TokenKind; 5] =
        [TokenKind::Classic, TokenKind::FineGrained, TokenKind::AppUser, TokenKind::Installation, TokenKind::OAuth];

    pub fn as_str(self) -> &'static str {
        match self {
            TokenKind::Classic => "classic",
            TokenKind::FineGrained => "fine_grained",
            TokenKind::AppUser => "app_user",
            TokenKind::Installation => "installation",
            TokenKind::OAuth => "oauth",
        }
    }

    /// The prefix of tokens of this kind.
    pub fn prefix(self) -> &'static str {
        match self {
            TokenKind::Classic => "ghp_",
            TokenKind::FineGrained => "github_pat_",
            TokenKind::AppUser => "ghu_",
            TokenKind::Installation => "ghs_",
            TokenKind::OAuth => "gho_",
        }
    }
}

impl FromStr for TokenKind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(())
    }
}

/// One row of a token list.
#[derive(Debug, Clone)]
pub struct StoredToken {
    pub id: TokenId,
    pub kind: TokenKind,
    pub hint: String,
    pub note: Option<String>,
    pub user_id: Option<AccountId>,
    pub user_login: Option<String>,
    pub app_id: Option<AppId>,
    pub installation_id: Option<InstallationId>,
    pub scopes: Option<String>,
    pub permissions: Option<Permissions>,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
}

from_row!(StoredToken {
    id,
    kind,
    hint,
    note,
    user_id,
    user_login,
    app_id,
    installation_id,
    scopes,
    permissions,
    created_at,
    expires_at,
    ended_at,
});

/// A selection of the repositories of an account.
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

/// Whether a selection is restricted to listed repositories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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

text_column!(TokenKind, SelectionMode);
