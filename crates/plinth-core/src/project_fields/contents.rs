//! What select and iteration fields contain, fetched for several fields at once.

use super::model::{DataType, FieldOption, Iteration, ProjectField};
use super::store::{self, Stretch};
use plinth_base::ids::ProjectFieldId;
use plinth_store::{Connection, DbError};

/// Options and iterations of some fields, those of one field together.
#[derive(Default)]
pub struct Contents {
    options: Vec<FieldOption>,
    iterations: Vec<Iteration>,
}

impl Contents {
    pub fn options_of(&self, field: ProjectFieldId) -> &[FieldOption] {
        let start = self.options.partition_point(|option| option.project_field_id < field);
        let end = self.options.partition_point(|option| option.project_field_id <= field);
        &self.options[start..end]
    }

    pub fn iterations_of(&self, field: ProjectFieldId) -> &[Iteration] {
        let start = self.iterations.partition_point(|iteration| iteration.project_field_id < field);
        let end = self.iterations.partition_point(|iteration| iteration.project_field_id <= field);
        &self.iterations[start..end]
    }
}

/// Asks only for what fields of these types can have; they belong to one project and are in order of their ids.
pub async fn find(db: &mut Connection, fields: &[ProjectField]) -> Result<Contents, DbError> {
    let (Some(first), Some(last)) = (fields.first(), fields.last()) else { return Ok(Contents::default()) };
    let stretch = Stretch { project: first.project_id, first: first.id, last: last.id };
    let selects = |field: &&ProjectField| field.data_type == DataType::SingleSelect;
    let mut contents = Contents::default();
    if fields.iter().filter(selects).any(|field| field.issue_field_id.is_none()) {
        contents.options = store::list_options(db, stretch).await?;
    }
    if fields.iter().filter(selects).any(|field| field.issue_field_id.is_some()) {
        let mirrored = store::list_mirrored_options(db, stretch).await?;
        contents.options.extend(mirrored.into_iter().map(FieldOption::from));
        // Stable, so that the options of one field stay in their order.
        contents.options.sort_by_key(|option| option.project_field_id);
    }
    if fields.iter().any(|field| field.data_type == DataType::Iteration) {
        contents.iterations = store::list_iterations(db, stretch).await?;
    }
    Ok(contents)
}
