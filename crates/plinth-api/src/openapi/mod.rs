//! The description of the API in OpenAPI 3.1: paths and rights from the policy table, schemas from the wire types,
//! texts from `areas/`.

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

use serde_json::{Value, json};

use crate::policy::Row;
use plinth_base::urls::Urls;
use schema::Schemas;

const VERSION: &str = "3.1.0";
/// The placeholder for the server's URL.
const SERVER: &str = "{server}";

/// The description of some routes, built at the first request.
pub struct Description {
    rows: Vec<&'static Row>,
    text: OnceLock<(String, String)>,
}

impl Description {
    pub fn of(rows: Vec<&'static Row>) -> Self {
        Self { rows, text: OnceLock::new() }
    }

    /// The document, with the URL that the client uses as its server.
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
    let mut schemas = Schemas::new();
    let paths = paths::all(rows, &mut schemas);
    let responses = common::responses(&mut schemas);
    json!({
        "openapi": VERSION,
        "info": common::info(),
        "servers": [{ "url": SERVER }],
        "tags": tags,
        "paths": paths,
        "components": {
            "schemas": schemas.into_components(),
            "parameters": common::parameters(),
            "headers": common::headers(),
            "responses": responses,
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
