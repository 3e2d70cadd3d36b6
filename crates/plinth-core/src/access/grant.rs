//! What a token and its installation allow, apart from what its user may do.

use super::Facts;
use crate::apps::{self, Installation};
use crate::tokens::{self, Permissions, Principal, SelectionMode, UserLimits};
use plinth_base::ids::{InstallationId, RepoId};
use plinth_store::{Connection, DbError};

/// What token and installation allow on one resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Grant {
    /// No restriction to resources: only the scopes limit what the user may do.
    Everywhere,
    /// The resource is not among those of the token or of the installation.
    Outside,
    /// The installation behind the token is suspended.
    Suspended,
    Inside(Permissions),
}

impl Grant {
    /// Looks the grant up with at most two point reads, and none for tokens with scopes.
    ///
    /// Unless the resource is public, the number of reads depends on the token alone, so that the response time is the
    /// same for a hidden and for an absent resource.
    pub async fn find(db: &mut Connection, caller: &Principal, facts: &Facts) -> Result<Self, DbError> {
        match caller {
            Principal::Anonymous | Principal::App(_) => Ok(Grant::Everywhere),
            Principal::Installation(token) => {
                if token.suspended {
                    return Ok(Grant::Suspended);
                }
                let narrowed = token.token_mode == SelectionMode::Selected;
                let selected = token.installation_mode == SelectionMode::Selected;
                let by_token = !narrowed || token_selects(db, token.token, facts.repo).await?;
                let by_installation = !selected || installation_selects(db, token.installation, facts.repo).await?;
                let inside = token.account == facts.owner && by_token && by_installation;
                Ok(Self::inside_if(inside, &token.permissions))
            }
            Principal::User(token) => match &token.limits {
                UserLimits::Classic(_) | UserLimits::OAuth { .. } => Ok(Grant::Everywhere),
                UserLimits::FineGrained { owner, mode, permissions } => {
                    let selected = *mode == SelectionMode::Selected;
                    let by_token = !selected || token_selects(db, token.token, facts.repo).await?;
                    Ok(Self::inside_if(*owner == facts.owner && by_token, permissions))
                }
                UserLimits::AppUser { app } => Self::of_app_user(db, *app, facts).await,
            },
        }
    }

    async fn of_app_user(db: &mut Connection, app: plinth_base::ids::AppId, facts: &Facts) -> Result<Self, DbError> {
        let found = apps::store::find_installation_on(db, app, facts.owner).await?;
        let is_selection = |found: &Installation| found.repository_selection == SelectionMode::Selected;
        let has_selection = found.as_ref().is_some_and(is_selection);
        let id = found.as_ref().map_or(InstallationId(0), |found| found.id);
        let selects =
            if has_selection || !facts.public { installation_selects(db, id, facts.repo).await? } else { true };
        let Some(installation) = found.filter(|_| selects || !has_selection) else {
            return Ok(Grant::Outside);
        };
        if installation.suspended_at.is_some() {
            return Ok(Grant::Suspended);
        }
        Ok(Grant::Inside(installation.permissions))
    }

    fn inside_if(inside: bool, permissions: &Permissions) -> Self {
        if inside { Grant::Inside(permissions.clone()) } else { Grant::Outside }
    }
}

/// A selection restricts repositories only, not other resources of the account.
async fn token_selects(
    db: &mut Connection,
    token: plinth_base::ids::TokenId,
    repo: Option<RepoId>,
) -> Result<bool, DbError> {
    match repo {
        Some(repo) => tokens::store::selects(db, token, repo).await,
        None => Ok(true),
    }
}

async fn installation_selects(
    db: &mut Connection,
    installation: InstallationId,
    repo: Option<RepoId>,
) -> Result<bool, DbError> {
    match repo {
        Some(repo) => apps::store::selects(db, installation, repo).await,
        None => Ok(true),
    }
}
