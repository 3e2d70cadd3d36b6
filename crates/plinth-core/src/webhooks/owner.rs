//! What a hook belongs to.

use plinth_base::ids::{AccountId, AppId, RepoId};
use plinth_store::DbError;

/// What a hook belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WebhookOwner {
    Repo(RepoId),
    Org(AccountId),
    App(AppId),
}

impl WebhookOwner {
    /// Each row has exactly one of the three.
    pub(super) fn from_columns(
        repo: Option<RepoId>,
        org: Option<AccountId>,
        app: Option<AppId>,
    ) -> Result<Self, DbError> {
        match (repo, org, app) {
            (Some(repo), None, None) => Ok(Self::Repo(repo)),
            (None, Some(org), None) => Ok(Self::Org(org)),
            (None, None, Some(app)) => Ok(Self::App(app)),
            _ => Err(DbError::Fault("a hook does not have exactly one owner".into())),
        }
    }

    pub fn repo(self) -> Option<RepoId> {
        match self {
            Self::Repo(id) => Some(id),
            Self::Org(_) | Self::App(_) => None,
        }
    }

    pub fn org(self) -> Option<AccountId> {
        match self {
            Self::Org(id) => Some(id),
            Self::Repo(_) | Self::App(_) => None,
        }
    }

    pub fn app(self) -> Option<AppId> {
        match self {
            Self::App(id) => Some(id),
            Self::Repo(_) | Self::Org(_) => None,
        }
    }

    /// The value of `X-GitHub-Hook-Installation-Target-Type`.
    pub fn target_type(self) -> &'static str {
        match self {
            Self::Repo(_) => "repository",
            Self::Org(_) => "organization",
            Self::App(_) => "integration",
        }
    }

    /// The value of `X-GitHub-Hook-Installation-Target-ID`.
    pub fn target_id(self) -> i64 {
        match self {
            Self::Repo(id) => id.0,
            Self::Org(id) => id.0,
            Self::App(id) => id.0,
        }
    }
}
