//! The fields whose values a request asks for.

use std::collections::BTreeSet;

use plinth_base::error::{Code, Error, Result};
use plinth_base::ids::{ProjectFieldId, ProjectId};
use plinth_core::project_fields::model::{DataType, ProjectField};
use plinth_core::project_fields::rules::FIELDS_MAX;
use plinth_core::project_fields::store;
use plinth_core::project_items::rules;
use plinth_store::Connection;

use crate::request::context::RequestContext;

/// Which fields of a project are shown.
pub enum Selection {
    Title,
    /// Those with these ids.
    Fields(BTreeSet<ProjectFieldId>),
    /// The title and those with these ids.
    TitleAnd(BTreeSet<ProjectFieldId>),
}

impl Selection {
    /// The parameter `fields`: `fields=1,2` or `fields[]=1&fields[]=2`.
    pub fn of(context: &RequestContext) -> Result<Self> {
        let mut ids = BTreeSet::new();
        for list in context.query_all(&["fields", "fields[]"]) {
            for text in list.split(',').map(str::trim).filter(|text| !text.is_empty()) {
                let invalid = || invalid(format!("{text} is not the id of a field"));
                ids.insert(text.parse().map_err(|_| invalid())?);
            }
        }
        if ids.len() > usize::try_from(FIELDS_MAX).unwrap_or(usize::MAX) {
            return Err(invalid(format!("No more than {FIELDS_MAX} fields are allowed")));
        }
        Ok(if ids.is_empty() { Self::Title } else { Self::Fields(ids) })
    }

    /// The fields of a project that are selected, in their order.
    pub async fn find(&self, db: &mut Connection, project: ProjectId) -> Result<Vec<ProjectField>> {
        let mut fields = store::list_after(db, project, 0, FIELDS_MAX).await?;
        if let Self::Fields(ids) = self
            && let Some(unknown) = ids.iter().find(|id| fields.iter().all(|field| field.id != **id))
        {
            return Err(invalid(format!("The project has no field with the id {unknown}")));
        }
        fields.retain(|field| match self {
            Self::Title => field.data_type == DataType::Title,
            Self::Fields(ids) => ids.contains(&field.id),
            Self::TitleAnd(ids) => field.data_type == DataType::Title || ids.contains(&field.id),
        });
        Ok(fields)
    }
}

fn invalid(message: String) -> Error {
    Error::invalid(rules::RESOURCE, "fields", Code::InvalidBecause(message))
}
