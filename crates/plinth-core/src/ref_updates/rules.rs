//! Judgement about references.

use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, RefName, Sha};
use plinth_git::Reader;

use super::{RefUpdate, Refused};
use crate::refs::{Ref, Target, rules};

const COMPONENTS_MIN: usize = 3;

/// The reference at an address, if there can be one of that name.
pub fn name_at(address: &str) -> Option<RefName> {
    RefName::parse(&format!("refs/{address}")).ok()
}

/// What names at an address begin with; nothing where no name can. A leading `refs/` may be left out.
pub fn prefix_at(address: &str) -> Option<String> {
    let rest = address.strip_prefix("refs/").unwrap_or(address);
    let prefix = format!("refs/{rest}");
    let possible = prefix.len() <= RefName::LENGTH_MAX && !prefix.chars().any(char::is_control);
    possible.then_some(prefix)
}

/// The name that a new reference is to have.
pub fn check_new_name(name: &str) -> Result<RefName> {
    if !name.starts_with("refs/") {
        return Err(Error::unprocessable("Reference name must start with 'refs/'."));
    }
    if name.split('/').count() < COMPONENTS_MIN {
        let message = "Reference name must contain at least three slash-separated components.";
        return Err(Error::unprocessable(message));
    }
    let parsed = RefName::parse(name);
    let name = parsed.map_err(|_| Error::unprocessable(format!("{name} is not a valid ref name.")))?;
    check_not_reserved(&name)?;
    Ok(name)
}

/// Refuses the namespaces that the service fills by itself.
pub fn check_not_reserved(name: &RefName) -> Result<()> {
    if rules::is_reserved(name) {
        return Err(Error::unprocessable(format!("{name} is in a reserved namespace.")));
    }
    Ok(())
}

/// What a new reference is to point at.
pub fn check_new_target(reader: &Reader<'_>, name: &RefName, sha: &str) -> Result<Target> {
    let target = find_target(reader, sha)?;
    if rules::is_branch(name) && target.kind != ObjectKind::Commit {
        return Err(Error::unprocessable("Reference update failed"));
    }
    Ok(target)
}

/// What a reference is to point at from now on.
fn check_next_target(reader: &Reader<'_>, current: &Ref, sha: &str, how: Move) -> Result<Target> {
    let target = find_target(reader, sha)?;
    if rules::is_branch(&current.name) && target.kind != ObjectKind::Commit {
        return Err(Error::unprocessable("Object is not a commit"));
    }
    let old = Target { sha: current.target, kind: current.kind };
    let allowed = match how {
        Move::Anywhere => true,
        Move::FastForwardOnly => rules::is_fast_forward(reader, &current.name, old, target)?,
    };
    if allowed { Ok(target) } else { Err(Error::unprocessable("Update is not a fast forward")) }
}

/// What a reference is to point at from now on, and whether that brings other workflow files.
pub fn check_move(reader: &Reader<'_>, current: &Ref, update: &RefUpdate) -> Result<(Target, bool)> {
    let how = if update.force { Move::Anywhere } else { Move::FastForwardOnly };
    let target = check_next_target(reader, current, &update.sha, how)?;
    Ok((target, rules::brings_workflows(reader, Some(current.target), target.sha)?))
}

/// How far a reference may be moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Move {
    FastForwardOnly,
    Anywhere,
}

/// An object of another repository is as unknown here as one that does not exist.
fn find_target(reader: &Reader<'_>, sha: &str) -> Result<Target> {
    let unknown = || Error::unprocessable("Object does not exist");
    let sha: Sha = sha.parse().map_err(|_| unknown())?;
    let kind = reader.kind_of(&sha)?.ok_or_else(unknown)?;
    Ok(Target { sha, kind })
}

/// Why a new name could not be made.
pub fn refused_new(refused: &Refused) -> Error {
    match refused {
        Refused::Stale => Error::unprocessable("Reference already exists"),
        Refused::DirectoryFileConflict(_) => Error::unprocessable("Reference update failed"),
    }
}

/// A branch that everything else starts from stays.
pub fn check_deletable(name: &RefName, default_branch: &str) -> Result<()> {
    check_not_reserved(name)?;
    if name.as_str().strip_prefix("refs/heads/") == Some(default_branch) {
        return Err(Error::unprocessable("Cannot delete the default branch"));
    }
    Ok(())
}

pub fn missing() -> Error {
    Error::unprocessable("Reference does not exist")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_of_a_new_name_has_its_sentence() {
        for (name, sentence) in [
            ("heads/x", "Reference name must start with 'refs/'."),
            ("", "Reference name must start with 'refs/'."),
            ("refs/nonsense", "Reference name must contain at least three slash-separated components."),
            ("refs/heads/", "refs/heads/ is not a valid ref name."),
            ("refs//refs/heads/x", "refs//refs/heads/x is not a valid ref name."),
            ("refs/heads/-x", "refs/heads/-x is not a valid ref name."),
            ("refs/pull/1/head", "refs/pull/1/head is in a reserved namespace."),
        ] {
            let refusal = check_new_name(name).expect_err(name);
            assert!(matches!(&refusal, Error::Unprocessable(text) if text == sentence), "{name}: {refusal}");
        }
        assert!(check_new_name("refs/others/x").is_ok());
    }

    #[test]
    fn a_prefix_is_any_text_that_a_name_can_begin_with() {
        assert_eq!(prefix_at("").as_deref(), Some("refs/"));
        assert_eq!(prefix_at("heads/fea").as_deref(), Some("refs/heads/fea"));
        assert_eq!(prefix_at("refs/heads").as_deref(), Some("refs/heads"));
        assert_eq!(prefix_at("heads/\0"), None);
        assert_eq!(prefix_at(&"x".repeat(5_000)), None);
    }
}
