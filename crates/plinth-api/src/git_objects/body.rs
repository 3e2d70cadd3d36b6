//! Bodies of the operations that create git objects.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

use crate::request::shape::{Fields, FromValue, Nullable, flatten, from_json};
use crate::wire::{DateTime, Word, Words};
use plinth_base::ids::ObjectKind;
use plinth_core::git_objects::{Encoding, NewBlob, NewCommit, NewEntry, NewTag, NewTree, Person};

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct CreateBlobBody {
    content: String,
    /// `utf-8` by default.
    encoding: Option<Word<Encoding>>,
}
from_json!(CreateBlobBody { content, encoding });

impl Words for Encoding {
    const ALL: &'static [Self] = &[Encoding::Utf8, Encoding::Base64];

    fn word(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Base64 => "base64",
        }
    }
}

impl From<CreateBlobBody> for NewBlob {
    fn from(body: CreateBlobBody) -> Self {
        Self { content: body.content, encoding: body.encoding.map_or(Encoding::Utf8, |Word(encoding)| encoding) }
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
    #[schemars(extend("enum" = ["100644", "100755", "040000", "160000", "120000"]))]
    mode: Option<String>,
    #[expect(dead_code, reason = "it is checked, but the mode decides")]
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
        Self { path: entry.path, mode: entry.mode, sha, content: entry.content }
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
    author: Option<PersonBody>,
    /// The author by default.
    committer: Option<PersonBody>,
    signature: Option<Nullable<String>>,
}
from_json!(CreateCommitBody { message, tree, parents, author, committer, signature });

impl From<CreateCommitBody> for NewCommit {
    fn from(body: CreateCommitBody) -> Self {
        Self {
            message: body.message,
            tree: body.tree,
            parents: flatten(body.parents).map(|Parents(ids)| ids).unwrap_or_default(),
            author: body.author.map(Person::from),
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
struct PersonBody {
    name: Option<String>,
    email: Option<String>,
    #[schemars(with = "Option<DateTime>")]
    date: Option<String>,
}
from_json!(PersonBody { name, email, date });

impl From<PersonBody> for Person {
    fn from(person: PersonBody) -> Self {
        let PersonBody { name, email, date } = person;
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
    tagger: Option<PersonBody>,
}
from_json!(CreateTagBody { tag, message, object, r#type, tagger });

impl From<CreateTagBody> for NewTag {
    fn from(body: CreateTagBody) -> Self {
        Self {
            tag: body.tag,
            message: body.message,
            object: body.object,
            kind: body.r#type.0.as_str().to_owned(),
            tagger: body.tagger.map(Person::from),
        }
    }
}
