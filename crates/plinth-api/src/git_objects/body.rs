//! The bodies that make objects.

use plinth_core::git_objects::Encoding;
use plinth_core::git_objects::NewBlob;
use plinth_core::git_objects::NewCommit;
use plinth_core::git_objects::NewEntry;
use plinth_core::git_objects::NewTag;
use plinth_core::git_objects::NewTree;
use plinth_core::git_objects::Person;
use serde_json::{Map, Value};

use crate::request::shape::{Fields, FromJson};

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
