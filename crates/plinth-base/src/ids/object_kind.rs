//! Kinds of Git objects.

use std::fmt;

/// The four kinds of Git objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    Commit,
    Tree,
    Blob,
    Tag,
}

impl ObjectKind {
    /// The name of the kind in git and in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            ObjectKind::Commit => "commit",
            ObjectKind::Tree => "tree",
            ObjectKind::Blob => "blob",
            ObjectKind::Tag => "tag",
        }
    }

    /// Parses the name of a kind.
    pub fn parse(name: &str) -> Option<Self> {
        [ObjectKind::Commit, ObjectKind::Tree, ObjectKind::Blob, ObjectKind::Tag]
            .into_iter()
            .find(|kind| kind.as_str() == name)
    }
}

impl fmt::Display for ObjectKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}
