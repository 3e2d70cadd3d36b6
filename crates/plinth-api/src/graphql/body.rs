//! The body of a query.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::app::App;
use crate::request::body::{BYTES_MAX, collect, parse_object};
use crate::request::handler::{ApiRequest, FromRequest};
use plinth_base::error::{Error, Result};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct QueryBody {
    /// The document, with one operation or several.
    pub query: String,
    pub variables: Option<Map<String, Value>>,
    /// Which operation is executed, if there are several.
    pub operation_name: Option<String>,
}

impl FromRequest for QueryBody {
    async fn from_request(request: &mut ApiRequest, _: &App) -> Result<Self> {
        let object = parse_object(&collect(request.take_body(), BYTES_MAX).await?)?;
        serde_json::from_value(Value::Object(object))
            .map_err(|_| Error::BadRequest("A query attribute must be specified and must be a string.".into()))
    }
}

/// The result of a query.
#[derive(Serialize, JsonSchema)]
pub struct QueryResult {
    /// Absent if nothing was executed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Value>,
}
