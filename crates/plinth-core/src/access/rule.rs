//! What an operation asks of its caller.

use super::Kinds;
use crate::repos::RepoRole;
use crate::tokens::{Level, Scope};

/// What an operation asks of its caller.
///
/// Two questions are kept apart. *Seeing*: without it the resource looks absent. *Acting*: without it the caller is
/// told that the right is missing.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    pub target: TargetKind,
    pub action: Action,
    pub kinds: Kinds,
    pub anonymous: Anonymous,
    /// What a refused kind reads, where clients expect a text of its own.
    pub rejection: Option<&'static str>,
    /// The resource is hidden from everyone outside even though the account itself is public.
    pub members_only: bool,
    /// The scope without which a private resource is not seen.
    pub see_scope: Option<Scope>,
    /// The role without which a private resource is not seen.
    pub see_role: RepoRole,
    /// Whether a private resource is hidden, too, from tokens that lack the permission's read level.
    pub see_permission: bool,
    /// The scope that acting takes.
    pub act_scope: Option<Scope>,
    /// The role that acting takes.
    pub act_role: RepoRole,
    /// The permission that fine-grained tokens and apps need.
    pub permission: Option<(&'static str, Level)>,
    /// A second permission that some inputs need besides; named in headers, judged by the area.
    pub also: Option<&'static str>,
    /// Whether a request draws on the caller's budget.
    pub cost: Cost,
}

impl Rule {
    /// Whether the operation may open a write transaction at all.
    pub const fn is_write(&self) -> bool {
        matches!(self.action, Action::Write)
    }
}

/// What a request costs its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// One request of the budget.
    One,
    /// Nothing: what is needed to find one's way, or to look at the budget itself.
    Nothing,
}

/// What the path leads to.
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

/// Public resources can be read with any credential; changing one always takes the right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Read,
    Write,
}

/// What happens to a caller without a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anonymous {
    /// Sees what is public.
    SeesPublic,
    /// Is refused where the resource is public, and finds nothing where it is not.
    RefusedWhereVisible,
    /// Is refused before anything is looked up.
    Refused,
}
