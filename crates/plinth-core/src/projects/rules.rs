//! Roles in projects, and the visibility of private ones.

use crate::access::{Facts, Grant, Role, Rule, decide};
use crate::accounts::OrgRole;
use crate::tokens::Principal;
use plinth_base::ids::AccountId;

/// Members may write to the projects of their organization; admins and owners administer them.
pub fn role(member: Option<OrgRole>, owns: bool) -> Option<Role> {
    let by_membership = member.map(|role| match role {
        OrgRole::Admin => Role::Admin,
        OrgRole::Member => Role::Write,
    });
    by_membership.max(owns.then_some(Role::Admin))
}

/// Whether a list may include the owner's private projects: only if `get`, the rule for a single project, allows that.
pub fn sees_private(get: &Rule, caller: &Principal, owner: AccountId, role: Option<Role>, grant: &Grant) -> bool {
    let private = Facts { owner, repo: None, public: false, archived: false, role };
    decide(get, caller, &private, grant).is_ok()
}
