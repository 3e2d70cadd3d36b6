//! Bodies of the device flow: forms or JSON.

use http::HeaderMap;
use http::header::ACCEPT;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::app::App;
use crate::request::body::{BYTES_MAX, collect, parse_object};
use crate::request::handler::{ApiRequest, FromRequest};
use crate::request::shape::from_json;
use crate::wire::{Word, words};
use plinth_base::error::{Error, Result};
use plinth_core::oauth::Approval;
use plinth_core::oauth::TokenRequest;
use plinth_core::oauth::model::Decision;

/// The parameters of a request, and the encoding of its response.
pub struct Form<T> {
    pub body: T,
    pub encoding: Encoding,
}

/// Forms are the default; `Accept` can ask for JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Form,
    Json,
}

/// Missing parameters are reported as OAuth errors, so all are optional when they are read.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct DeviceCodeBody {
    #[schemars(required)]
    pub client_id: Option<String>,
    /// Scopes, separated by spaces.
    pub scope: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct TokenBody {
    #[schemars(required)]
    client_id: Option<String>,
    #[schemars(required)]
    device_code: Option<String>,
    /// `urn:ietf:params:oauth:grant-type:device_code`.
    #[schemars(required)]
    grant_type: Option<String>,
    code: Option<String>,
    client_secret: Option<String>,
}

impl From<TokenBody> for TokenRequest {
    fn from(body: TokenBody) -> Self {
        let TokenBody { client_id, device_code, grant_type, code, client_secret } = body;
        Self { grant_type, code, client_id, client_secret, device_code }
    }
}

impl<T: DeserializeOwned + Send> FromRequest for Form<T> {
    /// Clients send the wrong `Content-Type`, so the first character of the body decides.
    async fn from_request(request: &mut ApiRequest, _: &App) -> Result<Self> {
        let encoding = encoding(&request.headers);
        let bytes = collect(request.take_body(), BYTES_MAX).await?;
        let pairs: Vec<(String, String)> = if bytes.trim_ascii_start().starts_with(b"{") {
            let object = parse_object(&bytes)?;
            object.into_iter().filter_map(|(key, value)| Some((key, text(value)?))).collect()
        } else {
            form_urlencoded::parse(&bytes).into_owned().collect()
        };
        // The first of several values counts, and an empty one counts as missing.
        let mut parameters = Map::new();
        for (name, value) in pairs {
            parameters.entry(name).or_insert_with(|| value.into());
        }
        parameters.retain(|_, value| value != "");
        let body =
            serde_json::from_value(Value::Object(parameters)).map_err(|error| Error::internal(error.to_string()))?;
        Ok(Self { body, encoding })
    }
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn encoding(headers: &HeaderMap) -> Encoding {
    let mut values = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    if values.any(|value| value.contains("json")) { Encoding::Json } else { Encoding::Form }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct ApprovalBody {
    /// The code that the device shows.
    user_code: String,
    /// From the preview; required to approve.
    confirmation: Option<String>,
    /// `approve` by default.
    decision: Option<Word<Decision>>,
}
from_json!(ApprovalBody { user_code, confirmation, decision });

words! { Decision: Approve, Deny }

impl From<ApprovalBody> for Approval {
    fn from(body: ApprovalBody) -> Self {
        let ApprovalBody { user_code, confirmation, decision } = body;
        Self { user_code, decision: decision.map_or(Decision::Approve, |Word(decision)| decision), confirmation }
    }
}
