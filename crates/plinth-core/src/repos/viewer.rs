//! Which repositories a caller sees, for statements that list what is in several of them.

use crate::tokens::{Level, Principal, Scope, UserLimits};
use plinth_base::ids::AccountId;

/// Which private repositories a caller sees, in the words of the conditions below.
#[derive(Debug, Clone, Copy)]
pub struct Viewer {
    pub(crate) user: Option<AccountId>,
    pub(crate) kind: &'static str,
    /// The token or the app that limits what is seen.
    pub(crate) limited_by: i64,
}

impl Viewer {
    pub fn of(caller: &Principal) -> Self {
        let (kind, limited_by) = match caller {
            Principal::Anonymous | Principal::App(_) => ("public", 0),
            Principal::Installation(token) => ("installation", token.token.0),
            Principal::User(token) => match &token.limits {
                UserLimits::Classic(scopes) | UserLimits::OAuth { scopes, .. } => {
                    (if scopes.grant(Scope::Repo) { "scoped" } else { "public" }, 0)
                }
                UserLimits::FineGrained { .. } => ("fine_grained", token.token.0),
                UserLimits::AppUser { app } => ("app_user", app.0),
            },
        };
        Self { user: caller.user_id(), kind, limited_by }
    }

    /// As [`Viewer::of`], for a caller who reads the issues of repositories.
    pub fn of_issues(caller: &Principal) -> Self {
        let viewer = Self::of(caller);
        let permissions = match caller {
            Principal::Installation(token) => Some(&token.permissions),
            Principal::User(token) => match &token.limits {
                UserLimits::FineGrained { permissions, .. } => Some(permissions),
                UserLimits::AppUser { .. } => return Self { kind: "app_user_issues", ..viewer },
                UserLimits::Classic(_) | UserLimits::OAuth { .. } => None,
            },
            Principal::Anonymous | Principal::App(_) => None,
        };
        match permissions {
            Some(permissions) if !permissions.allows("issues", Level::Read) => Self { kind: "public", ..viewer },
            Some(_) | None => viewer,
        }
    }
}

/// Joins the roles of the viewer `$1` in a repository `r`.
macro_rules! viewer_joins {
    () => {
        "left join collaborator c on c.repo_id = r.id and c.user_id = $1 \
         left join membership m on m.org_id = r.owner_id and m.user_id = $1"
    };
}
pub(crate) use viewer_joins;

/// Whether the viewer `$1` to `$3` sees a repository `r` that is not deleted, with [`viewer_joins`]. Every caller sees public ones; for private
/// ones, the role of the user and the limits of the token decide, as for a single repository.
macro_rules! is_visible {
    () => {
        "(not r.private or ($2 = 'installation' and exists (\
         select 1 from token t join installation i on i.id = t.installation_id \
         where t.id = $3 and i.account_id = r.owner_id and (i.repository_selection = 'all' \
         or exists (select 1 from installation_repo s where s.installation_id = i.id and s.repo_id = r.id)) \
         and (t.repository_selection = 'all' \
         or exists (select 1 from token_repo s where s.token_id = t.id and s.repo_id = r.id)))) \
         or ((c.permission is not null or m.role is not null or r.owner_id = $1) and ($2 = 'scoped' \
         or ($2 = 'fine_grained' and exists (select 1 from token t where t.id = $3 and t.owner_id = r.owner_id \
         and (t.repository_selection = 'all' \
         or exists (select 1 from token_repo s where s.token_id = t.id and s.repo_id = r.id)))) \
         or ($2 in ('app_user', 'app_user_issues') and exists (select 1 from installation i where i.app_id = $3 \
         and i.account_id = r.owner_id and i.suspended_at is null \
         and ($2 = 'app_user' or i.permissions like '%\"issues\":%') and (i.repository_selection = 'all' \
         or exists (select 1 from installation_repo s where s.installation_id = i.id and s.repo_id = r.id)))))))"
    };
}
pub(crate) use is_visible;

/// The ids of the repositories that the account `$4` owns if `$5`, is a collaborator of if `$6`, and is a member of the
/// organization of if `$7`.
macro_rules! related {
    () => {
        "select x.id from repo x where x.owner_id = $4 and not x.deleted and cast($5 as boolean) \
         union select y.repo_id from collaborator y where y.user_id = $4 and cast($6 as boolean) \
         union select z.id from membership w join repo z on z.owner_id = w.org_id and not z.deleted \
         where w.user_id = $4 and cast($7 as boolean)"
    };
}
pub(crate) use related;
