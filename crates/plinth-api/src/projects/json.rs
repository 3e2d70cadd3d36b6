//! Projects on the wire, and the texts that they show as they were written and as HTML.

use schemars::JsonSchema;
use serde::Serialize;

use crate::accounts::json::User;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{NodeId, ProjectId};
use plinth_base::urls::Part::{Fixed, Number};
use plinth_base::urls::{Url, Urls};
use plinth_core::accounts::{Account, AccountKind};
use plinth_core::projects::text;

/// A project.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "project")]
pub struct Project<'a> {
    id: ProjectId,
    node_id: String,
    owner: User<'a>,
    creator: User<'a>,
    title: &'a str,
    description: Option<&'a str>,
    public: bool,
    closed_at: Option<Timestamp>,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Counted from 1 for each owner.
    number: i64,
    short_description: Option<&'a str>,
    deleted_at: Option<Timestamp>,
    deleted_by: Option<User<'a>>,
    state: State,
    latest_status_update: Option<()>,
    is_template: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum State {
    Open,
    Closed,
}

impl<'a> Project<'a> {
    /// A project without a known creator shows its owner as the creator.
    pub fn new(project: &'a plinth_core::projects::Project, creator: Option<&'a Account>, urls: &'a Urls) -> Self {
        Self {
            id: project.id,
            node_id: node_id(project),
            owner: owner(project, urls),
            creator: creator.map_or_else(|| owner(project, urls), |creator| User::new(creator, urls)),
            title: &project.title,
            description: None,
            public: project.public,
            closed_at: project.closed_at,
            created_at: project.created_at,
            updated_at: project.updated_at,
            number: project.number,
            short_description: project.short_description.as_deref(),
            deleted_at: None,
            deleted_by: None,
            state: if project.closed_at.is_some() { State::Closed } else { State::Open },
            latest_status_update: None,
            is_template: false,
        }
    }
}

pub fn owner<'a>(project: &'a plinth_core::projects::Project, urls: &'a Urls) -> User<'a> {
    let (id, kind) = (project.owner_id, project.owner_kind);
    User::from_parts(id, kind, &project.owner_login, project.owner_site_admin, urls)
}

pub fn node_id(project: &plinth_core::projects::Project) -> String {
    NodeId::new("PVT", project.node_scope()).number(project.owner_id.0).number(project.id.0).finish()
}

/// The URL of a project by its owner and number.
pub fn url<'a>(project: &'a plinth_core::projects::Project, urls: &'a Urls) -> Url<'a> {
    let owner = match project.owner_kind {
        AccountKind::Organization => urls.org(&project.owner_login),
        AccountKind::User | AccountKind::Bot => urls.user(&project.owner_login),
    };
    owner.then(Fixed("/projectsV2/")).then(Number(project.number))
}

/// A text as it was written and as HTML.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "rich-text")]
pub struct RichText<'a> {
    /// For use in a page.
    html: String,
    /// As it was written.
    raw: &'a str,
}

impl<'a> RichText<'a> {
    pub fn new(raw: &'a str) -> Self {
        Self { html: text::html(raw), raw }
    }
}
