//! How far a token reaches, apart from what its user may do.

use super::Facts;
use crate::apps::{self, Installation};
use crate::tokens::{self, Permissions, Principal, SelectionMode, UserLimits};
use plinth_base::ids::{InstallationId, RepoId};
use plinth_store::{Connection, DbError};

/// What token and installation allow on one resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Grant {
    /// Scopes decide; the token reaches whatever its user does.
    Everywhere,
    /// The resource is outside of what the token or the installation was given.
    Outside,
    /// The installation that the token hangs on is suspended.
    Suspended,
    Inside(Permissions),
}

impl Grant {
    /// Asks the store, with at most two point reads, and none for tokens with scopes.
    ///
    /// How many there are depends on the token alone unless the resource is public, so that a hidden one takes as long as
    /// an absent one.
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

/// A selection limits repositories only; what belongs to the account itself is reached by every selection.
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
