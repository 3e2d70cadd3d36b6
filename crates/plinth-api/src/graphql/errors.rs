//! Errors of queries. A query with errors still has the status 200.

use graphql_parser::Pos;
use serde_json::{Value, json};

use plinth_base::error::Error;

/// Why a query or a part of it has no result.
pub enum QueryError {
    /// The query is wrong as a whole: nothing is executed.
    Invalid(Value),
    /// One field is null, and this says why.
    Null(Value),
    /// The request fails, as a request of REST would.
    Request(Error),
}

impl From<Error> for QueryError {
    fn from(error: Error) -> Self {
        QueryError::Request(error)
    }
}

pub type QueryResult<T> = Result<T, QueryError>;

pub fn invalid(message: impl Into<String>) -> QueryError {
    QueryError::Invalid(json!({ "message": message.into() }))
}

pub fn undefined_field(type_name: &str, field: &str, path: &[String], position: Pos) -> QueryError {
    QueryError::Invalid(json!({
        "path": path,
        "extensions": { "code": "undefinedField", "typeName": type_name, "fieldName": field },
        "locations": locations(position),
        "message": format!("Field '{field}' doesn't exist on type '{type_name}'"),
    }))
}

pub fn not_found(message: String, path: &[String], position: Pos) -> QueryError {
    QueryError::Null(json!({ "type": "NOT_FOUND", "path": path, "locations": locations(position), "message": message }))
}

fn locations(position: Pos) -> Value {
    json!([{ "line": position.line, "column": position.column }])
}
