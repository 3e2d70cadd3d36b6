//! SQL for installations and their repositories.

use super::model::InstallationDetails;
use crate::apps::{self, Installation};
use crate::paging::Page;
use crate::repos::{self, Repo, RepoWithRole};
use crate::tokens::SelectionMode;
use plinth_base::ids::{AccountId, AppId, InstallationId, RepoId, TokenId};
use plinth_store::{Connection, DbError, Sent, params};

/// A repository of the installation's account, by name, if the installation has it.
pub async fn find_by_name(
    db: &mut Connection,
    installation: &Installation,
    owner_login: &str,
    name: &str,
) -> Result<Option<Repo>, DbError> {
    let found = repos::store::find(db, owner_login, name, None).await?.map(|found| found.repo);
    let has_it = has(db, installation, found.as_ref()).await?;
    Ok(found.filter(|_| has_it))
}

/// As [`find_by_name`], by id.
pub async fn find_by_id(db: &mut Connection, installation: &Installation, id: RepoId) -> Result<Option<Repo>, DbError> {
    let found = repos::store::find_by_id(db, id, None).await?.map(|found| found.repo);
    let has_it = has(db, installation, found.as_ref()).await?;
    Ok(found.filter(|_| has_it))
}

/// Whether the installation has this repository. Runs the same statements if the repository does not exist, so that the
/// response time does not reveal that.
pub async fn has(db: &mut Connection, installation: &Installation, repo: Option<&Repo>) -> Result<bool, DbError> {
    let selects = match installation.repository_selection {
        SelectionMode::All => true,
        SelectionMode::Selected => {
            let id = repo.map_or(RepoId(0), |repo| repo.id);
            apps::store::selects(db, installation.id, id).await?
        }
    };
    Ok(selects && repo.is_some_and(|repo| repo.owner_id == installation.account_id))
}

/// Selects installations as responses show them.
macro_rules! select_details {
    ($conditions:literal) => {
        concat!(
            "select i.id, i.app_id, i.account_id, i.repository_selection, i.permissions, i.events, i.suspended_at, ",
            "i.suspended_by, i.created_at, i.updated_at, a.client_id, a.slug, ",
            "o.id, o.kind, o.login, o.site_admin, s.id, s.kind, s.login, s.site_admin ",
            "from installation i join app a on a.id = i.app_id join account o on o.id = i.account_id ",
            "left join account s on s.id = i.suspended_by ",
            $conditions
        )
    };
}

pub async fn find_details(db: &mut Connection, id: InstallationId) -> Result<Option<InstallationDetails>, DbError> {
    db.optional(select_details!("where i.id = $1"), params![id]).await
}

/// The installations of an app.
pub async fn list_of_app(db: &mut Connection, app: AppId, page: Page) -> Result<Vec<InstallationDetails>, DbError> {
    let sql = select_details!("where i.app_id = $1 order by i.id limit $2 offset $3");
    db.all(sql, params![app, page.limit(), page.offset()]).await
}

pub async fn count_of_app(db: &mut Connection, app: AppId) -> Result<i64, DbError> {
    let sql = "select count(*) from installation where app_id = $1";
    Ok(db.one::<(i64,)>(sql, params![app]).await?.0)
}

/// Whether the user `$2` can see the installation `i`: it is on their own account, on an organization of theirs, or has a
/// repository in which they collaborate.
macro_rules! is_visible_to_user {
    () => {
        "(i.account_id = $2 \
          or exists (select 1 from membership m where m.org_id = i.account_id and m.user_id = $2) \
          or exists (select 1 from collaborator c join repo r on r.id = c.repo_id and not r.deleted \
          where c.user_id = $2 and r.owner_id = i.account_id and (i.repository_selection = 'all' \
          or exists (select 1 from installation_repo x where x.installation_id = i.id and x.repo_id = r.id))))"
    };
}

pub async fn is_visible(db: &mut Connection, id: InstallationId, user: AccountId) -> Result<bool, DbError> {
    let sql = concat!("select cast(1 as bigint) from installation i where i.id = $1 and ", is_visible_to_user!());
    Ok(db.optional::<(i64,)>(sql, params![id, user]).await?.is_some())
}

/// The installations of an app that the user can see.
pub async fn list_of_user(
    db: &mut Connection,
    app: AppId,
    user: AccountId,
    page: Page,
) -> Result<Vec<InstallationDetails>, DbError> {
    let sql = concat!(
        select_details!("where i.app_id = $1 and "),
        is_visible_to_user!(),
        " order by i.id limit $3 offset $4"
    );
    db.all(sql, params![app, user, page.limit(), page.offset()]).await
}

