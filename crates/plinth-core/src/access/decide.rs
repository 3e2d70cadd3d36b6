//! The decision: pure, in the order in which nothing leaks.

use super::{Action, Anonymous, Facts, Grant, Kind, Rule, TargetKind};
use crate::repos::RepoRole;
use crate::tokens::{Level, Permissions, Principal, Scope, UserLimits};
use plinth_base::error::{Error, Result};

pub const BAD_CREDENTIALS: &str = "Bad credentials";
const REQUIRES_AUTHENTICATION: &str = "Requires authentication";
/// What everyone but an app reads at an operation for apps.
pub const NOT_A_JSON_WEB_TOKEN: &str = "A JSON web token could not be decoded";
const SUSPENDED: &str = "This installation has been suspended";
const ARCHIVED: &str = "Repository was archived so is read-only.";

/// Refuses a kind of caller before anything is looked up, so that the refusal tells nothing about resources.
pub fn check_kind(rule: &Rule, caller: &Principal) -> Result<()> {
    let kind = Kind::of(caller);
    if kind == Kind::Anonymous {
        return match rule.anonymous {
            Anonymous::Refused => Err(Error::Unauthenticated(anonymous_refusal(rule))),
            Anonymous::SeesPublic | Anonymous::RefusedWhereVisible => Ok(()),
        };
    }
    if !rule.kinds.contains(kind) {
        return Err(refused_kind(rule, kind));
    }
    match caller {
        Principal::Installation(token) if token.suspended => Err(Error::Forbidden(SUSPENDED.into())),
        Principal::Installation(_) | Principal::User(_) | Principal::App(_) | Principal::Anonymous => Ok(()),
    }
}

/// How a credential that is not good is refused: operations for apps say that they wanted a JSON web token.
pub fn bad_credential(rule: Option<&Rule>, error: Error) -> Error {
    let for_apps = rule.is_some_and(|rule| rule.kinds.contains(Kind::AppJwt));
    match error {
        Error::Unauthenticated(BAD_CREDENTIALS) if for_apps => Error::Unauthenticated(NOT_A_JSON_WEB_TOKEN),
        other => other,
    }
}

fn anonymous_refusal(rule: &Rule) -> &'static str {
    if rule.kinds.contains(Kind::AppJwt) { NOT_A_JSON_WEB_TOKEN } else { REQUIRES_AUTHENTICATION }
}

fn refused_kind(rule: &Rule, kind: Kind) -> Error {
    if rule.kinds.contains(Kind::AppJwt) {
        return Error::Unauthenticated(NOT_A_JSON_WEB_TOKEN);
    }
    match kind {
        Kind::AppJwt => Error::Unauthenticated(BAD_CREDENTIALS),
        _ => Error::Forbidden(rule.rejection.unwrap_or(kind.rejection()).into()),
    }
}

/// Judges a caller of an accepted kind on a resource that exists.
pub fn decide(rule: &Rule, caller: &Principal, facts: &Facts, grant: &Grant) -> Result<()> {
    let public = facts.public && !rule.members_only;
    if !public && !sees_private(rule, caller, facts, grant) {
        return Err(Error::NotFound);
    }
    if let Principal::Anonymous = caller {
        return match rule.anonymous {
            Anonymous::SeesPublic => Ok(()),
            Anonymous::RefusedWhereVisible | Anonymous::Refused => Err(Error::Unauthenticated(REQUIRES_AUTHENTICATION)),
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
    rule.permission.is_none_or(|(name, _)| permissions.allows(name, Level::Read))
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
        // Whose token it is, every token may tell; what takes a permission takes it on one's own account too.
        Grant::Outside if rule.target == TargetKind::OwnAccount && rule.permission.is_none() => {}
        Grant::Outside | Grant::Suspended => return Err(too_little()),
        Grant::Inside(permissions) => {
            let allowed = rule.permission.is_none_or(|(name, level)| permissions.allows(name, level));
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
        // Whoever reads a public resource reads it without a role of their own.
        let role = if public { facts.role.max(Some(RepoRole::Read)) } else { facts.role };
        if role < Some(rule.act_role) {
            return Err(Error::Forbidden(missing_role(rule).into()));
        }
    }
    if facts.archived && rule.action == Action::Write {
        return Err(Error::Forbidden(ARCHIVED.into()));
    }
    Ok(())
}

/// Bringing workflow files into a repository takes a scope or a permission of its own, besides writing.
pub fn check_workflows(caller: &Principal, grant: &Grant) -> Result<()> {
    let allowed = match (caller, grant) {
        (_, Grant::Inside(permissions)) => permissions.allows("workflows", Level::Write),
        (Principal::User(token), Grant::Everywhere) => grants(&token.limits, Some(Scope::Workflow)),
        (Principal::Installation(_) | Principal::App(_) | Principal::Anonymous, Grant::Everywhere)
        | (_, Grant::Outside | Grant::Suspended) => false,
    };
    if allowed { Ok(()) } else { Err(Error::Forbidden(Kind::of(caller).rejection().into())) }
}

/// Showing an issue field in a project takes what reading issue fields takes, besides writing to the project.
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
        RepoRole::Admin => "Must have admin rights to Repository.",
        RepoRole::Maintain => "Must have maintain access to repository",
        RepoRole::Write => "Must have push access to repository",
        RepoRole::Triage => "Must have triage access to repository",
        RepoRole::Read => "Must have read access to repository",
    }
}
