//! SQL for project fields.

use super::model::{Contents, DataType, FieldOption, Iteration, MirroredOption, ProjectField, part_id};
use super::{NewIteration, NewOption, rules};
use crate::projects::text::name_key;
use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::{IssueFieldId, ProjectFieldId, ProjectId};
use plinth_store::{Connection, DbError, Transaction, params};

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

/// The mirror of the issue field in this project.
pub async fn find_mirror(
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

/// The fields of a project from `first` to `last`.
#[derive(Clone, Copy)]
pub struct FieldRange {
    pub project: ProjectId,
    pub first: ProjectFieldId,
    pub last: ProjectFieldId,
}

/// The options of a project's own select fields, sorted by field and position.
pub async fn list_options(db: &mut Connection, range: FieldRange) -> Result<Vec<FieldOption>, DbError> {
    let sql = "select o.project_field_id, o.option_id, o.name, o.description, o.color \
               from project_field f join project_field_option o on o.project_field_id = f.id \
               where f.project_id = $1 and f.id >= $2 and f.id <= $3 order by o.project_field_id, o.position";
    db.all(sql, params![range.project, range.first, range.last]).await
}

/// The options of issue field mirrors, which are those of the issue fields.
pub async fn list_mirrored_options(db: &mut Connection, range: FieldRange) -> Result<Vec<MirroredOption>, DbError> {
    let sql = "select f.id, o.id, o.name, o.description, o.color \
               from project_field f join issue_field_option o on o.issue_field_id = f.issue_field_id \
               where f.project_id = $1 and f.id >= $2 and f.id <= $3 order by f.id, o.priority, o.id";
    db.all(sql, params![range.project, range.first, range.last]).await
}

pub async fn list_iterations(db: &mut Connection, range: FieldRange) -> Result<Vec<Iteration>, DbError> {
    let sql = "select i.project_field_id, i.iteration_id, i.title, i.start_date, i.duration \
               from project_field f join project_field_iteration i on i.project_field_id = f.id \
               where f.project_id = $1 and f.id >= $2 and f.id <= $3 order by i.project_field_id, i.position";
    db.all(sql, params![range.project, range.first, range.last]).await
}

/// The contents of fields, which belong to one project and are sorted by id. Runs only the statements that fields of their
/// types need.
pub async fn find_contents(db: &mut Connection, fields: &[ProjectField]) -> Result<Contents, DbError> {
    let (Some(first), Some(last)) = (fields.first(), fields.last()) else { return Ok(Contents::default()) };
    let range = FieldRange { project: first.project_id, first: first.id, last: last.id };
    let selects = |field: &&ProjectField| field.data_type == DataType::SingleSelect;
    let mut contents = Contents::default();
    if fields.iter().filter(selects).any(|field| field.issue_field_id.is_none()) {
        contents.options = list_options(db, range).await?;
    }
    if fields.iter().filter(selects).any(|field| field.issue_field_id.is_some()) {
        let mirrored = list_mirrored_options(db, range).await?;
        contents.options.extend(mirrored.into_iter().map(FieldOption::from));
        // A stable sort, which keeps the order of the options of one field.
        contents.options.sort_by_key(|option| option.project_field_id);
    }
    if fields.iter().any(|field| field.data_type == DataType::Iteration) {
        contents.iterations = list_iterations(db, range).await?;
    }
    Ok(contents)
}

/// The columns of a new field.
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
