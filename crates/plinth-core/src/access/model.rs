//! What the decision compares: the caller's kind and role, the rule of the operation, and facts about the resource.

use std::str::FromStr;

use crate::tokens::{Level, Permissions, Principal, Scope, UserLimits};
use plinth_base::ids::{AccountId, RepoId};
use plinth_store::InvalidationScope;
use plinth_store::text_column;

/// The role of a user on a repository, project or organization. Each role includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Read,
    Triage,
    Write,
    Maintain,
    Admin,
}

impl Role {
    pub const ALL: [Role; 5] = [Role::Read, Role::Triage, Role::Write, Role::Maintain, Role::Admin];

    pub fn as_str(self) -> &'static str {
        match self {
            Role::Read => "read",
            Role::Triage => "triage",
            Role::Write => "write",
            Role::Maintain => "maintain",
            Role::Admin => "admin",
        }
    }
}

impl FromStr for Role {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|role| role.as_str() == text).ok_or(())
    }
}

text_column!(Role);

/// The kind of credential that a caller presents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Anonymous,
    Classic,
    OAuth,
    FineGrained,
    AppUser,
    Installation,
    AppJwt,
}

impl Kind {
    pub fn of(principal: &Principal) -> Self {
        match principal {
            Principal::Anonymous => Kind::Anonymous,
            Principal::App(_) => Kind::AppJwt,
            Principal::Installation(_) => Kind::Installation,
            Principal::User(token) => match &token.limits {
                UserLimits::Classic(_) => Kind::Classic,
                UserLimits::OAuth { .. } => Kind::OAuth,
                UserLimits::FineGrained { .. } => Kind::FineGrained,
                UserLimits::AppUser { .. } => Kind::AppUser,
            },
        }
    }

    /// The error message for a caller of this kind that lacks the right.
    pub fn rejection(self) -> &'static str {
        match self {
            Kind::Classic | Kind::FineGrained => "Resource not accessible by personal access token",
            Kind::OAuth | Kind::AppUser | Kind::Installation => "Resource not accessible by integration",
            Kind::Anonymous | Kind::AppJwt => "Requires authentication",
        }
    }
}

/// A set of kinds. It never contains anonymous callers: [`Anonymous`] is their rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds(u8);

impl Kinds {
    pub const CLASSIC: Kinds = Kinds(1);
    pub const OAUTH: Kinds = Kinds(1 << 1);
    pub const FINE_GRAINED: Kinds = Kinds(1 << 2);
    pub const APP_USER: Kinds = Kinds(1 << 3);
    pub const INSTALLATION: Kinds = Kinds(1 << 4);
    pub const APP_JWT: Kinds = Kinds(1 << 5);
    /// The two kinds with scopes.
    pub const SCOPED: Kinds = Self::CLASSIC.and(Self::OAUTH);
    /// Every kind that acts as a user.
    pub const USERS: Kinds = Self::SCOPED.and(Self::FINE_GRAINED).and(Self::APP_USER);
    /// All five kinds of token.
    pub const TOKENS: Kinds = Self::USERS.and(Self::INSTALLATION);

    pub const fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    pub fn contains(self, kind: Kind) -> bool {
        let bit = match kind {
            Kind::Anonymous => return false,
            Kind::Classic => Self::CLASSIC,
            Kind::OAuth => Self::OAUTH,
            Kind::FineGrained => Self::FINE_GRAINED,
            Kind::AppUser => Self::APP_USER,
            Kind::Installation => Self::INSTALLATION,
            Kind::AppJwt => Self::APP_JWT,
        };
        self.0 & bit.0 != 0
    }
}

/// What an operation requires of its caller.
///
/// There are two requirements. *See*: a caller without it gets the same response as for an absent resource. *Act*: a
/// caller without it gets an error response that names the missing right.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    pub target: TargetKind,
    pub action: Action,
    pub kinds: Kinds,
    pub anonymous: Anonymous,
    /// The message for a kind that is not in `kinds`, where clients expect a special one.
    pub rejection: Option<&'static str>,
    /// The resource is visible to members only, although the account itself is public.
    pub members_only: bool,
    /// The scope required to see a private resource.
    pub see_scope: Option<Scope>,
    /// The role required to see a private resource.
    pub see_role: Role,
    /// Whether a private resource is hidden from tokens without the read level of `permission`, too.
    pub see_permission: bool,
    /// The scope required to act.
    pub act_scope: Option<Scope>,
    /// The role required to act.
    pub act_role: Role,
    /// The permission that fine-grained tokens and apps need.
    pub permission: Option<(&'static str, Level)>,
    /// Another permission, the same level of which is enough.
    pub alternative: Option<&'static str>,
    /// A second permission that depends on the input: response headers name it, and the area checks it.
    pub also: Option<&'static str>,
    /// Whether the request counts toward the caller's rate limit.
    pub cost: Cost,
}

impl Rule {
    /// Whether the operation may open a write transaction at all.
    pub const fn is_write(&self) -> bool {
        matches!(self.action, Action::Write)
    }

    /// Whether these permissions have the one that the rule requires, or its alternative, at this level.
    pub fn is_permitted_by(&self, permissions: &Permissions, level: Level) -> bool {
        let Some((name, _)) = self.permission else { return true };
        permissions.allows(name, level) || self.alternative.is_some_and(|other| permissions.allows(other, level))
    }
}

/// What a request counts in the rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    One,
    /// For responses that clients need before anything else, and for the state of the rate limit itself.
    Nothing,
}

/// What a path identifies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetKind {
    Nothing,
    OwnAccount,
    User,
    Org,
    Repo,
    OrgProject,
    UserProject,
    /// A project by its id, whoever owns it.
    AnyProject,
    Installation,
}

/// Any credential may read a public resource; to change one, a caller always needs the right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Read,
    Write,
}

/// What a caller without a credential may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anonymous {
    /// Sees what is public.
    SeesPublic,
    /// 401 if the resource is public, otherwise 404.
    RejectedWhereVisible,
    /// 401 before any look-up.
    Rejected,
}

/// What the decision needs to know about a resource and the caller's role on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    pub owner: AccountId,
    /// Set if a token's or an installation's selection of repositories can exclude the resource.
    pub repo: Option<RepoId>,
    pub public: bool,
    pub archived: bool,
    /// The role of the user behind the token, without what everyone may do on a public resource.
    pub role: Option<Role>,
}

impl Facts {
    /// Whose content operations on a resource of this kind read and change.
    pub fn scope(&self, kind: TargetKind) -> InvalidationScope {
        match (kind, self.repo) {
            (TargetKind::Repo, Some(repo)) => InvalidationScope::Repo(repo),
            (
                TargetKind::OwnAccount
                | TargetKind::Org
                | TargetKind::OrgProject
                | TargetKind::UserProject
                | TargetKind::AnyProject,
                None,
            ) => InvalidationScope::Account(self.owner),
            _ => InvalidationScope::Everything,
        }
    }

    /// For operations without a resource: public, without an owner.
    pub const OF_NOTHING: Facts = Facts { owner: AccountId(0), repo: None, public: true, archived: false, role: None };

    /// As if a resource of this kind existed that the caller may not see. No stored id is zero.
    pub fn of_absent(kind: TargetKind) -> Facts {
        let repo = match kind {
            TargetKind::Repo => Some(RepoId(0)),
            _ => None,
        };
        Facts { owner: AccountId(0), repo, public: false, archived: false, role: None }
    }
}
