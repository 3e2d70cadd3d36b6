//! Lists of repositories as a caller sees them, and of the users who have a role in one.

use super::store::RepoWithRole;
pub use super::viewer::Viewer;
use super::viewer::{is_visible, related, viewer_joins};
use crate::access::Role;
use crate::accounts::{AccountKind, AccountSummary, OrgRole};
use crate::paging::Page;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, RepoId};
use plinth_store::{Connection, DbError, FromRow, Row, from_row, params};

/// How repositories belong to an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relations {
    /// The account owns them.
    pub owner: bool,
    /// The account is a collaborator.
    pub collaborator: bool,
    /// The account is a member of the organization that owns them.
    pub member: bool,
}

/// The visibility of listed repositories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    All,
    Public,
    Private,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Created,
    Updated,
    Pushed,
    FullName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Up,
    Down,
}

/// Which repositories are listed.
#[derive(Debug, Clone, Copy)]
pub struct Filter {
    pub account: AccountId,
    pub relations: Relations,
    pub shown: Shown,
    /// Updated between these times.
    pub since: Timestamp,
    pub before: Timestamp,
}

impl Filter {
    fn shown(&self) -> &'static str {
        match self.shown {
            Shown::All => "all",
            Shown::Public => "public",
            Shown::Private => "private",
        }
    }
}

/// The repositories `r` of the filter `$4` to `$10` that the viewer `$1` to `$3` sees.
macro_rules! listed {
    () => {
        concat!(
            "from repo r join account o on o.id = r.owner_id and not r.deleted ",
            viewer_joins!(),
            " where ",
            is_visible!(),
            " and r.id in (",
            related!(),
            ") and ($8 = 'all' or ($8 = 'private') = r.private) and r.updated_at > $9 and r.updated_at < $10"
        )
    };
}

/// The repositories of a filter, with the role of the caller in each.
pub async fn list(
    db: &mut Connection,
    viewer: Viewer,
    filter: &Filter,
    (sort, direction): (Sort, Direction),
    page: Page,
) -> Result<Vec<RepoWithRole>, DbError> {
    let sql = concat!(
        "select r.id, r.owner_id, o.login, o.kind, o.site_admin, r.name, r.description, r.private, r.archived, ",
        "r.default_branch, r.ref_generation, r.created_at, r.updated_at, r.pushed_at, r.homepage, r.topics, r.license, r.language, r.size, ",
        "c.permission, m.role, coalesce(r.owner_id = $1, false) ",
        listed!(),
        " order by cast($12 as bigint) * case when $11 = 'created' then r.created_at ",
        "when $11 = 'updated' then r.updated_at when $11 = 'pushed' then coalesce(r.pushed_at, r.created_at) else 0 end, ",
        "case when $11 = 'full_name' and cast($12 as bigint) > 0 then o.login_key end, ",
        "case when $11 = 'full_name' and cast($12 as bigint) > 0 then r.name_key end, ",
        "case when $11 = 'full_name' then o.login_key end desc, case when $11 = 'full_name' then r.name_key end desc, ",
        "cast($12 as bigint) * r.id limit $13 offset $14"
    );
    let sort = match sort {
        Sort::Created => "created",
        Sort::Updated => "updated",
        Sort::Pushed => "pushed",
        Sort::FullName => "full_name",
    };
    let sign = match direction {
        Direction::Up => 1i64,
        Direction::Down => -1,
    };
    let Relations { owner, collaborator, member } = filter.relations;
    let (shown, limit, offset) = (filter.shown(), page.limit(), page.offset());
    let Viewer { user, kind, limited_by } = viewer;
    let Filter { account, since, before, .. } = *filter;
    let values = params![
        user,
        kind,
        limited_by,
        account,
        owner,
        collaborator,
        member,
        shown,
        since,
        before,
        sort,
        sign,
        limit,
        offset
    ];
    db.all(sql, values).await
}

pub async fn count(db: &mut Connection, viewer: Viewer, filter: &Filter) -> Result<i64, DbError> {
    let sql = concat!("select count(*) ", listed!());
    let Relations { owner, collaborator, member } = filter.relations;
    let Viewer { user, kind, limited_by } = viewer;
    let Filter { account, since, before, .. } = *filter;
    let shown = filter.shown();
    let values = params![user, kind, limited_by, account, owner, collaborator, member, shown, since, before];
    Ok(db.one::<(i64,)>(sql, values).await?.0)
}

