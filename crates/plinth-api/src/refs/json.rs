//! References as clients see and send them.

use plinth_core::ref_updates::NewRef;
use plinth_core::ref_updates::RefUpdate;
use serde::Serialize;

use crate::request::shape::{Fields, FromJson};
use plinth_base::ids::{NodeId, Sha};
use plinth_base::urls::{Url, Urls};
use plinth_core::refs::{Ref, Target};
use plinth_core::repos::Repo;
use plinth_git::ObjectKind;

/// One reference.
#[derive(Serialize)]
pub struct Reference<'a> {
    #[serde(rename = "ref")]
    name: &'a str,
    node_id: String,
    url: Url<'a>,
    object: Object<'a>,
}

/// What a reference or a tag points at.
#[derive(Serialize)]
pub struct Object<'a> {
    sha: Sha,
    #[serde(rename = "type")]
    kind: &'static str,
    url: Url<'a>,
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
        Self { sha: target.sha, kind: target.kind.as_str(), url }
    }
}

/// The address of a reference, without its `refs/`.
pub fn url<'a>(reference: &'a Ref, repo: &'a Repo, urls: &'a Urls) -> Url<'a> {
    let name = reference.name.as_str();
    urls.git_ref(&repo.owner_login, &repo.name, name.strip_prefix("refs/").unwrap_or(name))
}

/// The word that stands in addresses of objects.
pub fn plural(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Commit => "commits",
        ObjectKind::Tree => "trees",
        ObjectKind::Blob => "blobs",
        ObjectKind::Tag => "tags",
    }
}

impl FromJson for NewRef {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let name = fields.required("ref");
        let sha = sha(fields);
        Some(Self { name: name?, sha: sha? })
    }
}

impl FromJson for RefUpdate {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let sha = sha(fields);
        let force = fields.optional("force");
        Some(Self { sha: sha?, force: force?.unwrap_or(false) })
    }
}

fn sha(fields: &mut Fields<'_>) -> Option<String> {
    let text: String = fields.required("sha")?;
    let count = text.chars().count();
    let most = Sha::HEX_LENGTH;
    match count.cmp(&most) {
        std::cmp::Ordering::Equal => Some(text),
        std::cmp::Ordering::Less => {
            fields.violation_here(format!("At least {most} characters are required; only {count} were supplied."));
            None
        }
        std::cmp::Ordering::Greater => {
            fields.violation_here(format!("Only {most} characters are allowed; {count} were supplied."));
            None
        }
    }
}
