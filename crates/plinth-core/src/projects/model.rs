//! Projects as they are stored.

use crate::accounts::AccountKind;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, ProjectId};
use plinth_store::from_row;

/// A project, with the parts of its owner that every response shows.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Project {
    pub id: ProjectId,
    pub owner_id: AccountId,
    pub owner_login: String,
    pub owner_kind: AccountKind,
    pub owner_site_admin: bool,
    /// Counted from 1 for each owner.
    pub number: i64,
    pub title: String,
    pub short_description: Option<String>,
    pub public: bool,
    pub creator_id: Option<AccountId>,
    /// Incremented with every change of the project or of one of its fields.
    pub generation: i64,
    /// Whether responses about fields depend on the date.
    pub has_iterations: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub closed_at: Option<Timestamp>,
}

from_row!(Project {
    id,
    owner_id,
    owner_login,
    owner_kind,
    owner_site_admin,
    number,
    title,
    short_description,
    public,
    creator_id,
    generation,
    has_iterations,
    created_at,
    updated_at,
    closed_at,
});

impl Project {
    /// The first item of node ids in a project: 0 for organizations, 1 for users.
    pub fn node_scope(&self) -> i64 {
        match self.owner_kind {
            AccountKind::Organization => 0,
            AccountKind::User | AccountKind::Bot => 1,
        }
    }
}
