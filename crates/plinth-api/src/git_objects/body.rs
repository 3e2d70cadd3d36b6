//! Bodies of the operations that create git objects.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

use crate::request::shape::{Apart, Fields, FromValue, Nullable, flatten, from_json};
use crate::wire::{DateTime, Word, Words};
use plinth_base::ids::ObjectKind;
use plinth_core::git_objects::{Encoding, NewBlob, NewCommit, NewEntry, NewTag, NewTree, Person};

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct CreateBlobBody {
    content: String,
    /// `base64`, or `utf-8`, which every other text means, too.
    encoding: Option<String>,
}
from_json!(CreateBlobBody { content, encoding });

impl From<CreateBlobBody> for NewBlob {
    fn from(body: CreateBlobBody) -> Self {
        let encoding = match body.encoding.as_deref() {
            Some("base64") => Encoding::Base64,
            Some(_) | None => Encoding::Utf8,
        };
        Self { content: body.content, encoding }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct CreateTreeBody {
    tree: Vec<EntryBody>,
    /// The tree to start from.
    base_tree: Option<Nullable<String>>,
}
from_json!(CreateTreeBody { tree, base_tree });

impl From<CreateTreeBody> for NewTree {
    fn from(body: CreateTreeBody) -> Self {
        let entries = body.tree.into_iter().map(NewEntry::from).collect();
        Self { base_tree: flatten(body.base_tree), entries }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
struct EntryBody {
    path: String,
    #[schemars(extend("enum" = ["100644", "100755", "040000", "160000", "120000", null]))]
    mode: Option<String>,
    r#type: Option<Word<EntryKind>>,
    /// The id of an object; null removes the entry.
    sha: Option<Nullable<String>>,
    /// The content of a new blob, instead of `sha`.
    content: Option<String>,
}
from_json!(EntryBody { path, mode, r#type, sha, content });

/// The kind of object that an entry names.
#[derive(Debug, Clone, Copy)]
struct EntryKind(ObjectKind);

impl Words for EntryKind {
    const ALL: &'static [Self] =
        &[EntryKind(ObjectKind::Blob), EntryKind(ObjectKind::Tree), EntryKind(ObjectKind::Commit)];

    fn word(self) -> &'static str {
        self.0.as_str()
    }
}

impl From<EntryBody> for NewEntry {
    fn from(entry: EntryBody) -> Self {
        let sha = entry.sha.map(|Nullable(sha)| sha);
        let kind = entry.r#type.map(|Word(EntryKind(kind))| kind);
        Self { path: entry.path, mode: entry.mode, kind, sha, content: entry.content }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct CreateCommitBody {
    message: String,
    /// The id of the tree.
    tree: String,
    parents: Option<Nullable<Parents>>,
    /// The user of the token by default.
    author: Option<Apart<PersonBody>>,
    /// The author by default, also for each key of it.
    committer: Option<CommitterBody>,
    signature: Option<Nullable<String>>,
}
from_json!(CreateCommitBody { message, tree, parents, author, committer, signature });

impl From<CreateCommitBody> for NewCommit {
    fn from(body: CreateCommitBody) -> Self {
        Self {
            message: body.message,
            tree: body.tree,
            parents: flatten(body.parents).map(|Parents(ids)| ids).unwrap_or_default(),
            author: body.author.map(|Apart(person)| person.into()),
            committer: body.committer.map(Person::from),
            signature: flatten(body.signature),
        }
    }
}

/// Ids of commits. One wrong item is reported for the whole list.
struct Parents(Vec<String>);

impl FromValue for Parents {
    const EXPECTED: &'static str = <Vec<String>>::EXPECTED;

    fn from_value(fields: &mut Fields<'_>, name: &str, value: &Value, expected: &str) -> Option<Self> {
        let Value::Array(list) = value else { return fields.mistyped(name, value, expected) };
        let ids: Option<Vec<String>> = list.iter().map(|item| item.as_str().map(str::to_owned)).collect();
        match ids {
            Some(ids) => Some(Self(ids)),
            None => fields.violation(&format!("{name}/items"), "not every item is a string."),
        }
    }
}

impl JsonSchema for Parents {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        <Vec<String>>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        <Vec<String>>::json_schema(generator)
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct PersonBody {
    email: String,
    name: String,
    #[schemars(with = "Option<DateTime>")]
    date: Option<String>,
}
from_json!(PersonBody { email, name, date });

impl From<PersonBody> for Person {
    fn from(person: PersonBody) -> Self {
        let PersonBody { email, name, date } = person;
        Self { name: Some(name), email: Some(email), date }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
struct CommitterBody {
    email: Option<String>,
    name: Option<String>,
    #[schemars(with = "Option<DateTime>")]
    date: Option<String>,
}
from_json!(CommitterBody { email, name, date });

impl From<CommitterBody> for Person {
    fn from(person: CommitterBody) -> Self {
        let CommitterBody { email, name, date } = person;
        Self { name, email, date }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct CreateTagBody {
    tag: String,
    message: String,
    /// The id of the object.
    object: String,
    r#type: Word<ObjectKind>,
    /// The user of the token by default.
    tagger: Option<Apart<PersonBody>>,
}
from_json!(CreateTagBody { tag, message, object, r#type, tagger });

impl From<CreateTagBody> for NewTag {
    fn from(body: CreateTagBody) -> Self {
        Self {
            tag: body.tag,
            message: body.message,
            object: body.object,
            kind: body.r#type.0.as_str().to_owned(),
            tagger: body.tagger.map(|Apart(person)| person.into()),
        }
    }
}
