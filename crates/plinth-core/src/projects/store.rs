//! SQL for projects and for the issue field mirrors in them.

use super::text::name_key;
use super::{Project, rules};
use crate::access::Role;
use crate::accounts::{AccountKind, OrgRole, login_key};
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, IssueFieldId, ProjectId};
use plinth_store::{Connection, DbError, FromRow, Row, Transaction, params};

/// A project with the role of one user in it, from one statement.
pub struct ProjectWithRole {
    pub project: Project,
    pub role: Option<Role>,
}

impl FromRow for ProjectWithRole {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        const PROJECT_COLUMNS: usize = 15;
        let project = Project::from_row(row)?;
        let member: Option<OrgRole> = row.get(PROJECT_COLUMNS)?;
        let owns: bool = row.get(PROJECT_COLUMNS + 1)?;
        Ok(Self { project, role: rules::role(member, owns) })
    }
}

/// The project with this owner and number, and the role of `user` in it; without a user, no role.
pub async fn find(
    db: &mut Connection,
    owner: &str,
    kind: AccountKind,
    number: i64,
    user: Option<AccountId>,
) -> Result<Option<ProjectWithRole>, DbError> {
    let sql = "select p.id, p.owner_id, a.login, a.kind, a.site_admin, p.number, p.title, p.short_description, \
               p.public, p.creator_id, p.generation, p.has_iterations, p.created_at, p.updated_at, p.closed_at, \
               m.role, coalesce(p.owner_id = $4, false) \
               from account a join project p on p.owner_id = a.id \
               left join membership m on m.org_id = a.id and m.user_id = $4 \
               where a.login_key = $1 and a.kind = $2 and p.number = $3";
    db.optional(sql, params![login_key(owner), kind, number, user]).await
}

/// As [`find`], by id.
pub async fn find_by_id(
    db: &mut Connection,
    id: ProjectId,
    user: Option<AccountId>,
) -> Result<Option<ProjectWithRole>, DbError> {
    let sql = "select p.id, p.owner_id, a.login, a.kind, a.site_admin, p.number, p.title, p.short_description, \
               p.public, p.creator_id, p.generation, p.has_iterations, p.created_at, p.updated_at, p.closed_at, \
               m.role, coalesce(p.owner_id = $2, false) \
               from project p join account a on a.id = p.owner_id \
               left join membership m on m.org_id = a.id and m.user_id = $2 where p.id = $1";
    db.optional(sql, params![id, user]).await
}

/// The projects of an owner, with or without private ones.
#[derive(Clone, Copy)]
pub struct Scope {
    pub owner: AccountId,
    pub with_private: bool,
}

/// The first `limit` projects whose ids are above `after`.
pub async fn list_after(db: &mut Connection, scope: Scope, after: i64, limit: i64) -> Result<Vec<Project>, DbError> {
    let sql = "select p.id, p.owner_id, a.login, a.kind, a.site_admin, p.number, p.title, p.short_description, \
               p.public, p.creator_id, p.generation, p.has_iterations, p.created_at, p.updated_at, p.closed_at \
               from project p join account a on a.id = p.owner_id \
               where p.owner_id = $1 and (p.public or $2) and p.id > $3 order by p.id limit $4";
    db.all(sql, params![scope.owner, scope.with_private, after, limit]).await
}

/// The last `limit` projects whose ids are below `before`, the highest first.
pub async fn list_before(db: &mut Connection, scope: Scope, before: i64, limit: i64) -> Result<Vec<Project>, DbError> {
    let sql = "select p.id, p.owner_id, a.login, a.kind, a.site_admin, p.number, p.title, p.short_description, \
               p.public, p.creator_id, p.generation, p.has_iterations, p.created_at, p.updated_at, p.closed_at \
               from project p join account a on a.id = p.owner_id \
               where p.owner_id = $1 and (p.public or $2) and p.id < $3 order by p.id desc limit $4";
    db.all(sql, params![scope.owner, scope.with_private, before, limit]).await
}

/// The columns of a new project.
pub struct NewProject<'a> {
    pub owner: AccountId,
    pub creator: Option<AccountId>,
    pub title: &'a str,
    pub short_description: Option<&'a str>,
    pub public: bool,
}

