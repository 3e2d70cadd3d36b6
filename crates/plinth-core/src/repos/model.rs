//! Repositories as the service keeps them.

use std::str::FromStr;

use crate::accounts::AccountKind;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, RepoId};
use plinth_store::{from_row, text_column};

/// A repository with the parts of its owner that every answer shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repo {
    pub id: RepoId,
    pub owner_id: AccountId,
    pub owner_login: String,
    pub owner_kind: AccountKind,
    pub owner_site_admin: bool,
    pub name: String,
    pub description: Option<String>,
    pub private: bool,
    pub archived: bool,
    pub default_branch: String,
    pub ref_generation: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub pushed_at: Option<Timestamp>,
}

from_row!(Repo {
    id,
    owner_id,
    owner_login,
    owner_kind,
    owner_site_admin,
    name,
    description,
    private,
    archived,
    default_branch,
    ref_generation,
    created_at,
    updated_at,
    pushed_at,
});

/// What someone may do in a repository, each level with all below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RepoRole {
    Read,
    Triage,
    Write,
    Maintain,
    Admin,
}

impl RepoRole {
    pub const ALL: [RepoRole; 5] =
        [RepoRole::Read, RepoRole::Triage, RepoRole::Write, RepoRole::Maintain, RepoRole::Admin];

    pub fn as_str(self) -> &'static str {
        match self {
            RepoRole::Read => "read",
            RepoRole::Triage => "triage",
            RepoRole::Write => "write",
            RepoRole::Maintain => "maintain",
            RepoRole::Admin => "admin",
        }
    }
}

impl FromStr for RepoRole {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|role| role.as_str() == text).ok_or(())
    }
}

text_column!(RepoRole);
