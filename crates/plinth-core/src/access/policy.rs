//! The rules of each class of operations. The policy table of the API has one of these for every endpoint.

use super::{Action, Anonymous, Cost, Kinds, Role, Rule, TargetKind};
use crate::tokens::{Level, Scope};

/// Anyone, without a resource.
pub const OPEN: Rule = Rule {
    target: TargetKind::Nothing,
    action: Action::Read,
    kinds: Kinds::TOKENS,
    anonymous: Anonymous::SeesPublic,
    rejection: None,
    members_only: false,
    see_scope: None,
    see_role: Role::Read,
    see_permission: false,
    act_scope: None,
    act_role: Role::Read,
    permission: None,
    alternative: None,
    also: None,
    cost: Cost::One,
};

/// As [`OPEN`], and not counted in the rate limit.
pub const FREE: Rule = Rule { cost: Cost::Nothing, ..OPEN };

/// A device that signs in: it has no credential yet.
pub const SIGN_IN: Rule = Rule { action: Action::Write, ..OPEN };

/// A browser that signs in with the token of a user, and out again.
pub const WEB_SIGN_IN: Rule = Rule { kinds: Kinds::USERS, anonymous: Anonymous::Rejected, ..SIGN_IN };

/// A user's own account, through any token that acts as a user.
pub const OWN: Rule =
    Rule { target: TargetKind::OwnAccount, kinds: Kinds::USERS, anonymous: Anonymous::Rejected, ..OPEN };

/// An app that signs with its own key.
pub const APP: Rule = Rule { kinds: Kinds::APP_JWT, anonymous: Anonymous::Rejected, ..OPEN };
/// One of the app's installations.
pub const APP_INSTALLATION: Rule = Rule { target: TargetKind::Installation, ..APP };
/// Changing something of the app itself.
pub const APP_WRITE: Rule = Rule { action: Action::Write, ..APP };
pub const APP_INSTALLATION_WRITE: Rule = Rule { action: Action::Write, ..APP_INSTALLATION };

/// Reading a repository.
pub const REPO_READ: Rule = Rule {
    target: TargetKind::Repo,
    see_scope: Some(Scope::Repo),
    permission: Some(("metadata", Level::Read)),
    ..OPEN
};

/// Changing a repository.
pub const REPO_WRITE: Rule = Rule {
    action: Action::Write,
    anonymous: Anonymous::RejectedWhereVisible,
    act_scope: Some(Scope::PublicRepo),
    act_role: Role::Write,
    ..REPO_READ
};

/// Changing a repository itself, not only what is in it.
pub const REPO_ADMIN: Rule =
    Rule { act_role: Role::Admin, permission: Some(("administration", Level::Write)), ..REPO_WRITE };

/// Removing a collaborator: everyone may leave, and the area checks that others are removed by administrators.
pub const COLLABORATOR_REMOVE: Rule = Rule { act_role: Role::Read, ..REPO_ADMIN };

pub const CONTENTS_READ: Rule = Rule { permission: Some(("contents", Level::Read)), ..REPO_READ };
pub const CONTENTS_WRITE: Rule = Rule { permission: Some(("contents", Level::Write)), ..REPO_WRITE };
/// A new target of a ref may bring workflow files.
pub const REF_WRITE: Rule = Rule { also: Some("workflows"), ..CONTENTS_WRITE };
/// A private repository is hidden from tokens that may not read its contents, since they cannot clone it.
pub const GIT_READ: Rule = Rule { see_permission: true, ..CONTENTS_READ };
pub const GIT_WRITE: Rule = Rule { see_permission: true, ..REF_WRITE };
pub const STATUSES_READ: Rule =
    Rule { see_scope: Some(Scope::RepoStatus), permission: Some(("statuses", Level::Read)), ..REPO_READ };
pub const STATUSES_WRITE: Rule = Rule {
    see_scope: Some(Scope::RepoStatus),
    act_scope: Some(Scope::PublicRepoStatus),
    permission: Some(("statuses", Level::Write)),
    ..REPO_WRITE
};
pub const PULLS_READ: Rule = Rule { permission: Some(("pull_requests", Level::Read)), ..REPO_READ };
/// Everyone who can read a repository may review its pull requests.
pub const PULLS_WRITE: Rule =
    Rule { permission: Some(("pull_requests", Level::Write)), act_role: Role::Read, ..REPO_WRITE };