/// A public repository, for a list that everyone sees.
#[derive(Debug, Clone)]
pub struct PublicRepo {
    pub owner: String,
    pub name: String,
    pub description: Option<String>,
}

from_row!(PublicRepo { owner, name, description });

/// The newest public repositories.
pub async fn list_newest_public(db: &mut Connection, limit: i64) -> Result<Vec<PublicRepo>, DbError> {
    let sql = "select o.login, r.name, r.description from repo r join account o on o.id = r.owner_id \
               where not r.private and not r.deleted order by r.id desc limit $1";
    db.all(sql, params![limit]).await
}

/// A user who has a role in a repository.
#[derive(Debug, Clone)]
pub struct UserWithRole {
    pub user: AccountSummary,
    pub role: Option<Role>,
}

impl FromRow for UserWithRole {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let user = AccountSummary { id: row.get(0)?, kind: row.get(1)?, login: row.get(2)?, site_admin: row.get(3)? };
        let (collaborator, member): (Option<Role>, Option<OrgRole>) = (row.get(4)?, row.get(5)?);
        Ok(Self { user, role: super::store::role(collaborator, member, row.get(6)?) })
    }
}

/// Which users of a repository are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Affiliation {
    /// Everyone with a role.
    All,
    /// Collaborators.
    Direct,
    /// Collaborators who are not members of the organization that owns the repository.
    Outside,
}

/// The users `a` with a role in the repository `$1`; `$2` is the affiliation.
macro_rules! users {
    () => {
        "from repo r join account a on a.id in (\
         select x.user_id from collaborator x where x.repo_id = $1 \
         union select y.user_id from membership y join repo z on z.owner_id = y.org_id and not z.deleted where z.id = $1 \
         union select w.owner_id from repo w where w.id = $1 and not w.deleted) \
         left join collaborator c on c.repo_id = r.id and c.user_id = a.id \
         left join membership m on m.org_id = r.owner_id and m.user_id = a.id \
         where r.id = $1 and not r.deleted and a.kind <> 'Organization' and ($2 = 'all' \
         or (c.permission is not null and ($2 = 'direct' or m.role is null)))"
    };
}

/// The users who have a role in a repository, by id.
pub async fn list_users(
    db: &mut Connection,
    repo: RepoId,
    affiliation: Affiliation,
    page: Page,
) -> Result<Vec<UserWithRole>, DbError> {
    let sql = concat!(
        "select a.id, a.kind, a.login, a.site_admin, c.permission, m.role, a.id = r.owner_id ",
        users!(),
        " order by a.id limit $3 offset $4"
    );
    db.all(sql, params![repo, affiliation.as_str(), page.limit(), page.offset()]).await
}

pub async fn count_users(db: &mut Connection, repo: RepoId, affiliation: Affiliation) -> Result<i64, DbError> {
    let sql = concat!("select count(*) ", users!());
    Ok(db.one::<(i64,)>(sql, params![repo, affiliation.as_str()]).await?.0)
}

/// A user by login, with the role in a repository; organizations have none.
pub async fn find_user(db: &mut Connection, repo: RepoId, login: &str) -> Result<Option<UserWithRole>, DbError> {
    let sql = "select a.id, a.kind, a.login, a.site_admin, c.permission, m.role, a.id = r.owner_id \
               from repo r join account a on a.login_key = $2 \
               left join collaborator c on c.repo_id = r.id and c.user_id = a.id \
               left join membership m on m.org_id = r.owner_id and m.user_id = a.id \
               where r.id = $1 and not r.deleted";
    let found = db.optional::<UserWithRole>(sql, params![repo, crate::accounts::login_key(login)]).await?;
    Ok(found.filter(|found| found.user.kind != AccountKind::Organization))
}

impl Affiliation {
    fn as_str(self) -> &'static str {
        match self {
            Affiliation::All => "all",
            Affiliation::Direct => "direct",
            Affiliation::Outside => "outside",
        }
    }
}
