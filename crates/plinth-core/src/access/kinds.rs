//! The kinds of caller that the table speaks of.

use crate::tokens::{Principal, UserLimits};

/// What was presented, as far as rights are concerned.
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

    /// What a caller of this kind reads when its right does not grant.
    pub fn rejection(self) -> &'static str {
        match self {
            Kind::Classic | Kind::FineGrained => "Resource not accessible by personal access token",
            Kind::OAuth | Kind::AppUser | Kind::Installation => "Resource not accessible by integration",
            Kind::Anonymous | Kind::AppJwt => "Requires authentication",
        }
    }
}

/// A set of kinds that carry a token; callers without one have a rule of their own.
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
