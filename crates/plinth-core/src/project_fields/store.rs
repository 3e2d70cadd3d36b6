//! Fields of projects in the store.

use super::model::{DataType, FieldOption, Iteration, MirroredOption, ProjectField, part_id};
use super::{NewIteration, NewOption, rules};
use crate::projects::text::name_key;
use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::{IssueFieldId, ProjectFieldId, ProjectId};
use plinth_store::{Connection, DbError, Transaction, params};

/// The field of this very project.
pub async fn find(
    db: &mut Connection,
    project: ProjectId,
    id: ProjectFieldId,
) -> Result<Option<ProjectField>, DbError> {
    let sql = "select id, project_id, issue_field_id, name, data_type, iteration_start_day, iteration_duration, \
               created_at, updated_at from project_field where project_id = $1 and id = $2";
    db.optional(sql, params![project, id]).await
}

pub async fn find_by_name(
    db: &mut Connection,
    project: ProjectId,
    name: &str,
) -> Result<Option<ProjectField>, DbError> {
    let sql = "select id, project_id, issue_field_id, name, data_type, iteration_start_day, iteration_duration, \
               created_at, updated_at from project_field where project_id = $1 and name_key = $2";
    db.optional(sql, params![project, name_key(name)]).await
}

/// The field of this project that follows the issue field.
pub async fn find_following(
    db: &mut Connection,
    project: ProjectId,
    issue_field: IssueFieldId,
) -> Result<Option<ProjectField>, DbError> {
    let sql = "select id, project_id, issue_field_id, name, data_type, iteration_start_day, iteration_duration, \
               created_at, updated_at from project_field where project_id = $1 and issue_field_id = $2";
    db.optional(sql, params![project, issue_field]).await
}

/// The first `limit` fields whose ids are above `after`.
pub async fn list_after(
    db: &mut Connection,
    project: ProjectId,
    after: i64,
    limit: i64,
) -> Result<Vec<ProjectField>, DbError> {
    let sql = "select id, project_id, issue_field_id, name, data_type, iteration_start_day, iteration_duration, \
               created_at, updated_at from project_field where project_id = $1 and id > $2 order by id limit $3";
    db.all(sql, params![project, after, limit]).await
}

/// The last `limit` fields whose ids are below `before`, the highest first.
pub async fn list_before(
    db: &mut Connection,
    project: ProjectId,
    before: i64,
    limit: i64,
) -> Result<Vec<ProjectField>, DbError> {
    let sql = "select id, project_id, issue_field_id, name, data_type, iteration_start_day, iteration_duration, \
               created_at, updated_at from project_field where project_id = $1 and id < $2 order by id desc limit $3";
    db.all(sql, params![project, before, limit]).await
}

pub async fn count(db: &mut Connection, project: ProjectId) -> Result<i64, DbError> {
    let (count,) = db.one("select count(*) from project_field where project_id = $1", params![project]).await?;
    Ok(count)
}

/// The fields from `first` to `last`.
#[derive(Clone, Copy)]
pub struct Stretch {
    pub project: ProjectId,
    pub first: ProjectFieldId,
    pub last: ProjectFieldId,
}

/// The options of a project's own select fields, those of one field together and in order.
pub async fn list_options(db: &mut Connection, stretch: Stretch) -> Result<Vec<FieldOption>, DbError> {
    let sql = "select o.project_field_id, o.option_id, o.name, o.description, o.color \
               from project_field f join project_field_option o on o.project_field_id = f.id \
               where f.project_id = $1 and f.id >= $2 and f.id <= $3 order by o.project_field_id, o.position";
    db.all(sql, params![stretch.project, stretch.first, stretch.last]).await
}

/// The options of fields that follow an issue field, as that one has them now.
pub async fn list_mirrored_options(db: &mut Connection, stretch: Stretch) -> Result<Vec<MirroredOption>, DbError> {
    let sql = "select f.id, o.id, o.name, o.description, o.color \
               from project_field f join issue_field_option o on o.issue_field_id = f.issue_field_id \
               where f.project_id = $1 and f.id >= $2 and f.id <= $3 order by f.id, o.priority, o.id";
    db.all(sql, params![stretch.project, stretch.first, stretch.last]).await
}

pub async fn list_iterations(db: &mut Connection, stretch: Stretch) -> Result<Vec<Iteration>, DbError> {
    let sql = "select i.project_field_id, i.iteration_id, i.title, i.start_date, i.duration \
               from project_field f join project_field_iteration i on i.project_field_id = f.id \
               where f.project_id = $1 and f.id >= $2 and f.id <= $3 order by i.project_field_id, i.position";
    db.all(sql, params![stretch.project, stretch.first, stretch.last]).await
}

/// A row about to be stored.
pub struct NewRow<'a> {
    pub name: &'a str,
    pub data_type: DataType,
    pub issue_field: Option<IssueFieldId>,
    pub iteration_start_day: Option<i64>,
    pub iteration_duration: Option<i64>,
}

impl<'a> NewRow<'a> {
    pub fn plain(name: &'a str, data_type: DataType) -> Self {
        Self { name, data_type, issue_field: None, iteration_start_day: None, iteration_duration: None }
    }
}

pub async fn insert(
    db: &mut Transaction,
    project: ProjectId,
    new: &NewRow<'_>,
    now: Timestamp,
) -> Result<ProjectFieldId> {
    let sql = "insert into project_field (project_id, issue_field_id, name, name_key, data_type, \
               iteration_start_day, iteration_duration, created_at, updated_at) \
               values ($1, $2, $3, $4, $5, $6, $7, $8, $8) returning id";
    let (name, key) = (new.name.trim(), name_key(new.name));
    let (start_day, duration) = (new.iteration_start_day, new.iteration_duration);
    let values = params![project, new.issue_field, name, key, new.data_type, start_day, duration, now];
    let inserted = db.content_only().insert::<(ProjectFieldId,)>(sql, values).await;
    let (id,) = inserted.map_err(|error| error.on_unique(rules::name_taken))?;
    Ok(id)
}

pub async fn insert_option(
    db: &mut Transaction,
    field: ProjectFieldId,
    position: i64,
    option_id: &str,
    new: &NewOption,
) -> Result<(), DbError> {
    let sql = "insert into project_field_option (project_field_id, position, option_id, name, description, color) \
               values ($1, $2, $3, $4, $5, $6)";
    db.content_only()
        .execute(sql, params![field, position, option_id, new.name.trim(), new.description, new.color])
        .await?;
    Ok(())
}

pub async fn insert_iteration(
    db: &mut Transaction,
    field: ProjectFieldId,
    position: i64,
    new: &NewIteration,
) -> Result<(), DbError> {
    let sql = "insert into project_field_iteration \
               (project_field_id, position, iteration_id, title, start_date, duration) \
               values ($1, $2, $3, $4, $5, $6)";
    let (id, start_date) = (part_id(field, position), new.start_date.to_string());
    db.content_only().execute(sql, params![field, position, id, new.title.trim(), start_date, new.duration]).await?;
    Ok(())
}
