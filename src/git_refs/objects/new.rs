//! The bodies that make objects.

use serde_json::{Map, Value};

use crate::api::shape::{Fields, FromJson};

#[derive(Debug)]
pub struct NewBlob {
    pub content: String,
    pub encoding: Encoding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    Base64,
}

impl FromJson for NewBlob {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let content = fields.required("content");
        let encoding: Option<String> = fields.optional("encoding")?;
        let encoding = match encoding.as_deref() {
            None | Some("utf-8") => Encoding::Utf8,
            Some("base64") => Encoding::Base64,
            Some(other) => {
                fields.choice("encoding", other, &["utf-8", "base64"])?;
                return None;
            }
        };
        Some(Self { content: content?, encoding })
    }
}

#[derive(Debug)]
pub struct NewTree {
    pub base_tree: Option<String>,
    pub entries: Vec<NewEntry>,
}

/// One path of a new tree.
#[derive(Debug)]
pub struct NewEntry {
    pub path: String,
    pub mode: Option<String>,
    /// `Some(None)` takes the path away.
    pub sha: Option<Option<String>>,
    pub content: Option<String>,
}

impl FromJson for NewTree {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let list: Option<&[Value]> = fields.required("tree");
        let entries = list.and_then(|list| fields.items("tree", list));
        let base_tree = fields.optional::<Option<String>>("base_tree");
        Some(Self { base_tree: base_tree?.flatten(), entries: entries? })
    }
}

impl FromJson for NewEntry {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let path = fields.required("path");
        let mode = fields.optional("mode");
        let kind = fields.optional::<String>("type");
        let sha = fields.optional::<Option<String>>("sha");
        let content = fields.optional("content");
        if let Some(kind) = kind.as_ref()?.as_deref() {
            fields.choice("type", kind, &["blob", "tree", "commit"])?;
        }
        Some(Self { path: path?, mode: mode?, sha: sha?, content: content? })
    }
}

#[derive(Debug)]
pub struct NewCommit {
    pub message: String,
    pub tree: String,
    pub parents: Vec<String>,
    pub author: Option<Person>,
    pub committer: Option<Person>,
    pub signature: Option<String>,
}

/// Whom an object says it is from; what is left out is filled in.
#[derive(Debug, Clone)]
pub struct Person {
    pub name: Option<String>,
    pub email: Option<String>,
    pub date: Option<String>,
}

impl FromJson for NewCommit {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let message = fields.required("message");
        let tree = fields.required("tree");
        let parents = parents(fields);
        let author = person(fields, "author");
        let committer = person(fields, "committer");
        let signature = fields.optional::<Option<String>>("signature");
        Some(Self {
            message: message?,
            tree: tree?,
            parents: parents?,
            author: author?,
            committer: committer?,
            signature: signature?.flatten(),
        })
    }
}

fn parents(fields: &mut Fields<'_>) -> Option<Vec<String>> {
    let list = fields.optional::<Option<&[Value]>>("parents")?.flatten().unwrap_or_default();
    let texts: Option<Vec<String>> = list.iter().map(|item| item.as_str().map(str::to_owned)).collect();
    if texts.is_none() {
        fields.violation("parents/items", "not every item is a string.");
    }
    texts
}

fn person(fields: &mut Fields<'_>, name: &'static str) -> Option<Option<Person>> {
    match fields.optional::<&Map<String, Value>>(name)? {
        None => Some(None),
        Some(object) => fields.nested(name, object).map(Some),
    }
}

impl FromJson for Person {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let name = fields.optional("name");
        let email = fields.optional("email");
        let date = fields.optional("date");
        Some(Self { name: name?, email: email?, date: date? })
    }
}

#[derive(Debug)]
pub struct NewTag {
    pub tag: String,
    pub message: String,
    pub object: String,
    pub kind: String,
    pub tagger: Option<Person>,
}

impl FromJson for NewTag {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let tag = fields.required("tag");
        let message = fields.required("message");
        let object = fields.required("object");
        let kind: Option<String> = fields.required("type");
        let tagger = person(fields, "tagger");
        if let Some(kind) = &kind {
            fields.choice("type", kind, &["commit", "tree", "blob", "tag"])?;
        }
        Some(Self { tag: tag?, message: message?, object: object?, kind: kind?, tagger: tagger? })
    }
}
