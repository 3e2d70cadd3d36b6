//! The decision. Pure, and in an order that reveals nothing about hidden resources.

use super::{Action, Anonymous, Facts, Grant, Kind, Role, Rule, TargetKind};
use crate::tokens::{Level, Permissions, Principal, Scope, UserLimits};
use plinth_base::error::{Error, Result};

pub const BAD_CREDENTIALS: &str = "Bad credentials";
const REQUIRES_AUTHENTICATION: &str = "Requires authentication";
/// The message for callers that are not apps, at operations for apps.
pub const NOT_A_JSON_WEB_TOKEN: &str = "A JSON web token could not be decoded";
const SUSPENDED: &str = "This installation has been suspended";
const ARCHIVED: &str = "Repository was archived so is read-only.";

/// Rejects a kind of caller before any look-up, so that the error reveals nothing about resources.
pub fn check_kind(rule: &Rule, caller: &Principal) -> Result<()> {
    let kind = Kind::of(caller);
    if kind == Kind::Anonymous {
        return match rule.anonymous {
            Anonymous::Rejected => Err(Error::Unauthenticated(anonymous_message(rule))),
            Anonymous::SeesPublic | Anonymous::RejectedWhereVisible => Ok(()),
        };
    }
    if !rule.kinds.contains(kind) {
        return Err(kind_error(rule, kind));
    }
    match caller {
        Principal::Installation(token) if token.suspended => Err(Error::Forbidden(SUSPENDED.into())),
        Principal::Installation(_) | Principal::User(_) | Principal::App(_) | Principal::Anonymous => Ok(()),
    }
}

/// The error for a bad credential: operations for apps report that they expect a JSON web token.
pub fn bad_credential(rule: Option<&Rule>, error: Error) -> Error {
    let for_apps = rule.is_some_and(|rule| rule.kinds.contains(Kind::AppJwt));
    match error {
        Error::Unauthenticated(BAD_CREDENTIALS) if for_apps => Error::Unauthenticated(NOT_A_JSON_WEB_TOKEN),
        other => other,
    }
}

fn anonymous_message(rule: &Rule) -> &'static str {
    if rule.kinds.contains(Kind::AppJwt) { NOT_A_JSON_WEB_TOKEN } else { REQUIRES_AUTHENTICATION }
}

fn kind_error(rule: &Rule, kind: Kind) -> Error {
    if rule.kinds.contains(Kind::AppJwt) {
        return Error::Unauthenticated(NOT_A_JSON_WEB_TOKEN);
    }
    match kind {
        Kind::AppJwt => Error::Unauthenticated(BAD_CREDENTIALS),
        _ => Error::Forbidden(rule.rejection.unwrap_or(kind.rejection()).into()),
    }
}

/// Decides about a caller of an accepted kind and a resource that exists.
pub fn decide(rule: &Rule, caller: &Principal, facts: &Facts, grant: &Grant) -> Result<()> {
    let public = facts.public && !rule.members_only;
    if !public && !sees_private(rule, caller, facts, grant) {
        return Err(Error::NotFound);
    }
    if let Principal::Anonymous = caller {
        return match rule.anonymous {
            Anonymous::SeesPublic => Ok(()),
            Anonymous::RejectedWhereVisible | Anonymous::Rejected => {
                Err(Error::Unauthenticated(REQUIRES_AUTHENTICATION))
            }
        };
    }
    if *grant == Grant::Suspended {
        return Err(Error::Forbidden(SUSPENDED.into()));
    }
    if public && rule.action == Action::Read {
        return Ok(());
    }
    check_acting(rule, caller, facts, grant, public)
}

fn sees_private(rule: &Rule, caller: &Principal, facts: &Facts, grant: &Grant) -> bool {
    let has_role = facts.role >= Some(rule.see_role);
    let inside = match grant {
        Grant::Everywhere | Grant::Suspended => true,
        Grant::Outside => rule.target == TargetKind::OwnAccount,
        Grant::Inside(permissions) => !rule.see_permission || allows_reading(rule, permissions),
    };
    match caller {
        Principal::Anonymous | Principal::App(_) => false,
        Principal::Installation(_) => inside,
        Principal::User(token) => has_role && inside && grants(&token.limits, rule.see_scope),
    }
}

