//! Rules for refs that are the same for the API and for pushes.

use super::Target;
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;
use plinth_git::{ObjectKind, Reader, RefName};

/// Namespaces that only the service writes to.
const RESERVED: &[&str] = &["refs/pull/", "refs/plinth/"];
/// The directory of files that run with the rights of the repository.
const WORKFLOWS: &[u8] = b".github/workflows";

/// Whether only the service may create, move and delete the ref.
pub fn is_reserved(name: &RefName) -> bool {
    let name = name.as_str();
    RESERVED.iter().any(|namespace| name.starts_with(namespace) || name == namespace.trim_end_matches('/'))
}

/// Whether the ref is a branch, which can point at commits only.
pub fn is_branch(name: &RefName) -> bool {
    name.as_str().starts_with("refs/heads/")
}

/// Whether the short name of a branch or tag can be confused with a commit id or with a full ref name.
pub fn is_ambiguous(name: &RefName) -> bool {
    let name = name.as_str();
    let short = name.strip_prefix("refs/heads/").or_else(|| name.strip_prefix("refs/tags/"));
    short.is_some_and(|short| short.parse::<Sha>().is_ok() || short.starts_with("refs/"))
}

/// Whether every commit that is reachable from `old` is reachable from `new`.
///
/// Annotated tags count as the object that they tag, but a tag ref does not move from one to another kind of object: its
/// message would be lost. A ref outside of branches and tags may move from or to an object
/// that is not a commit, since there is no history to lose.
pub fn is_fast_forward(reader: &Reader<'_>, name: &RefName, old: Target, new: Target) -> Result<bool> {
    if old.sha == new.sha {
        return Ok(true);
    }
    if name.as_str().starts_with("refs/tags/") && old.kind == ObjectKind::Tag && new.kind != ObjectKind::Tag {
        return Ok(false);
    }
    match (commit_of(reader, &old.sha)?, commit_of(reader, &new.sha)?) {
        (Some(old), Some(new)) => reader.is_ancestor(&old, &new),
        _ => Ok(!name.as_str().starts_with("refs/tags/") && !is_branch(name)),
    }
}

/// Whether `new` has workflow files that neither the ref nor the default branch had. That requires a special right.
pub fn changes_workflows(reader: &Reader<'_>, old: Option<Sha>, new: Sha, default_tip: Option<Sha>) -> Result<bool> {
    Ok(brings_workflows(reader, old, new)? && are_workflows_new(reader, new, default_tip)?)
}

/// Whether `new` has other workflow files than `old`.
pub fn brings_workflows(reader: &Reader<'_>, old: Option<Sha>, new: Sha) -> Result<bool> {
    let Some(new) = commit_of(reader, &new)? else { return Ok(false) };
    let old = old.map(|old| commit_of(reader, &old)).transpose()?.flatten();
    reader.differs_under(old.as_ref(), &new, WORKFLOWS)
}

/// Whether the default branch never had the workflow files of `new`.
pub fn are_workflows_new(reader: &Reader<'_>, new: Sha, default_tip: Option<Sha>) -> Result<bool> {
    let Some(new) = commit_of(reader, &new)? else { return Ok(false) };
    let Some(default_tip) = default_tip else { return Ok(true) };
    if !reader.differs_under(Some(&default_tip), &new, WORKFLOWS)? {
        return Ok(false);
    }
    // Files that the default branch once had were allowed then.
    Ok(!reader.is_ancestor(&new, &default_tip)?)
}

fn commit_of(reader: &Reader<'_>, sha: &Sha) -> Result<Option<Sha>> {
    let peeled = reader.peel(sha)?;
    Ok(peeled.filter(|(_, kind)| *kind == ObjectKind::Commit).map(|(sha, _)| sha))
}

pub fn empty_repository() -> Error {
    Error::Conflict("Git Repository is empty.".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_reserved_matches_whole_namespaces_only() {
        let reserved = |name: &str| is_reserved(&RefName::parse(name).expect("a good name"));
        assert!(reserved("refs/pull/1/head") && reserved("refs/plinth/x") && reserved("refs/pull"));
        assert!(!reserved("refs/pulls/1") && !reserved("refs/heads/pull/1") && !reserved("refs/heads/main"));
    }

    #[test]
    fn is_ambiguous_matches_ids_and_full_names_of_branches_and_tags() {
        let ambiguous = |name: &str| is_ambiguous(&RefName::parse(name).expect("a good name"));
        let sha = "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3";
        assert!(ambiguous(&format!("refs/heads/{sha}")) && ambiguous(&format!("refs/tags/{sha}")));
        assert!(ambiguous("refs/heads/refs/heads/x") && ambiguous("refs/tags/refs/x"));
        assert!(!ambiguous(&format!("refs/notes/{sha}")) && !ambiguous(&format!("refs/heads/x/{sha}")));
        assert!(!ambiguous(&format!("refs/heads/{}", &sha[1..])) && !ambiguous("refs/heads/refs"));
    }
}
