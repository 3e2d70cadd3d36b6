//! Input to create an object.

use plinth_base::ids::ObjectKind;

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
    pub kind: Option<ObjectKind>,
    /// `Some(None)` deletes the path.
    pub sha: Option<Option<String>>,
    pub content: Option<String>,
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

/// Author, committer or tagger; missing values have defaults.
#[derive(Debug, Clone)]
pub struct Person {
    pub name: Option<String>,
    pub email: Option<String>,
    pub date: Option<String>,
}

#[derive(Debug)]
pub struct NewTag {
    pub tag: String,
    pub message: String,
    pub object: String,
    pub kind: String,
    pub tagger: Option<Person>,
}
