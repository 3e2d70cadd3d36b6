//! Events of repositories and their collaborators.

use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::{AccountId, InstallationId, RepoId};
use plinth_store::Transaction;
use serde::{Deserialize, Serialize};

use super::{Repo, deletion, store};
use crate::access::Role;
use crate::events::model::About;
use crate::events::{self, EventName, NewEvent};

/// The data of the event `repository`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RepositoryData {
    /// What an edit has replaced.
    #[serde(default)]
    pub changes: Option<RepoChanges>,
    /// The repository that was deleted.
    #[serde(default)]
    pub deleted: Option<Repo>,
    /// The installations that had selected the repository before it was deleted.
    #[serde(default)]
    pub selected_by: Vec<InstallationId>,
}

/// Former values; `None` where nothing changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepoChanges {
    pub default_branch: Option<String>,
    /// `Some(None)` if there was none.
    #[serde(with = "nested")]
    pub description: Option<Option<String>>,
    /// As `description`.
    #[serde(default, with = "nested")]
    pub homepage: Option<Option<String>>,
    /// Names with a space between them.
    #[serde(default)]
    pub topics: Option<String>,
}

/// The data of the event `member`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MemberData {
    /// The role before; `None` of a new collaborator.
    pub before: Option<Role>,
    /// The role now; `None` of a collaborator who was removed.
    pub after: Option<Role>,
}

pub async fn record_created(
    tx: &mut Transaction,
    repo: RepoId,
    actor: Option<AccountId>,
    now: Timestamp,
) -> Result<()> {
    events::record(tx, now, || new("created", repo, actor, &RepositoryData::default())).await
}

/// Records the deletion. Call it before the repository is marked, after which nobody finds it.
pub async fn record_deleted(
    tx: &mut Transaction,
    repo: RepoId,
    actor: Option<AccountId>,
    now: Timestamp,
) -> Result<()> {
    if !events::is_wanted(tx).await? {
        return Ok(());
    }
    let Some(found) = store::find_by_id(tx, repo, None).await? else { return Ok(()) };
    let selected_by = deletion::store::list_selections(tx, repo).await?;
    let data = RepositoryData { deleted: Some(found.repo), selected_by, ..RepositoryData::default() };
    events::record(tx, now, || new("deleted", repo, actor, &data)).await
}

/// Records what differs between two states of a repository, each as GitHub names it.
pub async fn record_changes(
    tx: &mut Transaction,
    (before, after): (&Repo, &Repo),
    actor: Option<AccountId>,
    now: Timestamp,
) -> Result<()> {
    let changes = RepoChanges {
        default_branch: (before.default_branch != after.default_branch).then(|| before.default_branch.clone()),
        description: (before.description != after.description).then(|| before.description.clone()),
        homepage: (before.homepage != after.homepage).then(|| before.homepage.clone()),
        topics: (before.topics != after.topics).then(|| before.topics.clone()),
    };
    if changes != RepoChanges::default() {
        let data = RepositoryData { changes: Some(changes), ..RepositoryData::default() };
        events::record(tx, now, || new("edited", after.id, actor, &data)).await?;
    }
    let word = |action| move || new(action, after.id, actor, &RepositoryData::default());
    match (before.private, after.private) {
        (false, true) => events::record(tx, now, word("privatized")).await?,
        (true, false) => {
            events::record(tx, now, word("publicized")).await?;
            events::record(tx, now, || NewEvent { name: EventName::Public, action: None, ..word("publicized")() })
                .await?;
        }
        (false, false) | (true, true) => {}
    }
    match (before.archived, after.archived) {
        (false, true) => events::record(tx, now, word("archived")).await,
        (true, false) => events::record(tx, now, word("unarchived")).await,
        (false, false) | (true, true) => Ok(()),
    }
}

pub async fn record_member(
    tx: &mut Transaction,
    (repo, user): (RepoId, AccountId),
    data: &MemberData,
    actor: Option<AccountId>,
    now: Timestamp,
) -> Result<()> {
    let action = match (data.before, data.after) {
        (before, after) if before == after => return Ok(()),
        (None, _) => "added",
        (Some(_), None) => "removed",
        (Some(_), Some(_)) => "edited",
    };
    events::record(tx, now, || NewEvent {
        name: EventName::Member,
        action: Some(action),
        about: About::Repo(repo),
        actor,
        subject: Some(user.0),
        data: events::to_data(data),
    })
    .await
}

fn new(action: &'static str, repo: RepoId, actor: Option<AccountId>, data: &RepositoryData) -> NewEvent {
    NewEvent {
        name: EventName::Repository,
        action: Some(action),
        about: About::Repo(repo),
        actor,
        subject: None,
        data: events::to_data(data),
    }
}

/// A value that may have been absent before: serde alone does not distinguish `Some(None)` from `None`.
mod nested {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde passes the field")]
    pub fn serialize<S: Serializer>(value: &Option<Option<String>>, serializer: S) -> Result<S::Ok, S::Error> {
        value.as_ref().map(|value| [value]).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
        Ok(Option::<[Option<String>; 1]>::deserialize(deserializer)?.map(|[value]| value))
    }
}