pub async fn insert(
    db: &mut Transaction,
    new: &NewProject<'_>,
    number: i64,
    now: Timestamp,
) -> Result<ProjectId, DbError> {
    let sql = "insert into project \
               (owner_id, number, title, short_description, public, creator_id, created_at, updated_at) \
               values ($1, $2, $3, $4, $5, $6, $7, $7) returning id";
    let values = params![new.owner, number, new.title, new.short_description, new.public, new.creator, now];
    let (id,) = db.insert(sql, values).await?;
    Ok(id)
}

pub async fn update(db: &mut Transaction, id: ProjectId, new: &NewProject<'_>, now: Timestamp) -> Result<(), DbError> {
    let sql = "update project set title = $2, short_description = $3, public = $4, updated_at = $5, \
               generation = generation + 1 where id = $1";
    db.execute(sql, params![id, new.title, new.short_description, new.public, now]).await?;
    Ok(())
}

/// Increments the generation of a project; returns 0 if the project was deleted.
pub async fn mark_changed(db: &mut Transaction, id: ProjectId, now: Timestamp) -> Result<u64, DbError> {
    let sql = "update project set generation = generation + 1, updated_at = $2 where id = $1";
    db.content_only().execute(sql, params![id, now]).await
}

/// Locks a project for the rest of the transaction, so that changes of its items come one after the other; returns 0 if
/// the project was deleted.
pub async fn lock(db: &mut Transaction, id: ProjectId) -> Result<u64, DbError> {
    let sql = "update project set updated_at = updated_at where id = $1";
    db.content_only().execute(sql, params![id]).await
}

/// Records that an item of a project has changed, which responses about fields do not depend on.
pub async fn update_time(db: &mut Transaction, id: ProjectId, now: Timestamp) -> Result<(), DbError> {
    db.content_only().execute("update project set updated_at = $2 where id = $1", params![id, now]).await?;
    Ok(())
}

/// Records that responses about this project's fields depend on the date.
pub async fn mark_iterating(db: &mut Transaction, id: ProjectId) -> Result<(), DbError> {
    db.content_only().execute("update project set has_iterations = $2 where id = $1", params![id, true]).await?;
    Ok(())
}

/// Renames the issue field mirrors of an issue field; `taken` is the error if a project has a field of that name.
pub async fn rename_mirrors(
    db: &mut Transaction,
    issue_field: IssueFieldId,
    name: &str,
    now: Timestamp,
    taken: impl FnOnce() -> Error,
) -> Result<()> {
    let sql = "update project_field set name = $2, name_key = $3, updated_at = $4 where issue_field_id = $1";
    let renamed = db.content_only().execute(sql, params![issue_field, name, name_key(name), now]).await;
    renamed.map_err(|error| error.on_unique(taken))?;
    Ok(mark_mirrors_changed(db, issue_field, now).await?)
}

/// Whether a public project has a mirror of an issue field.
pub async fn has_public_mirror(db: &mut Connection, issue_field: IssueFieldId) -> Result<bool, DbError> {
    let sql = "select count(*) from project_field f join project p on p.id = f.project_id \
               where f.issue_field_id = $1 and p.public";
    Ok(db.one::<(i64,)>(sql, params![issue_field]).await?.0 > 0)
}

/// The name of a mirror in the project whose issue field is visible to members only, if there is one.
pub async fn find_members_only_mirror(db: &mut Connection, project: ProjectId) -> Result<Option<String>, DbError> {
    let sql = "select i.name from project_field f join issue_field i on i.id = f.issue_field_id \
               where f.project_id = $1 and i.visibility = 'organization_members_only' order by i.id limit 1";
    Ok(db.optional::<(String,)>(sql, params![project]).await?.map(|(name,)| name))
}

/// Increments the generation of every project with a mirror of an issue field.
pub async fn mark_mirrors_changed(
    db: &mut Transaction,
    issue_field: IssueFieldId,
    now: Timestamp,
) -> Result<(), DbError> {
    let sql = "update project set generation = generation + 1, updated_at = $2 \
               where id in (select project_id from project_field where issue_field_id = $1)";
    db.content_only().execute(sql, params![issue_field, now]).await?;
    Ok(())
}
