//! What each class of operation asks of its caller. The policy table of the API names one of these for every endpoint.

use super::{Action, Anonymous, Cost, Kinds, Rule, TargetKind};
use crate::repos::RepoRole;
use crate::tokens::{Level, Scope};

/// Anyone, about nothing in particular.
pub const OPEN: Rule = Rule {
    target: TargetKind::Nothing,
    action: Action::Read,
    kinds: Kinds::TOKENS,
    anonymous: Anonymous::SeesPublic,
    rejection: None,
    members_only: false,
    see_scope: None,
    see_role: RepoRole::Read,
    see_permission: false,
    act_scope: None,
    act_role: RepoRole::Read,
    permission: None,
    also: None,
    cost: Cost::One,
};

/// What shows the way, free of charge.
pub const FREE: Rule = Rule { cost: Cost::Nothing, ..OPEN };

/// A device that signs in: it has no credential yet.
pub const SIGN_IN: Rule = Rule { action: Action::Write, ..OPEN };

/// A user's own affairs, through any token that acts as a user.
pub const OWN: Rule =
    Rule { target: TargetKind::OwnAccount, kinds: Kinds::USERS, anonymous: Anonymous::Refused, ..OPEN };

/// An app that signs with its own key.
pub const APP: Rule = Rule { kinds: Kinds::APP_JWT, anonymous: Anonymous::Refused, ..OPEN };
/// An app about one of its installations.
pub const APP_INSTALLATION: Rule = Rule { target: TargetKind::Installation, ..APP };
pub const APP_INSTALLATION_WRITE: Rule = Rule { action: Action::Write, ..APP_INSTALLATION };

/// Reading what a repository holds.
pub const REPO_READ: Rule = Rule {
    target: TargetKind::Repo,
    see_scope: Some(Scope::Repo),
    permission: Some(("metadata", Level::Read)),
    ..OPEN
};

/// Changing what a repository holds.
pub const REPO_WRITE: Rule = Rule {
    action: Action::Write,
    anonymous: Anonymous::RefusedWhereVisible,
    act_scope: Some(Scope::PublicRepo),
    act_role: RepoRole::Write,
    ..REPO_READ
};

pub const CONTENTS_READ: Rule = Rule { permission: Some(("contents", Level::Read)), ..REPO_READ };
pub const CONTENTS_WRITE: Rule = Rule { permission: Some(("contents", Level::Write)), ..REPO_WRITE };
/// Moving a reference may bring workflow files with it.
pub const REF_WRITE: Rule = Rule { also: Some("workflows"), ..CONTENTS_WRITE };
/// Whoever may not read the contents of a private repository cannot clone it either, and does not learn of it.
pub const GIT_READ: Rule = Rule { see_permission: true, ..CONTENTS_READ };
pub const GIT_WRITE: Rule = Rule { see_permission: true, ..REF_WRITE };
pub const PULLS_READ: Rule = Rule { permission: Some(("pull_requests", Level::Read)), ..REPO_READ };
/// Whoever reads a repository may take part in its reviews.
pub const PULLS_WRITE: Rule =
    Rule { permission: Some(("pull_requests", Level::Write)), act_role: RepoRole::Read, ..REPO_WRITE };

pub const ORG_PROJECT_READ: Rule = Rule {
    target: TargetKind::OrgProject,
    see_scope: Some(Scope::ReadProject),
    see_permission: true,
    permission: Some(("organization_projects", Level::Read)),
    ..OPEN
};
pub const ORG_PROJECT_WRITE: Rule = Rule {
    action: Action::Write,
    anonymous: Anonymous::RefusedWhereVisible,
    act_scope: Some(Scope::Project),
    act_role: RepoRole::Write,
    permission: Some(("organization_projects", Level::Write)),
    ..ORG_PROJECT_READ
};
pub const USER_PROJECT_READ: Rule = Rule {
    target: TargetKind::UserProject,
    kinds: Kinds::SCOPED,
    anonymous: Anonymous::Refused,
    see_scope: Some(Scope::ReadProject),
    ..OPEN
};
pub const USER_PROJECT_WRITE: Rule =
    Rule { action: Action::Write, act_scope: Some(Scope::Project), act_role: RepoRole::Write, ..USER_PROJECT_READ };

/// Issue fields do not exist for whoever is not in the organization, or not with the scope for it.
pub const ISSUE_FIELDS_READ: Rule = Rule {
    target: TargetKind::Org,
    anonymous: Anonymous::Refused,
    members_only: true,
    see_scope: Some(Scope::ReadOrg),
    permission: Some(("issue_fields", Level::Read)),
    ..OPEN
};
pub const ISSUE_FIELDS_WRITE: Rule = Rule {
    action: Action::Write,
    see_scope: Some(Scope::AdminOrg),
    see_role: RepoRole::Admin,
    permission: Some(("issue_fields", Level::Write)),
    ..ISSUE_FIELDS_READ
};

/// Changing which repositories an installation has is for classic tokens alone.
pub const SELECTION_WRITE: Rule = Rule {
    target: TargetKind::Installation,
    action: Action::Write,
    kinds: Kinds::CLASSIC,
    anonymous: Anonymous::Refused,
    act_scope: Some(Scope::Repo),
    act_role: RepoRole::Admin,
    ..OPEN
};
