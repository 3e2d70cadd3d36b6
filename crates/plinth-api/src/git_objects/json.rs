//! Git objects on the wire.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use super::blob_body::BlobBody;
use crate::refs::json::{Object, plural};
use crate::wire::Word;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{NodeId, Sha};
use plinth_base::urls::{Url, Urls};
use plinth_core::refs::Target;
use plinth_core::repos::Repo;
use plinth_git as git;
use plinth_git::{EntryMode, Identity, ObjectKind, PathEntry};

/// A git commit.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "git-commit")]
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

/// An annotated tag.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "git-tag")]
pub struct Tag<'a> {
    node_id: String,
    /// Its name.
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

/// A git tree.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "git-tree")]
pub struct Tree<'a> {
    sha: Sha,
    url: Url<'a>,
    #[schemars(with = "Vec<Entry<'a>>")]
    tree: Entries<'a>,
    /// Whether entries are missing because the tree is too large for one response.
    truncated: bool,
}

/// A tree with the sizes of its files.
pub struct FoundTree {
    pub sha: Sha,
    pub entries: Vec<(PathEntry, Option<u64>)>,
    pub is_truncated: bool,
}

impl<'a> Tree<'a> {
    pub fn new(found: &'a FoundTree, repo: &'a Repo, urls: &'a Urls) -> Self {
        Self {
            sha: found.sha,
            url: url(ObjectKind::Tree, found.sha, repo, urls),
            tree: Entries { found, repo, urls },
            truncated: found.is_truncated,
        }
    }
}

/// Writes a tree. It may be large, so this runs on a blocking thread.
pub fn write_tree(found: &FoundTree, repo: &Repo, urls: &Urls) -> Vec<u8> {
    const ENTRY_BYTES: usize = 320;
    let mut body = Vec::with_capacity(ENTRY_BYTES * (found.entries.len() + 1));
    serde_json::to_writer(&mut body, &Tree::new(found, repo, urls))
        .expect("our shapes have text keys and no failing parts");
    body.shrink_to_fit();
    body
}

/// The entries of a tree. There may be many, so each is converted when it is written.
struct Entries<'a> {
    found: &'a FoundTree,
    repo: &'a Repo,
    urls: &'a Urls,
}

impl Serialize for Entries<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.found.entries.iter().map(|(entry, size)| {
            let kind = entry.mode.object_kind();
            // The commit of a submodule is in another repository.
            let is_here = entry.mode != EntryMode::Submodule;
            Entry {
                path: String::from_utf8_lossy(&entry.path),
                mode: entry.mode.as_str(),
                kind: Word(kind),
                sha: entry.sha,
                size: *size,
                url: is_here.then(|| url(kind, entry.sha, self.repo, self.urls)),
            }
        }))
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Entry<'a> {
    path: Cow<'a, str>,
    mode: &'static str,
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["blob", "tree", "commit"]))]
    kind: Word<ObjectKind>,
    sha: Sha,
    /// Only for blobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// Not for submodules.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<Url<'a>>,
}

/// A blob without its content, which [`BlobBody`] writes after it.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct BlobHead<'a> {
    sha: Sha,
    node_id: String,
    size: u64,
    url: Url<'a>,
}

/// A git blob.
#[derive(JsonSchema)]
#[schemars(rename = "git-blob")]
#[expect(dead_code, reason = "only its schema is used: the content is encoded while it is sent")]
pub struct Blob<'a> {
    #[serde(flatten)]
    head: BlobHead<'a>,
    /// In Base64, with a line feed after every 60 characters.
    content: String,
    encoding: Base64,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "lowercase")]
#[expect(dead_code, reason = "only its schema is used")]
enum Base64 {
    Base64,
}

/// A JSON object with everything of a blob but its content.
pub fn blob_head(sha: Sha, size: usize, repo: &Repo, urls: &Urls) -> Vec<u8> {
    let url = url(ObjectKind::Blob, sha, repo, urls);
    let head = BlobHead { sha, node_id: node_id("B", sha, repo), size: size as u64, url };
    serde_json::to_vec(&head).expect("our shapes have text keys and no failing parts")
}

/// Writes a blob with its content, for blobs that are small enough.
pub fn write_blob(sha: Sha, content: &[u8], repo: &Repo, urls: &Urls) -> Vec<u8> {
    BlobBody::new(blob_head(sha, content.len(), repo, urls), content).write()
}

/// The memory that a commit takes, as an object and in a response.
pub fn commit_bytes(commit: &git::Commit) -> u64 {
    const PARENT_BYTES: usize = 400;
    let signed = commit.signature.as_ref().map_or(0, |signed| signed.signature.len() + signed.payload.len());
    (3 * (commit.message.len() + signed) + PARENT_BYTES * (commit.parent_ids.len() + 1)) as u64
}

/// The memory that a tag takes, as an object and in a response.
pub fn tag_bytes(tag: &git::Tag) -> u64 {
    3 * (tag.message.len() + tag.signature.as_ref().map_or(0, String::len)) as u64
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Named<'a> {
    sha: Sha,
    url: Url<'a>,
}

impl<'a> Named<'a> {
    pub fn new(kind: ObjectKind, sha: Sha, repo: &'a Repo, urls: &'a Urls) -> Self {
        Self { sha, url: url(kind, sha, repo, urls) }
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Parent<'a> {
    sha: Sha,
    url: Url<'a>,
    html_url: Url<'a>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
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

/// Signatures are shown, but not verified.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
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

/// The URL of an object.
pub fn url<'a>(kind: ObjectKind, sha: Sha, repo: &'a Repo, urls: &'a Urls) -> Url<'a> {
    urls.git_object(&repo.owner_login, &repo.name, plural(kind), sha)
}

fn node_id(prefix: &'static str, sha: Sha, repo: &Repo) -> String {
    NodeId::new(prefix, 0).number(repo.id.0).text(&sha.to_string()).finish()
}
