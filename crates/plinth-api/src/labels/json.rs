//! Labels on the wire.

use schemars::JsonSchema;
use serde::Serialize;

use plinth_base::ids::{LabelId, NodeId};
use plinth_base::urls::{Url, Urls};
use plinth_core::repos::Repo;

/// A label of a repository.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "label")]
pub struct Label<'a> {
    id: LabelId,
    node_id: String,
    url: Url<'a>,
    name: &'a str,
    description: Option<&'a str>,
    /// Six hexadecimal digits.
    color: &'a str,
    /// New repositories have no labels, so none is a default one.
    default: bool,
}

impl<'a> Label<'a> {
    pub fn new(label: &'a plinth_core::labels::Label, repo: &'a Repo, urls: &'a Urls) -> Self {
        Self {
            id: label.id,
            node_id: NodeId::new("LA", 0).number(repo.id.0).number(label.id.0).finish(),
            url: urls.label(&repo.owner_login, &repo.name, &label.name),
            name: &label.name,
            description: label.description.as_deref(),
            color: &label.color,
            default: false,
        }
    }
}
