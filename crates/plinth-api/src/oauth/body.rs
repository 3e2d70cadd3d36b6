//! The bodies of this area: forms or JSON in, forms or JSON out.

use http::HeaderMap;
use http::header::ACCEPT;
use serde_json::Value;

use crate::app::App;
use crate::request::body::{BYTES_MAX, collect, parse_object};
use crate::request::handler::{ApiRequest, FromRequest};
use plinth_base::error::Result;

/// The parameters of a request, and how its answer is to be written.
pub struct Form {
    fields: Vec<(String, String)>,
    pub encoding: Encoding,
}

/// Forms are the default; `Accept` can ask for JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Form,
    Json,
}

impl Form {
    /// A parameter that is there and not empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }
}

impl FromRequest for Form {
    /// Clients name the type of their body carelessly, so its first character decides.
    async fn from_request(request: &mut ApiRequest, _: &App) -> Result<Self> {
        let encoding = encoding(&request.headers);
        let bytes = collect(request.take_body(), BYTES_MAX).await?;
        let fields = if bytes.trim_ascii_start().starts_with(b"{") {
            let object = parse_object(&bytes)?;
            object.into_iter().filter_map(|(key, value)| Some((key, text(value)?))).collect()
        } else {
            form_urlencoded::parse(&bytes).map(|(key, value)| (key.into_owned(), value.into_owned())).collect()
        };
        Ok(Self { fields, encoding })
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
