//! Judgement about projects: what people are in them, and which ones a list shows.

use crate::access::{Facts, Grant, Rule, decide};
use crate::accounts::OrgRole;
use crate::repos::RepoRole;
use crate::tokens::Principal;
use plinth_base::ids::AccountId;

/// Members write in the projects of their organization, admins and owners administer them.
pub fn role(member: Option<OrgRole>, owns: bool) -> Option<RepoRole> {
    let by_membership = member.map(|role| match role {
        OrgRole::Admin => RepoRole::Admin,
        OrgRole::Member => RepoRole::Write,
    });
    by_membership.max(owns.then_some(RepoRole::Admin))
}

/// Whether `get`, the rule for a single project, shows this caller the owner's private ones: a list shows no more.
pub fn sees_private(get: &Rule, caller: &Principal, owner: AccountId, role: Option<RepoRole>, grant: &Grant) -> bool {
    let private = Facts { owner, repo: None, public: false, archived: false, role };
    decide(get, caller, &private, grant).is_ok()
}