fn allows_reading(rule: &Rule, permissions: &Permissions) -> bool {
    rule.is_permitted_by(permissions, Level::Read)
}

/// Scopes limit the two kinds that have them and no other.
fn grants(limits: &UserLimits, scope: Option<Scope>) -> bool {
    match (limits, scope) {
        (UserLimits::Classic(scopes) | UserLimits::OAuth { scopes, .. }, Some(scope)) => scopes.grant(scope),
        (UserLimits::Classic(_) | UserLimits::OAuth { .. }, None)
        | (UserLimits::FineGrained { .. } | UserLimits::AppUser { .. }, _) => true,
    }
}

fn check_acting(rule: &Rule, caller: &Principal, facts: &Facts, grant: &Grant, public: bool) -> Result<()> {
    let too_little = || Error::Forbidden(Kind::of(caller).rejection().into());
    match grant {
        // Every token may read its own account, unless the operation needs a permission.
        Grant::Outside if rule.target == TargetKind::OwnAccount && rule.permission.is_none() => {}
        Grant::Outside | Grant::Suspended => return Err(too_little()),
        Grant::Inside(permissions) => {
            let allowed = rule.permission.is_none_or(|(_, level)| rule.is_permitted_by(permissions, level));
            if !allowed {
                return Err(too_little());
            }
        }
        Grant::Everywhere => {}
    }
    if let Principal::User(token) = caller {
        if !grants(&token.limits, rule.act_scope) {
            return Err(too_little());
        }
        // Everyone has the read role on a public resource.
        let role = if public { facts.role.max(Some(Role::Read)) } else { facts.role };
        if role < Some(rule.act_role) {
            return Err(Error::Forbidden(missing_role(rule).into()));
        }
    }
    if facts.archived && rule.action == Action::Write {
        return Err(Error::Forbidden(ARCHIVED.into()));
    }
    Ok(())
}

/// To add or change workflow files, a token needs the `workflow` scope or permission in addition to write access.
pub fn check_workflows(caller: &Principal, grant: &Grant) -> Result<()> {
    let allowed = match (caller, grant) {
        (_, Grant::Inside(permissions)) => permissions.allows("workflows", Level::Write),
        (Principal::User(token), Grant::Everywhere) => grants(&token.limits, Some(Scope::Workflow)),
        (Principal::Installation(_) | Principal::App(_) | Principal::Anonymous, Grant::Everywhere)
        | (_, Grant::Outside | Grant::Suspended) => false,
    };
    if allowed { Ok(()) } else { Err(Error::Forbidden(Kind::of(caller).rejection().into())) }
}

/// To show an issue field in a project, a token needs the right to read issue fields in addition to write access.
pub fn check_issue_fields(caller: &Principal, grant: &Grant) -> Result<()> {
    let allowed = match (caller, grant) {
        (_, Grant::Inside(permissions)) => permissions.allows("issue_fields", Level::Read),
        (Principal::User(token), Grant::Everywhere) => grants(&token.limits, Some(Scope::ReadOrg)),
        (Principal::Installation(_) | Principal::App(_) | Principal::Anonymous, Grant::Everywhere)
        | (_, Grant::Outside | Grant::Suspended) => false,
    };
    if allowed { Ok(()) } else { Err(Error::Forbidden(Kind::of(caller).rejection().into())) }
}

fn missing_role(rule: &Rule) -> &'static str {
    if matches!(rule.target, TargetKind::OrgProject | TargetKind::UserProject) {
        return "Must have write access to the project";
    }
    match rule.act_role {
        Role::Admin => "Must have admin rights to Repository.",
        Role::Maintain => "Must have maintain access to repository",
        Role::Write => "Must have push access to repository",
        Role::Triage => "Must have triage access to repository",
        Role::Read => "Must have read access to repository",
    }
}
