//! Commits.

use std::fmt::Write as _;

use super::RawObject;
use super::identity::Identity;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, Sha};

/// A parsed commit. Text that is not UTF-8 has replacement characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    pub tree_id: Sha,
    pub parent_ids: Vec<Sha>,
    pub author: Identity,
    pub committer: Identity,
    pub message: String,
    pub signature: Option<CommitSignature>,
}

/// A signature, and the signed bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitSignature {
    pub signature: String,
    pub payload: String,
}

impl Commit {
    pub(crate) fn parse(data: &[u8]) -> Result<Self> {
        let commit = gix_object::CommitRef::from_bytes(data, gix_hash::Kind::Sha1).map_err(crate::broken)?;
        let signature = gix_object::CommitRefIter::signature(data, gix_hash::Kind::Sha1).map_err(crate::broken)?;
        Ok(Self {
            tree_id: crate::to_sha(&commit.tree()),
            parent_ids: commit.parents().map(|oid| crate::to_sha(&oid)).collect(),
            author: commit.author().map_or_else(|_| Identity::unknown(), Identity::from_gix),
            committer: commit.committer().map_or_else(|_| Identity::unknown(), Identity::from_gix),
            message: commit.message.to_string(),
            signature: signature.map(|(signature, signed)| CommitSignature {
                signature: signature.to_string(),
                payload: signed.to_bstring().to_string(),
            }),
        })
    }
}

/// The content of a new commit.
#[derive(Debug, Clone)]
pub struct NewCommit {
    pub tree_id: Sha,
    pub parent_ids: Vec<Sha>,
    pub author: Identity,
    pub committer: Identity,
    pub message: String,
    pub signature: Option<String>,
}

impl NewCommit {
    /// Serializes the commit as git does. The caller must check that tree and parents exist.
    pub fn to_object(&self) -> Result<RawObject> {
        self.author.check()?;
        self.committer.check()?;
        if self.message.contains('\0') {
            return Err(Error::unprocessable("A commit message may not contain a NUL byte."));
        }
        let mut text = format!("tree {}\n", self.tree_id);
        for parent_id in &self.parent_ids {
            writeln!(text, "parent {parent_id}").expect("writing to a string never fails");
        }
        write!(text, "author {}\ncommitter {}\n", self.author, self.committer)
            .expect("writing to a string never fails");
        if let Some(signature) = &self.signature {
            text.push_str(&signature_header(signature)?);
        }
        text.push('\n');
        text.push_str(&self.message);
        RawObject::new(ObjectKind::Commit, text.into_bytes())
    }
}

fn signature_header(signature: &str) -> Result<String> {
    let signature = signature.trim_end_matches(['\n', '\r']);
    if signature.is_empty() || signature.contains('\0') {
        return Err(Error::unprocessable("The signature of a commit is empty or not allowed."));
    }
    Ok(format!("gpgsig {}\n", signature.replace('\n', "\n ")))
}
