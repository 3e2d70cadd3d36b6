//! Project items on the wire.

use schemars::JsonSchema;
use serde::Serialize;

use super::ready::{ReadyContent, ReadyItem, Subject};
use super::values::{FieldValue, Shown};
use crate::accounts::json::User;
use crate::issues::json::Issue;
use crate::negotiation::Media;
use crate::projects::json as projects;
use crate::pulls::json::{PullRequest, user_of};
use crate::wire::Word;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{NodeId, ProjectItemId};
use plinth_base::urls::Part::{Fixed, Number};
use plinth_base::urls::{Url, Urls};
use plinth_core::project_items::{ContentKind, ProjectItem};
use plinth_core::projects::Project;

/// An item of a project.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "project-item")]
pub struct Item<'a> {
    id: ProjectItemId,
    node_id: String,
    project_url: Url<'a>,
    content_type: Word<ContentKind>,
    /// The issue or pull request; null if the caller may not read it.
    content: Option<Content<'a>>,
    /// Who added the item; the owner of the project if that is not known.
    creator: User<'a>,
    created_at: Timestamp,
    updated_at: Timestamp,
    archived_at: Option<Timestamp>,
    item_url: Url<'a>,
}

/// An item with values of fields.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "project-item-with-fields")]
pub struct ItemWithFields<'a> {
    #[serde(flatten)]
    item: Item<'a>,
    /// In the order of the project's fields.
    fields: Vec<FieldValue<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
enum Content<'a> {
    Issue(Box<Issue<'a>>),
    PullRequest(Box<PullRequest<'a>>),
}

impl<'a> Content<'a> {
    fn new(content: &'a ReadyContent, urls: &'a Urls) -> Self {
        let repo = &content.repo;
        match &content.subject {
            Subject::Issue(ready) => Self::Issue(Box::new(Issue::new(ready, Media::Json, repo, urls))),
            Subject::Pull(ready) => Self::PullRequest(Box::new(PullRequest::new(ready, Media::Json, repo, urls))),
        }
    }
}

impl<'a> Item<'a> {
    pub fn new(ready: &'a ReadyItem, project: &'a Project, urls: &'a Urls) -> Self {
        let item = &ready.item;
        Self {
            id: item.id,
            node_id: node_id(item, project),
            project_url: projects::url(project, urls),
            content_type: Word(item.content.kind()),
            content: ready.content.as_ref().map(|content| Content::new(content, urls)),
            creator: creator(item, project, urls),
            created_at: item.created_at,
            updated_at: item.updated_at,
            archived_at: None,
            item_url: url(item, project, urls),
        }
    }
}

impl<'a> ItemWithFields<'a> {
    pub fn new(ready: &'a ReadyItem, shown: Shown<'a>) -> Self {
        let fields = shown.items.fields.iter().map(|field| FieldValue::new(field, ready, shown)).collect();
        Self { item: Item::new(ready, shown.project, shown.urls), fields }
    }
}

pub fn creator<'a>(item: &'a ProjectItem, project: &'a Project, urls: &'a Urls) -> User<'a> {
    item.creator.as_ref().map_or_else(|| projects::owner(project, urls), |creator| user_of(creator, urls))
}

pub fn url<'a>(item: &ProjectItem, project: &'a Project, urls: &'a Urls) -> Url<'a> {
    projects::url(project, urls).then(Fixed("/items/")).then(Number(item.id.0))
}

pub fn node_id(item: &ProjectItem, project: &Project) -> String {
    let node = NodeId::new("PVTI", project.node_scope());
    node.number(project.owner_id.0).number(project.id.0).number(item.id.0).finish()
}

/// The node id of what an item shows.
pub fn content_node_id(item: &ProjectItem) -> String {
    let content = &item.content;
    match content.pull {
        Some(pull) => NodeId::new("PR", 0).number(content.repo.0).number(pull.0).finish(),
        None => NodeId::new("I", 0).number(content.repo.0).number(content.issue.0).finish(),
    }
}
