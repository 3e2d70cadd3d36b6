//! Workflow files run with rights of their own, so a token needs a right of its own to change them.

use crate::api::access::Reach;
use crate::error::Result;
use crate::git::{ObjectKind, Reader};
use crate::ids::Sha;
use crate::tokens::{Level, Principal, Scope, UserLimits};

const FOLDER: &[u8] = b".github/workflows";

/// Whether the token may change workflow files.
pub fn may_change(caller: &Principal, reach: &Reach) -> bool {
    match reach {
        Reach::Inside(permissions) => permissions.allows("workflows", Level::Write),
        Reach::Everywhere => match caller {
            Principal::User(token) => match &token.limits {
                UserLimits::Classic(scopes) | UserLimits::OAuth { scopes, .. } => scopes.grant(Scope::Workflow),
                UserLimits::FineGrained { .. } | UserLimits::AppUser { .. } => false,
            },
            Principal::Installation(_) | Principal::App(_) | Principal::Anonymous => false,
        },
        Reach::Outside | Reach::Suspended => false,
    }
}

/// Whether the new target brings workflow files that neither the old one nor any of the `known` commits has.
pub fn are_changed(reader: &Reader<'_>, old: Option<Sha>, new: &Sha, known: &[Sha]) -> Result<bool> {
    let Some((new, ObjectKind::Commit)) = reader.peel(new)? else { return Ok(false) };
    if !reader.differs_under(None, &new, FOLDER)? {
        // Nothing is there: taking files away brings none.
        return Ok(false);
    }
    for base in old.iter().chain(known) {
        if let Some((base, ObjectKind::Commit)) = reader.peel(base)?
            && !reader.differs_under(Some(&base), &new, FOLDER)?
        {
            return Ok(false);
        }
    }
    Ok(true)
}