/// Issues of a repository.
pub const ISSUES_READ: Rule = Rule { permission: Some(("issues", Level::Read)), ..REPO_READ };
/// Everyone who can read a repository may open issues.
pub const ISSUES_WRITE: Rule = Rule { permission: Some(("issues", Level::Write)), act_role: Role::Read, ..REPO_WRITE };
/// What issues and pull requests have in common; the area checks that an issue takes the permission for issues.
pub const CONVERSATION_READ: Rule = Rule { alternative: Some("pull_requests"), ..ISSUES_READ };
/// Everyone who can read a repository may comment.
pub const CONVERSATION_WRITE: Rule = Rule { alternative: Some("pull_requests"), ..ISSUES_WRITE };
/// Labels and assignees of issues and pull requests.
pub const CONVERSATION_TRIAGE: Rule = Rule { act_role: Role::Triage, ..CONVERSATION_WRITE };
/// Labels of a repository.
pub const LABELS_WRITE: Rule = Rule { act_role: Role::Write, ..CONVERSATION_WRITE };
/// Values of issue fields.
pub const FIELD_VALUES_WRITE: Rule = Rule { act_role: Role::Write, ..ISSUES_WRITE };
/// Who can be assigned is visible to users who have a role in the repository themselves.
pub const ASSIGNEES_READ: Rule = Rule { anonymous: Anonymous::Rejected, members_only: true, ..CONVERSATION_READ };
/// Moving the head of a pull request.
pub const PULL_BRANCH_WRITE: Rule = Rule { permission: Some(("pull_requests", Level::Write)), ..REF_WRITE };

pub const ORG_PROJECT_READ: Rule = Rule {
    target: TargetKind::OrgProject,
    see_scope: Some(Scope::ReadProject),
    see_permission: true,
    permission: Some(("organization_projects", Level::Read)),
    ..OPEN
};
pub const ORG_PROJECT_WRITE: Rule = Rule {
    action: Action::Write,
    anonymous: Anonymous::RejectedWhereVisible,
    act_scope: Some(Scope::Project),
    act_role: Role::Write,
    permission: Some(("organization_projects", Level::Write)),
    ..ORG_PROJECT_READ
};
pub const USER_PROJECT_READ: Rule = Rule {
    target: TargetKind::UserProject,
    kinds: Kinds::SCOPED,
    anonymous: Anonymous::Rejected,
    see_scope: Some(Scope::ReadProject),
    ..OPEN
};
pub const USER_PROJECT_WRITE: Rule =
    Rule { action: Action::Write, act_scope: Some(Scope::Project), act_role: Role::Write, ..USER_PROJECT_READ };

/// Issue fields are hidden from everyone but members of the organization with the right scope.
pub const ISSUE_FIELDS_READ: Rule = Rule {
    target: TargetKind::Org,
    anonymous: Anonymous::Rejected,
    members_only: true,
    see_scope: Some(Scope::ReadOrg),
    permission: Some(("issue_fields", Level::Read)),
    ..OPEN
};
pub const ISSUE_FIELDS_WRITE: Rule = Rule {
    action: Action::Write,
    see_scope: Some(Scope::AdminOrg),
    see_role: Role::Admin,
    permission: Some(("issue_fields", Level::Write)),
    ..ISSUE_FIELDS_READ
};

/// Members of an organization are visible to each other.
pub const MEMBERS_READ: Rule =
    Rule { see_scope: Some(Scope::ReadOrg), permission: Some(("members", Level::Read)), ..ISSUE_FIELDS_READ };

/// Who has a role in a repository is visible to users who have one themselves and may push. As GitHub documents it, the
/// scope `repo` is needed for public repositories, too.
pub const COLLABORATORS_READ: Rule =
    Rule { anonymous: Anonymous::Rejected, members_only: true, act_role: Role::Write, ..REPO_READ };

/// Notes of a release are made for those who may create it.
pub const RELEASE_NOTES: Rule = Rule { permission: Some(("contents", Level::Write)), ..COLLABORATORS_READ };

/// Hooks are hidden from everyone but administrators of the repository with the right scope.
pub const REPO_HOOKS_READ: Rule = Rule {
    target: TargetKind::Repo,
    anonymous: Anonymous::Rejected,
    members_only: true,
    see_scope: Some(Scope::ReadRepoHook),
    see_role: Role::Admin,
    permission: Some(("repository_hooks", Level::Read)),
    ..OPEN
};
pub const REPO_HOOKS_WRITE: Rule = Rule {
    action: Action::Write,
    see_scope: Some(Scope::WriteRepoHook),
    permission: Some(("repository_hooks", Level::Write)),
    ..REPO_HOOKS_READ
};
pub const REPO_HOOKS_DELETE: Rule = Rule { see_scope: Some(Scope::AdminRepoHook), ..REPO_HOOKS_WRITE };
/// As [`REPO_HOOKS_READ`], for administrators of the organization.
pub const ORG_HOOKS_READ: Rule = Rule {
    target: TargetKind::Org,
    see_scope: Some(Scope::AdminOrgHook),
    permission: Some(("organization_hooks", Level::Read)),
    ..REPO_HOOKS_READ
};
pub const ORG_HOOKS_WRITE: Rule =
    Rule { action: Action::Write, permission: Some(("organization_hooks", Level::Write)), ..ORG_HOOKS_READ };

/// Only classic tokens may change the repositories of an installation.
pub const SELECTION_WRITE: Rule = Rule {
    target: TargetKind::Installation,
    action: Action::Write,
    kinds: Kinds::CLASSIC,
    anonymous: Anonymous::Rejected,
    act_scope: Some(Scope::Repo),
    act_role: Role::Admin,
    ..OPEN
};
