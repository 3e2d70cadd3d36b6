//! Repositories and collaborators in the store.
//!
//! A deleted repository has a row until everything that belongs to it is removed ([`deletion`](super::deletion)). No name
//! finds it, and each statement that reads `repo` by anything else has `not deleted`: a test checks that.

use std::collections::HashMap;

use super::model::ContentColumns;
use super::name::name_key;
use super::{Repo, rules};
use crate::access::Role;
use crate::accounts::OrgRole;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Code, FieldError, Result};
use plinth_base::ids::{AccountId, RepoId};
use plinth_store::{Connection, DbError, FromRow, Row, Transaction, Value, params};

const REPOS_PER_STATEMENT: usize = 16;

/// A repository with the role of one user in it, from one statement.
pub struct RepoWithRole {
    pub repo: Repo,
    pub role: Option<Role>,
}

impl RepoWithRole {
    /// Whether the repository has this `owner/name`.
    pub fn is_called(&self, full_name: &str) -> bool {
        let own = format!("{}/{}", self.repo.owner_login, self.repo.name);
        own.eq_ignore_ascii_case(full_name)
    }
}

impl FromRow for RepoWithRole {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        const REPO_COLUMNS: usize = 19;
        let repo = Repo::from_row(row)?;
        let collaborator: Option<Role> = row.get(REPO_COLUMNS)?;
        let member: Option<OrgRole> = row.get(REPO_COLUMNS + 1)?;
        let owns: bool = row.get(REPO_COLUMNS + 2)?;
        Ok(Self { repo, role: role(collaborator, member, owns) })
    }
}

/// The highest of the roles from ownership, membership and collaboration.
pub(super) fn role(collaborator: Option<Role>, member: Option<OrgRole>, owns: bool) -> Option<Role> {
    let by_membership = member.map(|role| match role {
        OrgRole::Admin => Role::Admin,
        OrgRole::Member => Role::Read,
    });
    let by_ownership = owns.then_some(Role::Admin);
    collaborator.max(by_membership).max(by_ownership)
}

/// The repository `owner/name` and the role of `user` in it; without a user, no role.
pub async fn find(
    db: &mut Connection,
    owner: &str,
    name: &str,
    user: Option<AccountId>,
) -> Result<Option<RepoWithRole>, DbError> {
    let sql = "select r.id, r.owner_id, o.login, o.kind, o.site_admin, r.name, r.description, r.private, r.archived, \
               r.default_branch, r.ref_generation, r.created_at, r.updated_at, r.pushed_at, r.homepage, r.topics, r.license, r.language, r.size, \
               c.permission, m.role, coalesce(r.owner_id = $3, false) \
               from account o join repo r on r.owner_id = o.id \
               left join collaborator c on c.repo_id = r.id and c.user_id = $3 \
               left join membership m on m.org_id = r.owner_id and m.user_id = $3 \
               where o.login_key = $1 and r.name_key = $2";
    db.optional(sql, params![name_key(owner), name_key(name), user]).await
}

/// As [`find`], by id.
pub async fn find_by_id(
    db: &mut Connection,
    id: RepoId,
    user: Option<AccountId>,
) -> Result<Option<RepoWithRole>, DbError> {
    let sql = "select r.id, r.owner_id, o.login, o.kind, o.site_admin, r.name, r.description, r.private, r.archived, \
               r.default_branch, r.ref_generation, r.created_at, r.updated_at, r.pushed_at, r.homepage, r.topics, r.license, r.language, r.size, \
               c.permission, m.role, coalesce(r.owner_id = $2, false) \
               from repo r join account o on r.owner_id = o.id \
               left join collaborator c on c.repo_id = r.id and c.user_id = $2 \
               left join membership m on m.org_id = r.owner_id and m.user_id = $2 \
               where r.id = $1 and not r.deleted";
    db.optional(sql, params![id, user]).await
}

/// What pushes change in the row of a repository.
pub async fn find_content(db: &mut Connection, id: RepoId) -> Result<Option<ContentColumns>, DbError> {
    let sql = "select ref_generation, pushed_at, license, language, size from repo where id = $1 and not deleted";
    db.optional(sql, params![id]).await
}

/// As [`find`], for some ids.
pub async fn list_by_ids(
    db: &mut Connection,
    ids: &[RepoId],
    user: Option<AccountId>,
) -> Result<Vec<RepoWithRole>, DbError> {
    let sql = "select r.id, r.owner_id, o.login, o.kind, o.site_admin, r.name, r.description, r.private, r.archived, \
               r.default_branch, r.ref_generation, r.created_at, r.updated_at, r.pushed_at, r.homepage, r.topics, r.license, r.language, r.size, \
               c.permission, m.role, coalesce(r.owner_id = $1, false) \
               from repo r join account o on r.owner_id = o.id \
               left join collaborator c on c.repo_id = r.id and c.user_id = $1 \
               left join membership m on m.org_id = r.owner_id and m.user_id = $1 where not r.deleted and r.id in \
               ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)";
    let mut found = Vec::with_capacity(ids.len());
    for some in ids.chunks(REPOS_PER_STATEMENT) {
        let mut values = [Value::Null; REPOS_PER_STATEMENT + 1];
        values[0] = user.map_or(Value::Null, |AccountId(id)| Value::Integer(id));
        for (value, RepoId(id)) in values[1..].iter_mut().zip(some) {
            *value = Value::Integer(*id);
        }
        found.extend(db.all::<RepoWithRole>(sql, &values).await?);
    }
    Ok(found)
}

