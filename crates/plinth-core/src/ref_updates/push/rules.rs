//! Validation of the updates of a push. As in git, the client decides whether a push may lose history.

use super::UpdateRejection;
use crate::refs;
use plinth_git::{ObjectKind, RefName};

/// `refs`, the namespace and the name.
const COMPONENTS_MIN: usize = 3;

pub fn check_name(name: &str) -> Result<RefName, UpdateRejection> {
    let name = RefName::parse(name).map_err(UpdateRejection::Name)?;
    if !name.as_str().starts_with("refs/") || name.component_count() < COMPONENTS_MIN {
        return Err(UpdateRejection::NotBelowRefs);
    }
    if refs::rules::is_reserved(&name) { Err(UpdateRejection::Reserved) } else { Ok(name) }
}

/// A branch points at a commit; other refs may point at any object.
pub fn check_target(name: &RefName, kind: ObjectKind) -> Result<(), UpdateRejection> {
    if refs::rules::is_branch(name) && kind != ObjectKind::Commit {
        return Err(UpdateRejection::NotACommit(kind));
    }
    Ok(())
}

/// The default branch cannot be deleted.
pub fn check_deletion(name: &RefName, default_branch: &str) -> Result<(), UpdateRejection> {
    match name.as_str().strip_prefix("refs/heads/") {
        Some(branch) if branch == default_branch => Err(UpdateRejection::DefaultBranch),
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plinth_git::RefNameError;

    #[test]
    fn check_name_accepts_refs_outside_of_reserved_namespaces() {
        for (name, rejection) in [
            ("refs/heads/main", None),
            ("refs/heads/a/b", None),
            ("refs/tags/v1", None),
            ("refs/notes/commits", None),
            ("refs/pull/1/head", Some(UpdateRejection::Reserved)),
            ("refs/plinth/x", Some(UpdateRejection::Reserved)),
            ("refs/heads", Some(UpdateRejection::NotBelowRefs)),
            ("heads/a/b", Some(UpdateRejection::NotBelowRefs)),
            ("HEAD", Some(UpdateRejection::Name(RefNameError::Malformed))),
            ("refs/heads/-x", Some(UpdateRejection::Name(RefNameError::LeadingDash))),
            ("refs/heads/a..b", Some(UpdateRejection::Name(RefNameError::Malformed))),
        ] {
            assert_eq!(check_name(name).err(), rejection, "{name}");
        }
    }

    #[test]
    fn branches_accept_commits_only_and_the_default_branch_is_not_deleted() {
        let name = |text: &str| RefName::parse(text).expect("a name");
        assert_eq!(check_target(&name("refs/heads/a"), ObjectKind::Commit), Ok(()));
        assert_eq!(check_target(&name("refs/tags/a"), ObjectKind::Blob), Ok(()));
        for kind in [ObjectKind::Tag, ObjectKind::Tree, ObjectKind::Blob] {
            assert_eq!(check_target(&name("refs/heads/a"), kind), Err(UpdateRejection::NotACommit(kind)));
        }
        assert_eq!(check_deletion(&name("refs/heads/main"), "main"), Err(UpdateRejection::DefaultBranch));
        assert_eq!(check_deletion(&name("refs/heads/main/x"), "main"), Ok(()));
        assert_eq!(check_deletion(&name("refs/tags/main"), "main"), Ok(()));
    }
}
