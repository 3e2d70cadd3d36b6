//! What an app asks for when it creates a token.

use plinth_base::ids::RepoId;

use crate::tokens::Permissions;

/// How an app narrows the token it asks for; nothing at all means everything.
#[derive(Debug, Clone, Default)]
pub struct NewAccessToken {
    pub repositories: Option<Vec<String>>,
    pub repository_ids: Option<Vec<RepoId>>,
    pub permissions: Permissions,
}
