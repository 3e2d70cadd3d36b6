//! Payloads about installations, which only their app receives.

use plinth_base::error::Result;
use plinth_base::ids::RepoId;
use plinth_core::installations::events::{InstallationData, RepositoryName};
use plinth_core::tokens::SelectionMode;
use serde::Serialize;

use super::common::{Envelope, repo_node_id};
use super::{Context, write};
use crate::installations::json::Installation;
use crate::wire::Word;

#[derive(Serialize)]
struct Whole<'a> {
    installation: Installation<'a>,
    repositories: Vec<Repository<'a>>,
    requester: Option<()>,
}

pub fn render(context: &Context<'_>) -> Result<Option<String>> {
    let data: InstallationData = context.data()?;
    let specific = Whole {
        installation: Installation::new(&data.installation, context.urls),
        repositories: data.repositories.iter().map(Repository::new).collect(),
        requester: None,
    };
    write(&Envelope::new(context, specific).without_installation())
}

#[derive(Serialize)]
struct Changed<'a> {
    installation: Installation<'a>,
    repository_selection: Word<SelectionMode>,
    repositories_added: Vec<Repository<'a>>,
    repositories_removed: Vec<Repository<'a>>,
    requester: Option<()>,
}

pub fn render_repositories(context: &Context<'_>) -> Result<Option<String>> {
    let data: InstallationData = context.data()?;
    let changed = data.repositories.iter().map(Repository::new).collect();
    let (added, removed) = match context.event.action.as_deref() {
        Some("removed") => (Vec::new(), changed),
        _ => (changed, Vec::new()),
    };
    let specific = Changed {
        installation: Installation::new(&data.installation, context.urls),
        repository_selection: Word(data.installation.installation.repository_selection),
        repositories_added: added,
        repositories_removed: removed,
        requester: None,
    };
    write(&Envelope::new(context, specific).without_installation())
}

#[derive(Serialize)]
struct Repository<'a> {
    id: RepoId,
    node_id: String,
    name: &'a str,
    full_name: String,
    private: bool,
}

impl<'a> Repository<'a> {
    fn new(named: &'a RepositoryName) -> Self {
        Self {
            id: named.id,
            node_id: repo_node_id(named.id),
            name: &named.name,
            full_name: format!("{}/{}", named.owner, named.name),
            private: named.private,
        }
    }
}
