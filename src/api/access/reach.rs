//! How far a token reaches, apart from what its user may do.

use super::Facts;
use crate::apps;
use crate::db::{Connection, DbError};
use crate::ids::RepoId;
use crate::tokens::{self, Permissions, Principal, SelectionMode, UserLimits};

/// What token and installation allow on one resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// Scopes decide; the token reaches whatever its user does.
    Everywhere,
    /// The resource is outside of what the token or the installation was given.
    Outside,
    /// The installation that the token hangs on is suspended.
    Suspended,
    Inside(Permissions),
}

impl Reach {
    /// Asks the store, with at most two point reads, and none for tokens with scopes.
    pub async fn find(db: &mut Connection, caller: &Principal, facts: &Facts) -> Result<Self, DbError> {
        match caller {
            Principal::Anonymous | Principal::App(_) => Ok(Reach::Everywhere),
            Principal::Installation(token) => {
                if token.suspended {
                    return Ok(Reach::Suspended);
                }
                let narrowed = token.token_mode == SelectionMode::Selected;
                let selected = token.installation_mode == SelectionMode::Selected;
                let inside = token.account == facts.owner
                    && (!narrowed || token_selects(db, token.token, facts.repo).await?)
                    && (!selected || installation_selects(db, token.installation, facts.repo).await?);
                Ok(Self::inside_if(inside, &token.permissions))
            }
            Principal::User(token) => match &token.limits {
                UserLimits::Classic(_) | UserLimits::OAuth { .. } => Ok(Reach::Everywhere),
                UserLimits::FineGrained { owner, mode, permissions } => {
                    let selected = *mode == SelectionMode::Selected;
                    let inside =
                        *owner == facts.owner && (!selected || token_selects(db, token.token, facts.repo).await?);
                    Ok(Self::inside_if(inside, permissions))
                }
                UserLimits::AppUser { app } => Self::of_app_user(db, *app, facts).await,
            },
        }
    }

    async fn of_app_user(db: &mut Connection, app: crate::ids::AppId, facts: &Facts) -> Result<Self, DbError> {
        let Some(installation) = apps::store::find_installation_on(db, app, facts.owner).await? else {
            return Ok(Reach::Outside);
        };
        let selected = installation.repository_selection == SelectionMode::Selected;
        if selected && !installation_selects(db, installation.id, facts.repo).await? {
            return Ok(Reach::Outside);
        }
        if installation.suspended_at.is_some() {
            return Ok(Reach::Suspended);
        }
        Ok(Reach::Inside(installation.permissions))
    }

    fn inside_if(inside: bool, permissions: &Permissions) -> Self {
        if inside { Reach::Inside(permissions.clone()) } else { Reach::Outside }
    }
}

/// A selection limits repositories only; what belongs to the account itself is reached by every selection.
async fn token_selects(db: &mut Connection, token: crate::ids::TokenId, repo: Option<RepoId>) -> Result<bool, DbError> {
    match repo {
        Some(repo) => tokens::store::selects(db, token, repo).await,
        None => Ok(true),
    }
}

async fn installation_selects(
    db: &mut Connection,
    installation: crate::ids::InstallationId,
    repo: Option<RepoId>,
) -> Result<bool, DbError> {
    match repo {
        Some(repo) => apps::store::selects(db, installation, repo).await,
        None => Ok(true),
    }
}
