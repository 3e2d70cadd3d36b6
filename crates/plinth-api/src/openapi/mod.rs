//! The description of the API in OpenAPI 3.1: paths and rights from the access table, the rest from `areas/`.

mod areas;
mod common;
mod operation;
mod parameters;
mod paths;
mod rights;
mod schema;

pub use areas::AREAS;
pub use operation::Operation;
pub use parameters::PATH as PATH_PARAMETERS;

use std::sync::OnceLock;

use serde_json::{Map, Value, json};

use crate::policy::Row;
use plinth_base::urls::Urls;

const VERSION: &str = "3.1.0";
/// Stands where the address of the server will stand.
const SERVER: &str = "{server}";

/// The description of some routes, made when it is first asked for.
pub struct Description {
    rows: Vec<&'static Row>,
    text: OnceLock<(String, String)>,
}

impl Description {
    pub fn of(rows: Vec<&'static Row>) -> Self {
        Self { rows, text: OnceLock::new() }
    }

    /// The document for whoever reaches the service at these addresses.
    pub fn document(&self, urls: &Urls) -> String {
        let (before, after) = self.text.get_or_init(|| {
            let text = document(&self.rows).to_string();
            let (before, after) = text.split_once(SERVER).expect("the document names its server");
            (before.to_owned(), after.to_owned())
        });
        format!("{before}{}{after}", urls.api())
    }
}

/// The whole document, with a placeholder for the server.
fn document(rows: &[&'static Row]) -> Value {
    let tags: Vec<Value> = AREAS.iter().filter_map(|area| tag(area, rows)).collect();
    let schemas = AREAS.iter().flat_map(|area| area.schemas);
    let schemas: Map<String, Value> =
        schemas.map(|(name, schema)| ((*name).to_owned(), schema.to_json())).chain(common::error_schemas()).collect();
    json!({
        "openapi": VERSION,
        "info": common::info(),
        "servers": [{ "url": SERVER }],
        "tags": tags,
        "paths": paths::all(rows),
        "components": {
            "schemas": schemas,
            "parameters": common::parameters(),
            "headers": common::headers(),
            "responses": common::responses(),
            "securitySchemes": rights::schemes(),
        }
    })
}

/// An area that has routes, with the order in which its operations are best read.
fn tag(area: &operation::Area, rows: &[&Row]) -> Option<Value> {
    let is_shown = |operation: &&Operation| rows.iter().any(|row| row.operation == operation.id);
    let ids: Vec<&str> = area.operations.iter().filter(is_shown).map(|operation| operation.id).collect();
    let tag = json!({ "name": area.name, "description": area.about, "x-plinth-operations": ids });
    (!ids.is_empty()).then_some(tag)
}

/// The description of an operation with the area that it belongs to.
fn find(id: &str) -> Option<(&'static operation::Area, &'static Operation)> {
    AREAS.iter().find_map(|area| {
        let found = area.operations.iter().find(|operation| operation.id == id)?;
        Some((area, found))
    })
}