pub async fn send_count_of_user(
    db: &mut Connection,
    app: AppId,
    user: AccountId,
) -> Result<Sent<Vec<(i64,)>>, DbError> {
    let sql = concat!("select count(*) from installation i where i.app_id = $1 and ", is_visible_to_user!());
    db.send(sql, params![app, user]).await
}

/// The repositories `r` that both the installation of the token `$1` and the token itself have.
macro_rules! of_token {
    () => {
        "from token t join installation i on i.id = t.installation_id \
         join repo r on r.owner_id = i.account_id and not r.deleted join account o on o.id = r.owner_id \
         where t.id = $1 and (i.repository_selection = 'all' \
         or exists (select 1 from installation_repo x where x.installation_id = i.id and x.repo_id = r.id)) \
         and (t.repository_selection = 'all' \
         or exists (select 1 from token_repo y where y.token_id = t.id and y.repo_id = r.id))"
    };
}

/// The repositories of an installation token.
pub async fn list_repositories(db: &mut Connection, token: TokenId, page: Page) -> Result<Vec<Repo>, DbError> {
    let sql = concat!(
        "select r.id, r.owner_id, o.login, o.kind, o.site_admin, r.name, r.description, r.private, r.archived, ",
        "r.default_branch, r.ref_generation, r.created_at, r.updated_at, r.pushed_at, r.homepage, r.topics, r.license, r.language, r.size ",
        of_token!(),
        " order by r.id limit $2 offset $3"
    );
    db.all(sql, params![token, page.limit(), page.offset()]).await
}

pub async fn send_count_of_repositories(db: &mut Connection, token: TokenId) -> Result<Sent<Vec<(i64,)>>, DbError> {
    let sql = concat!("select count(*) ", of_token!());
    db.send(sql, params![token]).await
}

/// All repositories of an installation, at most `limit`.
pub async fn list_all_repositories(db: &mut Connection, id: InstallationId, limit: i64) -> Result<Vec<Repo>, DbError> {
    let sql = "select r.id, r.owner_id, o.login, o.kind, o.site_admin, r.name, r.description, r.private, r.archived, \
               r.default_branch, r.ref_generation, r.created_at, r.updated_at, r.pushed_at, r.homepage, r.topics, r.license, r.language, r.size \
               from installation i join repo r on r.owner_id = i.account_id and not r.deleted \
               join account o on o.id = r.owner_id \
               where i.id = $1 and (i.repository_selection = 'all' \
               or exists (select 1 from installation_repo x where x.installation_id = i.id and x.repo_id = r.id)) \
               order by r.id limit $2";
    db.all(sql, params![id, limit]).await
}

/// The repositories `r` of the installation `$1` in which the user `$2` has a role; private ones only if `$3` is true.
macro_rules! of_user {
    () => {
        "from installation i join repo r on r.owner_id = i.account_id and not r.deleted join account o on o.id = r.owner_id \
         left join collaborator c on c.repo_id = r.id and c.user_id = $2 \
         left join membership m on m.org_id = r.owner_id and m.user_id = $2 \
         where i.id = $1 and (i.repository_selection = 'all' \
         or exists (select 1 from installation_repo x where x.installation_id = i.id and x.repo_id = r.id)) \
         and (c.permission is not null or m.role is not null or r.owner_id = $2) \
         and (cast($3 as boolean) or not r.private)"
    };
}

/// Whether a list shows private repositories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Private {
    Shown,
    LeftOut,
}

/// The repositories of an installation in which the user has a role, with that role.
pub async fn list_repositories_of_user(
    db: &mut Connection,
    id: InstallationId,
    user: AccountId,
    private: Private,
    page: Page,
) -> Result<Vec<RepoWithRole>, DbError> {
    let sql = concat!(
        "select r.id, r.owner_id, o.login, o.kind, o.site_admin, r.name, r.description, r.private, r.archived, ",
        "r.default_branch, r.ref_generation, r.created_at, r.updated_at, r.pushed_at, r.homepage, r.topics, r.license, r.language, r.size, ",
        "c.permission, m.role, r.owner_id = $2 ",
        of_user!(),
        " order by r.id limit $4 offset $5"
    );
    db.all(sql, params![id, user, private == Private::Shown, page.limit(), page.offset()]).await
}

pub async fn send_count_of_repositories_of_user(
    db: &mut Connection,
    id: InstallationId,
    user: AccountId,
    private: Private,
) -> Result<Sent<Vec<(i64,)>>, DbError> {
    let sql = concat!("select count(*) ", of_user!());
    db.send(sql, params![id, user, private == Private::Shown]).await
}