/// The number of open issues and pull requests of each repository that has any.
pub async fn count_open_issues(
    db: &mut Connection,
    repos: impl Iterator<Item = RepoId>,
) -> Result<HashMap<RepoId, i64>, DbError> {
    macro_rules! some {
        () => {
            " where state = 'open' and repo_id in \
             ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) group by repo_id"
        };
    }
    let sql = concat!(
        "select x.repo_id, cast(sum(x.open) as bigint) from (select repo_id, count(*) as open from pull",
        some!(),
        " union all select repo_id, count(*) as open from issue",
        some!(),
        ") x group by x.repo_id"
    );
    let repos: Vec<RepoId> = repos.collect();
    let mut counts = HashMap::new();
    for some in repos.chunks(REPOS_PER_STATEMENT) {
        let mut values = [Value::Null; REPOS_PER_STATEMENT];
        for (value, RepoId(id)) in values.iter_mut().zip(some) {
            *value = Value::Integer(*id);
        }
        counts.extend(db.all::<(RepoId, i64)>(sql, &values).await?);
    }
    Ok(counts)
}

pub async fn count_public(db: &mut Connection, owner: AccountId) -> Result<i64, DbError> {
    let sql = "select count(*) from repo where owner_id = $1 and private = false and not deleted";
    Ok(db.one::<(i64,)>(sql, params![owner]).await?.0)
}

/// The columns of a new repository.
pub struct NewRepo<'a> {
    pub owner: AccountId,
    pub name: &'a str,
    pub description: Option<&'a str>,
    pub private: bool,
    pub default_branch: &'a str,
}

pub async fn insert(db: &mut Transaction, new: &NewRepo<'_>, now: Timestamp) -> Result<RepoId> {
    let sql = "insert into repo (owner_id, name, name_key, description, private, default_branch, created_at, \
               updated_at) values ($1, $2, $3, $4, $5, $6, $7, $7) returning id";
    let inserted = db
        .insert::<(RepoId,)>(
            sql,
            params![new.owner, new.name, name_key(new.name), new.description, new.private, new.default_branch, now],
        )
        .await;
    let taken = || {
        let message = Code::Custom("name already exists on this account".into());
        rules::creation_failed(vec![FieldError::new("Repository", "name", message)])
    };
    let (id,) = inserted.map_err(|error| error.on_unique(taken))?;
    Ok(id)
}

/// Updates the columns that a state file sets.
pub async fn update(db: &mut Transaction, id: RepoId, new: &NewRepo<'_>, now: Timestamp) -> Result<(), DbError> {
    let sql = "update repo set description = $2, private = $3, default_branch = $4, updated_at = $5 where id = $1";
    db.execute(sql, params![id, new.description, new.private, new.default_branch, now]).await?;
    Ok(())
}

pub async fn update_homepage(db: &mut Transaction, id: RepoId, homepage: &str) -> Result<(), DbError> {
    db.execute("update repo set homepage = $2 where id = $1", params![id, homepage]).await?;
    Ok(())
}

/// Writes what an edit through the API changes.
pub async fn edit(db: &mut Transaction, repo: &Repo, now: Timestamp) -> Result<(), DbError> {
    let sql = "update repo set description = $2, homepage = $3, private = $4, default_branch = $5, archived = $6, \
               updated_at = $7 where id = $1";
    let Repo { description, homepage, private, default_branch, archived, .. } = repo;
    db.execute(sql, params![repo.id, description, homepage, private, default_branch, archived, now]).await?;
    Ok(())
}

pub async fn update_topics(db: &mut Transaction, id: RepoId, topics: &str, now: Timestamp) -> Result<(), DbError> {
    db.execute("update repo set topics = $2, updated_at = $3 where id = $1", params![id, topics, now]).await?;
    Ok(())
}

pub async fn update_default_branch(
    db: &mut Transaction,
    id: RepoId,
    branch: &str,
    now: Timestamp,
) -> Result<(), DbError> {
    let sql = "update repo set default_branch = $2, updated_at = $3 where id = $1";
    db.takes_no_right().execute(sql, params![id, branch, now]).await?;
    Ok(())
}

pub async fn update_archived(db: &mut Transaction, id: RepoId, archived: bool) -> Result<(), DbError> {
    db.execute("update repo set archived = $2 where id = $1", params![id, archived]).await?;
    Ok(())
}

pub async fn upsert_collaborator(
    db: &mut Transaction,
    repo: RepoId,
    user: AccountId,
    role: Role,
) -> Result<(), DbError> {
    let sql = "insert into collaborator (repo_id, user_id, permission) values ($1, $2, $3) \
               on conflict (repo_id, user_id) do update set permission = excluded.permission";
    db.execute(sql, params![repo, user, role]).await?;
    Ok(())
}

pub async fn delete_collaborator(db: &mut Transaction, repo: RepoId, user: AccountId) -> Result<u64, DbError> {
    db.execute("delete from collaborator where repo_id = $1 and user_id = $2", params![repo, user]).await
}

pub async fn find_collaborator(db: &mut Connection, repo: RepoId, user: AccountId) -> Result<Option<Role>, DbError> {
    let sql = "select permission from collaborator where repo_id = $1 and user_id = $2";
    Ok(db.optional::<(Role,)>(sql, params![repo, user]).await?.map(|(role,)| role))
}

pub async fn list(db: &mut Connection, limit: i64) -> Result<Vec<Repo>, DbError> {
    let sql = "select r.id, r.owner_id, o.login, o.kind, o.site_admin, r.name, r.description, r.private, r.archived, \
               r.default_branch, r.ref_generation, r.created_at, r.updated_at, r.pushed_at, r.homepage, r.topics, r.license, r.language, r.size \
               from repo r join account o on r.owner_id = o.id where not r.deleted \
               order by r.id limit $1";
    db.all(sql, params![limit]).await
}
