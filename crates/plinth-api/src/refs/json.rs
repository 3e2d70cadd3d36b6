//! References on the wire.

use schemars::JsonSchema;
use serde::Serialize;

use crate::wire::{Word, words};
use plinth_base::ids::{NodeId, Sha};
use plinth_base::urls::{Url, Urls};
use plinth_core::refs::{Ref, Target};
use plinth_core::repos::Repo;
use plinth_git::ObjectKind;

words! { ObjectKind: Commit, Tree, Blob, Tag }

/// A git reference.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "git-ref")]
pub struct Reference<'a> {
    /// The full name, such as `refs/heads/main`.
    #[serde(rename = "ref")]
    name: &'a str,
    node_id: String,
    url: Url<'a>,
    /// What it points at.
    object: Object<'a>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Object<'a> {
    sha: Sha,
    #[serde(rename = "type")]
    kind: Word<ObjectKind>,
    url: Url<'a>,
}

/// The schema of the older operation that returns one reference or a list.
#[derive(JsonSchema)]
#[schemars(inline, untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub enum OneOrSeveral<'a> {
    One(Box<Reference<'a>>),
    Several(Vec<Reference<'a>>),
}

impl<'a> Reference<'a> {
    pub fn new(reference: &'a Ref, repo: &'a Repo, urls: &'a Urls) -> Self {
        let target = Target { sha: reference.target, kind: reference.kind };
        Self {
            name: reference.name.as_str(),
            node_id: NodeId::new("REF", 0).number(repo.id.0).text(reference.name.as_str()).finish(),
            url: url(reference, repo, urls),
            object: Object::new(target, repo, urls),
        }
    }
}

impl<'a> Object<'a> {
    pub fn new(target: Target, repo: &'a Repo, urls: &'a Urls) -> Self {
        let url = urls.git_object(&repo.owner_login, &repo.name, plural(target.kind), target.sha);
        Self { sha: target.sha, kind: Word(target.kind), url }
    }
}

/// The URL of a reference, which leaves out the leading `refs/`.
pub fn url<'a>(reference: &'a Ref, repo: &'a Repo, urls: &'a Urls) -> Url<'a> {
    let name = reference.name.as_str();
    urls.git_ref(&repo.owner_login, &repo.name, name.strip_prefix("refs/").unwrap_or(name))
}

/// The path segment for objects of this kind.
pub fn plural(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Commit => "commits",
        ObjectKind::Tree => "trees",
        ObjectKind::Blob => "blobs",
        ObjectKind::Tag => "tags",
    }
}
