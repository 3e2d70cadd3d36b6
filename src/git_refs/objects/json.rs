//! Objects as clients see them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use crate::clock::Timestamp;
use crate::git::{self, EntryMode, Identity, ObjectKind, PathEntry};
use crate::git_refs::json::{Object, plural};
use crate::ids::{NodeId, Sha};
use crate::refs::Target;
use crate::repos::Repo;
use crate::urls::{Url, Urls};

/// One commit.
#[derive(Serialize)]
pub struct Commit<'a> {
    sha: Sha,
    node_id: String,
    url: Url<'a>,
    html_url: Url<'a>,
    author: Person<'a>,
    committer: Person<'a>,
    tree: Named<'a>,
    message: &'a str,
    parents: Vec<Parent<'a>>,
    verification: Verification<'a>,
}

impl<'a> Commit<'a> {
    pub fn new(sha: Sha, commit: &'a git::Commit, repo: &'a Repo, urls: &'a Urls) -> Self {
        let signature = commit.signature.as_ref();
        let parent = |sha: &Sha| Parent {
            sha: *sha,
            url: url(ObjectKind::Commit, *sha, repo, urls),
            html_url: urls.commit_page(&repo.owner_login, &repo.name, *sha),
        };
        Self {
            sha,
            node_id: node_id("C", sha, repo),
            url: url(ObjectKind::Commit, sha, repo, urls),
            html_url: urls.commit_page(&repo.owner_login, &repo.name, sha),
            author: Person::new(&commit.author),
            committer: Person::new(&commit.committer),
            tree: Named { sha: commit.tree_id, url: url(ObjectKind::Tree, commit.tree_id, repo, urls) },
            message: commit.message.trim_end_matches('\n'),
            parents: commit.parent_ids.iter().map(parent).collect(),
            verification: Verification::new(
                signature.map(|signed| signed.signature.as_str()),
                signature.map(|signed| signed.payload.as_str()),
            ),
        }
    }
}

/// One annotated tag.
#[derive(Serialize)]
pub struct Tag<'a> {
    node_id: String,
    tag: &'a str,
    sha: Sha,
    url: Url<'a>,
    message: &'a str,
    tagger: Option<Person<'a>>,
    object: Object<'a>,
    verification: Verification<'a>,
}

impl<'a> Tag<'a> {
    pub fn new(sha: Sha, tag: &'a git::Tag, repo: &'a Repo, urls: &'a Urls) -> Self {
        let target = Target { sha: tag.target_id, kind: tag.target_kind };
        Self {
            node_id: node_id("TA", sha, repo),
            tag: &tag.name,
            sha,
            url: url(ObjectKind::Tag, sha, repo, urls),
            message: &tag.message,
            tagger: tag.tagger.as_ref().map(Person::new),
            object: Object::new(target, repo, urls),
            verification: Verification::new(tag.signature.as_deref(), None),
        }
    }
}

/// One tree, or all that is below it.
#[derive(Serialize)]
pub struct Tree<'a> {
    sha: Sha,
    url: Url<'a>,
    tree: Vec<Entry<'a>>,
    truncated: bool,
}

/// A tree with the sizes of its files.
pub struct FoundTree {
    pub sha: Sha,
    pub entries: Vec<(PathEntry, Option<u64>)>,
    pub is_truncated: bool,
}

impl<'a> Tree<'a> {
    pub fn new(found: &FoundTree, repo: &'a Repo, urls: &'a Urls) -> Self {
        let entry = |(entry, size): &(PathEntry, Option<u64>)| {
            let kind = entry.mode.object_kind();
            // The commit of a submodule is in another repository.
            let is_here = entry.mode != EntryMode::Submodule;
            Entry {
                path: String::from_utf8_lossy(&entry.path).into_owned(),
                mode: entry.mode.as_str(),
                kind: kind.as_str(),
                sha: entry.sha,
                size: *size,
                url: is_here.then(|| url(kind, entry.sha, repo, urls)),
            }
        };
        Self {
            sha: found.sha,
            url: url(ObjectKind::Tree, found.sha, repo, urls),
            tree: found.entries.iter().map(entry).collect(),
            truncated: found.is_truncated,
        }
    }
}

#[derive(Serialize)]
struct Entry<'a> {
    path: String,
    mode: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
    sha: Sha,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<Url<'a>>,
}

/// One blob without its content.
#[derive(Serialize)]
pub struct BlobHead<'a> {
    sha: Sha,
    node_id: String,
    size: usize,
    url: Url<'a>,
}

impl<'a> BlobHead<'a> {
    pub fn new(sha: Sha, size: usize, repo: &'a Repo, urls: &'a Urls) -> Self {
        Self { sha, node_id: node_id("B", sha, repo), size, url: url(ObjectKind::Blob, sha, repo, urls) }
    }

    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("our shapes have text keys and no failing parts")
    }
}

/// One blob with its content.
#[derive(Serialize)]
pub struct Blob<'a> {
    #[serde(flatten)]
    head: BlobHead<'a>,
    content: String,
    encoding: &'static str,
}

impl<'a> Blob<'a> {
    pub fn new(sha: Sha, content: &[u8], repo: &'a Repo, urls: &'a Urls) -> Self {
        Self {
            head: BlobHead::new(sha, content.len(), repo, urls),
            content: in_lines(&STANDARD.encode(content)),
            encoding: "base64",
        }
    }
}

/// An object by its name alone.
#[derive(Serialize)]
pub struct Named<'a> {
    sha: Sha,
    url: Url<'a>,
}

impl<'a> Named<'a> {
    pub fn new(kind: ObjectKind, sha: Sha, repo: &'a Repo, urls: &'a Urls) -> Self {
        Self { sha, url: url(kind, sha, repo, urls) }
    }
}

#[derive(Serialize)]
struct Parent<'a> {
    sha: Sha,
    url: Url<'a>,
    html_url: Url<'a>,
}

#[derive(Serialize)]
struct Person<'a> {
    name: &'a str,
    email: &'a str,
    date: Timestamp,
}

impl<'a> Person<'a> {
    fn new(identity: &'a Identity) -> Self {
        Self { name: &identity.name, email: &identity.email, date: Timestamp(identity.date.seconds) }
    }
}

/// What is known about a signature. None is checked here, so none is called good.
#[derive(Serialize)]
struct Verification<'a> {
    verified: bool,
    reason: &'static str,
    signature: Option<&'a str>,
    payload: Option<&'a str>,
    verified_at: Option<Timestamp>,
}

impl<'a> Verification<'a> {
    fn new(signature: Option<&'a str>, payload: Option<&'a str>) -> Self {
        let reason = if signature.is_some() { "gpgverify_unavailable" } else { "unsigned" };
        Self { verified: false, reason, signature, payload, verified_at: None }
    }
}

/// The address of an object.
pub fn url<'a>(kind: ObjectKind, sha: Sha, repo: &'a Repo, urls: &'a Urls) -> Url<'a> {
    urls.git_object(&repo.owner_login, &repo.name, plural(kind), sha)
}

fn node_id(prefix: &'static str, sha: Sha, repo: &Repo) -> String {
    NodeId::new(prefix, 0).number(repo.id.0).text(&sha.to_string()).finish()
}

/// Base64 as mail has it, which is how clients of this API get it.
fn in_lines(text: &str) -> String {
    const LINE: usize = 60;
    let mut out = String::with_capacity(text.len() + text.len() / LINE + 1);
    let mut rest = text;
    while !rest.is_empty() {
        let (line, more) = rest.split_at(rest.len().min(LINE));
        out.push_str(line);
        out.push('\n');
        rest = more;
    }
    out
}
