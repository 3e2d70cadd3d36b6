//! Events of installations, which only the hook of their app receives.

use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::{AccountId, InstallationId, RepoId};
use plinth_store::Transaction;
use serde::{Deserialize, Serialize};

use super::model::InstallationDetails;
use super::store;
use crate::events::model::About;
use crate::events::{self, EventName, NewEvent};
use crate::repos::{self, Repo};
use crate::{apps, tokens};

/// Repositories in one payload.
pub const REPOSITORIES_MAX: i64 = 1_000;

/// The data of the events `installation` and `installation_repositories`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct InstallationData {
    pub installation: InstallationDetails,
    /// All repositories of an installation, or those that were added or removed.
    pub repositories: Vec<RepositoryName>,
}

/// The part of a repository that these payloads show.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RepositoryName {
    pub id: RepoId,
    pub owner: String,
    pub name: String,
    pub private: bool,
}

impl From<Repo> for RepositoryName {
    fn from(repo: Repo) -> Self {
        Self { id: repo.id, owner: repo.owner_login, name: repo.name, private: repo.private }
    }
}

/// Who changes an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changer {
    Operator,
    Account(AccountId),
    /// The app itself, whose bot is the sender.
    App,
}

impl From<&tokens::Principal> for Changer {
    fn from(caller: &tokens::Principal) -> Self {
        match (caller.actor(), caller) {
            (Some(account), _) => Self::Account(account),
            (None, tokens::Principal::App(_)) => Self::App,
            (None, _) => Self::Operator,
        }
    }
}

/// Records an event about the installation and all its repositories. Call it before a deletion.
pub async fn record(
    tx: &mut Transaction,
    action: &'static str,
    id: InstallationId,
    by: Changer,
    now: Timestamp,
) -> Result<()> {
    if !events::is_wanted(tx).await? {
        return Ok(());
    }
    let Some(installation) = store::find_details(tx, id).await? else { return Ok(()) };
    let repositories = store::list_all_repositories(tx, id, REPOSITORIES_MAX).await?;
    let repositories = repositories.into_iter().map(RepositoryName::from).collect();
    let actor = find_actor(tx, &installation, by).await?;
    let data = InstallationData { installation, repositories };
    events::record(tx, now, || new((EventName::Installation, action), &data, actor)).await
}

/// Records that repositories were added to the selection or removed from it.
pub async fn record_repositories(
    tx: &mut Transaction,
    action: &'static str,
    (id, changed): (InstallationId, &[RepoId]),
    by: Changer,
    now: Timestamp,
) -> Result<()> {
    if changed.is_empty() || !events::is_wanted(tx).await? {
        return Ok(());
    }
    let Some(installation) = store::find_details(tx, id).await? else { return Ok(()) };
    let mut repositories = Vec::with_capacity(changed.len());
    for repo in changed.iter().take(usize::try_from(REPOSITORIES_MAX).unwrap_or_default()) {
        let found = repos::store::find_by_id(tx, *repo, None).await?;
        repositories.extend(found.map(|found| RepositoryName::from(found.repo)));
    }
    let actor = find_actor(tx, &installation, by).await?;
    let data = InstallationData { installation, repositories };
    events::record(tx, now, || new((EventName::InstallationRepositories, action), &data, actor)).await
}

async fn find_actor(tx: &mut Transaction, on: &InstallationDetails, by: Changer) -> Result<Option<AccountId>> {
    match by {
        Changer::Operator => Ok(None),
        Changer::Account(account) => Ok(Some(account)),
        Changer::App => Ok(apps::store::find(tx, on.installation.app_id).await?.map(|app| app.bot_id)),
    }
}

fn new((name, action): (EventName, &'static str), data: &InstallationData, actor: Option<AccountId>) -> NewEvent {
    let installation = &data.installation.installation;
    NewEvent {
        name,
        action: Some(action),
        about: About::Installation(installation.id),
        actor,
        subject: Some(installation.app_id.0),
        data: events::to_data(data),
    }
}
