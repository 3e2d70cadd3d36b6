//! Input to create an installation token.

use plinth_base::ids::RepoId;

use crate::tokens::Permissions;

/// How an app restricts a new token; empty means no restriction.
#[derive(Debug, Clone, Default)]
pub struct NewAccessToken {
    pub repositories: Option<Vec<String>>,
    pub repository_ids: Option<Vec<RepoId>>,
    pub permissions: Permissions,
}
