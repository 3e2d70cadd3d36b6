//! Bodies of the operations that change files.

use schemars::JsonSchema;
use serde_json::{Map, Value};

use crate::git_objects::body::PersonBody;
use crate::request::context::RequestContext;
use crate::request::shape::from_json;
use plinth_core::contents::{FileChange, FileCommit};
use plinth_core::git_objects::Person;

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct WriteFileBody {
    /// The message of the commit.
    message: String,
    /// The content in Base64.
    content: String,
    /// The id of the blob that is replaced.
    sha: Option<String>,
    /// The default branch by default.
    branch: Option<String>,
    /// The user of the token by default.
    committer: Option<PersonBody>,
    /// The committer by default.
    author: Option<PersonBody>,
}
from_json!(WriteFileBody { message, content, sha, branch, committer, author });

impl WriteFileBody {
    pub fn into_commit(self, path: String) -> FileCommit {
        FileCommit {
            path,
            change: FileChange::Write(self.content),
            // Some clients send an empty text for a new file.
            sha: self.sha.filter(|sha| !sha.is_empty()),
            branch: self.branch.filter(|branch| !branch.is_empty()),
            message: self.message,
            author: self.author.map(Person::from),
            committer: self.committer.map(Person::from),
        }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct DeleteFileBody {
    /// The message of the commit.
    message: String,
    /// The id of the blob that is deleted.
    sha: String,
    /// The default branch by default.
    branch: Option<String>,
    /// The user of the token by default.
    committer: Option<PersonBody>,
    /// The committer by default.
    author: Option<PersonBody>,
}
from_json!(DeleteFileBody { message, sha, branch, committer, author });

impl DeleteFileBody {
    pub fn into_commit(self, path: String) -> FileCommit {
        FileCommit {
            path,
            change: FileChange::Delete,
            sha: Some(self.sha),
            branch: self.branch.filter(|branch| !branch.is_empty()),
            message: self.message,
            author: self.author.map(Person::from),
            committer: self.committer.map(Person::from),
        }
    }
}

/// Adds the keys that are only in the query: many clients send no body with DELETE.
pub fn add_query(object: &mut Map<String, Value>, context: &RequestContext) {
    for key in ["message", "sha", "branch"] {
        if let Some(text) = context.query(key) {
            object.entry(key).or_insert_with(|| text.into_owned().into());
        }
    }
}
