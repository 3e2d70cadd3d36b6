//! The description of the control interface.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::faults::{Fault, Rule};
use super::input::{ClockChange, NewNamespace, NewSnapshot, RequestFilter, WaitQuery};
use super::output::{AppliedState, ClockState, ExportedState, NothingInTime, ShownNamespace, SnapshotName};
use super::requests::LoggedRequest;

/// One operation.
struct Described {
    method: &'static str,
    path: &'static str,
    summary: &'static str,
    body: Body,
    query: Option<Schema>,
    status: &'static str,
    response: Option<Schema>,
    /// Other responses, with what they mean.
    errors: &'static [(&'static str, &'static str)],
}

enum Body {
    None,
    Json(Schema),
    /// A state file.
    Yaml,
}

type Schema = fn(&mut SchemaGenerator) -> Value;

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.subschema_for::<T>().to_value()
}

const NO_RESET: (&str, &str) = ("409", "The data of this server outlive it, and are never replaced");
const UNKNOWN: (&str, &str) = ("404", "There is nothing of this name");
const INVALID: (&str, &str) = ("422", "A value is not allowed");

const fn operation(method: &'static str, path: &'static str, summary: &'static str) -> Described {
    Described { method, path, summary, body: Body::None, query: None, status: "204", response: None, errors: &[] }
}

const OPERATIONS: &[Described] = &[
    Described { errors: &[NO_RESET], ..operation("post", "/reset", "Return to the initial state") },
    Described {
        status: "200",
        response: Some(schema::<Vec<String>>),
        ..operation("get", "/snapshots", "List the names of snapshots")
    },
    Described {
        body: Body::Json(schema::<NewSnapshot>),
        status: "201",
        response: Some(schema::<SnapshotName>),
        errors: &[NO_RESET, INVALID],
        ..operation("post", "/snapshots", "Save the present state under a name")
    },
    Described { errors: &[UNKNOWN], ..operation("delete", "/snapshots/{name}", "Delete a snapshot") },
    Described { errors: &[UNKNOWN], ..operation("post", "/snapshots/{name}/restore", "Return to a snapshot") },
    Described {
        status: "200",
        response: Some(schema::<ExportedState>),
        errors: &[NO_RESET],
        ..operation("get", "/state", "Export the present state as a state file")
    },
    Described {
        body: Body::Yaml,
        status: "200",
        response: Some(schema::<AppliedState>),
        errors: &[("400", "It is not a state file; the message says where"), NO_RESET],
        ..operation("post", "/state", "Apply a state file")
    },
    Described { status: "200", response: Some(schema::<ClockState>), ..operation("get", "/clock", "Get the time") },
    Described {
        body: Body::Json(schema::<ClockChange>),
        status: "200",
        response: Some(schema::<ClockState>),
        errors: &[INVALID],
        ..operation("post", "/clock", "Set, advance, stop or start the clock")
    },
    Described {
        status: "200",
        response: Some(schema::<Vec<Fault>>),
        ..operation("get", "/faults", "List the faults, and how often each had an effect")
    },
    Described {
        body: Body::Json(schema::<Rule>),
        status: "201",
        response: Some(schema::<Fault>),
        errors: &[INVALID],
        ..operation("post", "/faults", "Add a fault")
    },
    operation("delete", "/faults", "Delete all faults"),
    Described {
        query: Some(schema::<RequestFilter>),
        status: "200",
        response: Some(schema::<Vec<LoggedRequest>>),
        ..operation("get", "/requests", "List the requests of the log, the newest last")
    },
    operation("delete", "/requests", "Empty the log"),
    Described {
        query: Some(schema::<WaitQuery>),
        status: "200",
        response: Some(schema::<LoggedRequest>),
        errors: &[("408", "It did not happen in time"), INVALID],
        ..operation("get", "/wait", "Wait for a request, or until all webhooks were responded to")
    },
    Described {
        status: "200",
        response: Some(schema::<Vec<ShownNamespace>>),
        ..operation("get", "/namespaces", "List the namespaces")
    },
    Described {
        body: Body::Json(schema::<NewNamespace>),
        status: "201",
        response: Some(schema::<ShownNamespace>),
        errors: &[UNKNOWN, NO_RESET, INVALID],
        ..operation("post", "/namespaces", "Start an isolated instance at an address of its own")
    },
    Described { errors: &[UNKNOWN, INVALID], ..operation("delete", "/namespaces/{name}", "End a namespace") },
];

/// The OpenAPI document.
pub fn document() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = "/components/schemas".into();
    let mut generator = settings.into_generator();
    let mut paths = Map::new();
    for described in OPERATIONS {
        let entry = paths.entry(format!("/_plinth{}", described.path)).or_insert_with(|| json!({}));
        entry[described.method] = describe(described, &mut generator);
    }
    // A wait that ends too late has a body of its own.
    let nothing = schema::<NothingInTime>(&mut generator);
    paths["/_plinth/wait"]["get"]["responses"]["408"]["content"] = json!({ "application/json": { "schema": nothing } });
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Plinth control interface",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "For tests. Present with --ephemeral on a loopback address, or with --control.",
        },
        "paths": paths,
        "components": { "schemas": generator.take_definitions(true) },
    })
}

fn describe(described: &Described, generator: &mut SchemaGenerator) -> Value {
    let mut operation = json!({ "summary": described.summary, "responses": {} });
    let response = &mut operation["responses"][described.status];
    *response = json!({ "description": described.summary });
    if let Some(schema) = described.response {
        response["content"] = json!({ "application/json": { "schema": schema(generator) } });
    }
    for (status, description) in described.errors {
        operation["responses"][*status] = json!({ "description": description });
    }
    match described.body {
        Body::None => {}
        Body::Json(schema) => {
            operation["requestBody"] = json!({ "content": { "application/json": { "schema": schema(generator) } } });
        }
        Body::Yaml => {
            let text = json!({ "schema": { "type": "string" } });
            operation["requestBody"] = json!({ "required": true, "content": { "application/yaml": text } });
        }
    }
    let mut parameters = Vec::new();
    if described.path.contains("{name}") {
        parameters.push(json!({ "name": "name", "in": "path", "required": true, "schema": { "type": "string" } }));
    }
    if let Some(schema) = described.query {
        parameters.extend(query_parameters(&schema(generator), generator));
    }
    if !parameters.is_empty() {
        operation["parameters"] = parameters.into();
    }
    operation
}

/// A parameter for each field of the type.
fn query_parameters(schema: &Value, generator: &SchemaGenerator) -> Vec<Value> {
    let name = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    let properties = generator.definitions().get(name).and_then(|schema| schema.get("properties"));
    let fields = properties.and_then(Value::as_object).into_iter().flatten();
    fields.map(|(name, schema)| json!({ "name": name, "in": "query", "schema": schema })).collect()
}
