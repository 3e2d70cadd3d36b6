//! Judgement about the updates of a push. Whether history is lost is for the client to know, as everywhere in git.

use std::fmt;

use crate::ref_updates::Refused;
use crate::refs;
use plinth_git::{ObjectKind, RefName, RefNameError};

/// `refs`, the kind of name, and the name.
const COMPONENTS_MIN: usize = 3;

/// Why one update is refused, in words that git shows beside the name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    Name(RefNameError),
    NotBelowRefs,
    Reserved,
    Twice,
    MissingObjects,
    NotACommit(ObjectKind),
    Workflows,
    DefaultBranch,
    Stale,
    DirectoryFileConflict(RefName),
    /// Another update of the same all-or-nothing push is refused.
    Atomic,
    /// An all-or-nothing push changes more names than this.
    TooManyAtomic(usize),
    /// The push ended before this name had its turn.
    Stopped,
    /// The pack that came with it is refused.
    Pack,
}

/// Judges a name that somebody wants to change.
pub fn check_name(name: &str) -> Result<RefName, Refusal> {
    let name = RefName::parse(name).map_err(Refusal::Name)?;
    if !name.as_str().starts_with("refs/") || name.component_count() < COMPONENTS_MIN {
        return Err(Refusal::NotBelowRefs);
    }
    if refs::rules::is_reserved(&name) { Err(Refusal::Reserved) } else { Ok(name) }
}

/// A branch is a line of commits; other names may point at anything.
pub fn check_target(name: &RefName, kind: ObjectKind) -> Result<(), Refusal> {
    if refs::rules::is_branch(name) && kind != ObjectKind::Commit {
        return Err(Refusal::NotACommit(kind));
    }
    Ok(())
}

/// Without its default branch a repository would have nothing to show.
pub fn check_deletion(name: &RefName, default_branch: &str) -> Result<(), Refusal> {
    match name.as_str().strip_prefix("refs/heads/") {
        Some(branch) if branch == default_branch => Err(Refusal::DefaultBranch),
        Some(_) | None => Ok(()),
    }
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Stale => Refusal::Stale,
            Refused::DirectoryFileConflict(other) => Refusal::DirectoryFileConflict(other),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Name(error) => write!(out, "bad name: {error}"),
            Refusal::NotBelowRefs => out.write_str("bad name: it must begin with refs/ and have at least three parts"),
            Refusal::Reserved => out.write_str("the name is reserved for the server"),
            Refusal::Twice => out.write_str("the push changes this name more than once"),
            Refusal::MissingObjects => out.write_str("missing necessary objects"),
            Refusal::NotACommit(kind) => write!(out, "a branch must point at a commit, not at a {kind}"),
            Refusal::Workflows => {
                out.write_str("the token may not change workflow files: it lacks the workflow scope or permission")
            }
            Refusal::DefaultBranch => out.write_str("cannot delete the default branch"),
            Refusal::Stale => out.write_str("the name has moved meanwhile: fetch first"),
            Refusal::DirectoryFileConflict(other) => write!(out, "directory/file conflict with {other}"),
            Refusal::Atomic => out.write_str("atomic push: another update was refused"),
            Refusal::TooManyAtomic(limit) => write!(out, "an atomic push changes at most {limit} names"),
            Refusal::Stopped => out.write_str("the push was stopped before this name"),
            Refusal::Pack => out.write_str("unpacker error"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_push() {
        for (name, verdict) in [
            ("refs/heads/main", None),
            ("refs/heads/a/b", None),
            ("refs/tags/v1", None),
            ("refs/notes/commits", None),
            ("refs/pull/1/head", Some(Refusal::Reserved)),
            ("refs/plinth/x", Some(Refusal::Reserved)),
            ("refs/heads", Some(Refusal::NotBelowRefs)),
            ("heads/a/b", Some(Refusal::NotBelowRefs)),
            ("HEAD", Some(Refusal::Name(RefNameError::Malformed))),
            ("refs/heads/-x", Some(Refusal::Name(RefNameError::LeadingDash))),
            ("refs/heads/a..b", Some(Refusal::Name(RefNameError::Malformed))),
        ] {
            assert_eq!(check_name(name).err(), verdict, "{name}");
        }
    }

    #[test]
    fn branches_point_at_commits_and_the_default_one_stays() {
        let name = |text: &str| RefName::parse(text).expect("a name");
        assert_eq!(check_target(&name("refs/heads/a"), ObjectKind::Commit), Ok(()));
        assert_eq!(check_target(&name("refs/tags/a"), ObjectKind::Blob), Ok(()));
        for kind in [ObjectKind::Tag, ObjectKind::Tree, ObjectKind::Blob] {
            assert_eq!(check_target(&name("refs/heads/a"), kind), Err(Refusal::NotACommit(kind)));
        }
        assert_eq!(check_deletion(&name("refs/heads/main"), "main"), Err(Refusal::DefaultBranch));
        assert_eq!(check_deletion(&name("refs/heads/main/x"), "main"), Ok(()));
        assert_eq!(check_deletion(&name("refs/tags/main"), "main"), Ok(()));
    }
}
