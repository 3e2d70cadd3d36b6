//! Repositories as they are stored.

use crate::accounts::AccountKind;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, RepoId};
use plinth_store::from_row;

/// A repository, with the parts of its owner that every response shows.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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
    pub homepage: Option<String>,
    /// Names with a space between them.
    #[serde(default)]
    pub topics: String,
    /// The key of the licence. This and what follows is computed from the content.
    #[serde(default)]
    pub license: Option<String>,
    #[serde(default)]
    pub language: Option<String>,
    /// In KiB.
    #[serde(default)]
    pub size: i64,
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
    homepage,
    topics,
    license,
    language,
    size,
});
