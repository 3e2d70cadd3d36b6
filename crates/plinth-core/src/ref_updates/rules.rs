//! Validation of ref changes through the API.

use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, RefName, Sha};
use plinth_git::Reader;

use super::{RefConflict, RefUpdate};
use crate::refs::{Ref, Target, rules};

const COMPONENTS_MIN: usize = 3;

/// The ref name of a path without `refs/`, if it is valid.
pub fn name_at(path: &str) -> Option<RefName> {
    RefName::try_from(format!("refs/{path}")).ok()
}

/// The prefix of ref names of a path with or without `refs/`; `None` if no ref name can have it.
pub fn prefix_at(path: &str) -> Option<String> {
    let rest = if path == "refs" { "" } else { path.strip_prefix("refs/").unwrap_or(path) };
    let prefix = format!("refs/{rest}");
    let possible = prefix.len() <= RefName::LENGTH_MAX && !prefix.chars().any(char::is_control);
    possible.then_some(prefix)
}

/// Checks the name of a new ref.
pub fn check_new_name(name: &str) -> Result<RefName> {
    if !name.starts_with("refs/") {
        return Err(Error::unprocessable("Reference name must start with 'refs/'."));
    }
    if name.split('/').count() < COMPONENTS_MIN {
        let message = "Reference name must contain at least three slash-separated components.";
        return Err(Error::unprocessable(message));
    }
    let parsed = RefName::parse(name);
    let name = parsed
        .ok()
        .filter(|parsed| !rules::is_ambiguous(parsed))
        .ok_or_else(|| Error::unprocessable(format!("{name} is not a valid ref name.")))?;
    check_not_reserved(&name)?;
    Ok(name)
}

/// Rejects the namespaces that only the service writes to.
pub fn check_not_reserved(name: &RefName) -> Result<()> {
    if rules::is_reserved(name) {
        return Err(Error::unprocessable(format!("{name} is in a reserved namespace.")));
    }
    Ok(())
}

/// Checks the target of a new ref.
pub fn check_new_target(reader: &Reader<'_>, name: &RefName, sha: &str) -> Result<Target> {
    let target = find_target(reader, sha)?;
    if rules::is_branch(name) && target.kind != ObjectKind::Commit {
        return Err(Error::unprocessable("Reference update failed"));
    }
    Ok(target)
}

/// Checks the new target of a ref.
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

/// Checks the new target of a ref, and returns whether its workflow files differ.
pub fn check_move(reader: &Reader<'_>, current: &Ref, update: &RefUpdate) -> Result<(Target, bool)> {
    let how = if update.force { Move::Anywhere } else { Move::FastForwardOnly };
    let target = check_next_target(reader, current, &update.sha, how)?;
    Ok((target, rules::brings_workflows(reader, Some(current.target), target.sha)?))
}

/// Which moves are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Move {
    FastForwardOnly,
    Anywhere,
}

/// An object of another repository is treated like one that does not exist.
fn find_target(reader: &Reader<'_>, sha: &str) -> Result<Target> {
    let unknown = || Error::unprocessable("Object does not exist");
    let sha: Sha = sha.parse().map_err(|_| unknown())?;
    let kind = reader.kind_of(&sha)?.ok_or_else(unknown)?;
    Ok(Target { sha, kind })
}

/// The error for a new ref that conflicts.
pub fn creation_error(conflict: &RefConflict) -> Error {
    match conflict {
        RefConflict::Stale => Error::unprocessable("Reference already exists"),
        RefConflict::DirectoryFileConflict(_) => Error::unprocessable("Reference update failed"),
    }
}

/// The default branch cannot be deleted.
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
    fn check_new_name_reports_each_error() {
        for (name, sentence) in [
            ("heads/x", "Reference name must start with 'refs/'."),
            ("", "Reference name must start with 'refs/'."),
            ("refs/nonsense", "Reference name must contain at least three slash-separated components."),
            ("refs/heads/", "refs/heads/ is not a valid ref name."),
            ("refs//refs/heads/x", "refs//refs/heads/x is not a valid ref name."),
            ("refs/heads/-x", "refs/heads/-x is not a valid ref name."),
            ("refs/heads/refs/heads/x", "refs/heads/refs/heads/x is not a valid ref name."),
            ("refs/pull/1/head", "refs/pull/1/head is in a reserved namespace."),
        ] {
            let error = check_new_name(name).expect_err(name);
            assert!(matches!(&error, Error::Unprocessable(text) if text == sentence), "{name}: {error}");
        }
        assert!(check_new_name("refs/others/x").is_ok());
    }

    #[test]
    fn prefix_at_accepts_possible_prefixes_only() {
        assert_eq!(prefix_at("").as_deref(), Some("refs/"));
        assert_eq!(prefix_at("heads/fea").as_deref(), Some("refs/heads/fea"));
        assert_eq!(prefix_at("refs/heads").as_deref(), Some("refs/heads"));
        assert_eq!(prefix_at("refs").as_deref(), Some("refs/"));
        assert_eq!(prefix_at("heads/\0"), None);
        assert_eq!(prefix_at(&"x".repeat(5_000)), None);
    }
}
