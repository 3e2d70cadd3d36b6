//! The parts that the payloads of all events have.

use plinth_base::error::Result;
use plinth_base::ids::{InstallationId, NodeId, RepoId};
use plinth_base::urls::Urls;
use plinth_core::accounts::{self, Account, AccountKind};
use plinth_core::events::{Event, EventName};
use plinth_core::repos::events::RepositoryData;
use plinth_core::repos::{self, Repo};
use serde::Serialize;

use super::Context;
use crate::accounts::json::{SimpleOrganization, User};
use crate::app::App;
use crate::repos::json::Repository;

/// The repository and the accounts of an event, as they are now.
pub struct Parties {
    pub repo: Option<Repo>,
    /// The number of open issues and pull requests of the repository.
    pub open_issues: i64,
    pub owner: Account,
    /// Who caused the event. What the operator does is shown as done by the owner.
    pub sender: Account,
}

impl Parties {
    /// `None` if the repository or the owner does not exist any more.
    pub async fn find(app: &App, event: &Event) -> Result<Option<Self>> {
        let mut db = app.read().await?;
        let Some(owner) = event.owner else { return Ok(None) };
        let Some(owner) = accounts::store::find(&mut db, owner).await? else { return Ok(None) };
        let (repo, open_issues) = match event.repo {
            None => (None, 0),
            Some(id) => {
                let found = repos::store::find_by_id(&mut db, id, None).await?.map(|found| found.repo);
                let Some(repo) = found.or_else(|| deleted_repo(event)) else { return Ok(None) };
                let open = repos::store::count_open_issues(&mut db, std::iter::once(id)).await?;
                (Some(repo), open.get(&id).copied().unwrap_or_default())
            }
        };
        let actor = match event.actor {
            Some(actor) => accounts::store::find(&mut db, actor).await?,
            None => None,
        };
        let sender = actor.unwrap_or_else(|| owner.clone());
        Ok(Some(Self { repo, open_issues, owner, sender }))
    }

    /// The repository, with everything that payloads show of it.
    pub fn repository<'a>(&'a self, urls: &'a Urls) -> Option<Repository<'a>> {
        let repo = self.repo.as_ref()?;
        Some(Repository::new(repo, urls).with_open_issues(self.open_issues).with_custom_properties())
    }
}

/// A deleted repository is shown as it was, and only in the event of its deletion.
fn deleted_repo(event: &Event) -> Option<Repo> {
    match event.name {
        EventName::Repository => serde_json::from_value::<RepositoryData>(event.data.clone()).ok()?.deleted,
        _ => None,
    }
}

/// What the payloads of all events have in common, around what is specific to one.
#[derive(Serialize)]
pub struct Envelope<'a, T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<&'a str>,
    #[serde(flatten)]
    specific: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    repository: Option<Repository<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    organization: Option<SimpleOrganization<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    installation: Option<Installation>,
    sender: User<'a>,
}

impl<'a, T> Envelope<'a, T> {
    pub fn new(context: &'a Context<'_>, specific: T) -> Self {
        let Context { urls, event, recipient, parties, .. } = context;
        Self {
            action: event.action.as_deref(),
            specific,
            repository: parties.repository(urls),
            organization: organization(&parties.owner, urls),
            installation: recipient.installation.map(Installation::new),
            sender: User::new(&parties.sender, urls),
        }
    }

    /// For events that show the repository in a way of their own.
    pub fn without_repository(mut self) -> Self {
        self.repository = None;
        self
    }

    /// For events that show the whole installation.
    pub fn without_installation(mut self) -> Self {
        self.installation = None;
        self
    }
}

/// The organization of a payload; `None` for other accounts.
fn organization<'a>(account: &'a Account, urls: &'a Urls) -> Option<SimpleOrganization<'a>> {
    (account.kind == AccountKind::Organization).then(|| SimpleOrganization::new(account, urls))
}

/// The installation through which an app receives an event.
#[derive(Serialize)]
pub struct Installation {
    id: InstallationId,
    node_id: String,
}

impl Installation {
    fn new(id: InstallationId) -> Self {
        Self { id, node_id: NodeId::new("IN", 0).number(id.0).finish() }
    }
}

/// The node id of a repository.
pub fn repo_node_id(id: RepoId) -> String {
    NodeId::new("R", 0).number(id.0).finish()
}

/// A former value.
#[derive(Serialize)]
pub struct From<T> {
    pub from: T,
}

/// The former texts of an issue, a pull request or a comment; absent where nothing changed.
#[derive(Serialize)]
pub struct TextChanges<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<From<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<From<&'a str>>,
}

impl<'a> TextChanges<'a> {
    pub fn new(title: Option<&'a str>, body: Option<&'a str>) -> Self {
        Self { title: title.map(|from| From { from }), body: body.map(|from| From { from }) }
    }
}
