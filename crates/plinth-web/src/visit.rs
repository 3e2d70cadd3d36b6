//! One visit of a browser to a page: who is signed in, and what the page reads and changes on their behalf.

use std::borrow::Cow;

use axum::body::Bytes;
use http::{HeaderMap, Method, StatusCode};
use parking_lot::Mutex;
use plinth_api::middleware::{LocalApi, LocalCaller, LocalRequest, LocalResponse};
use plinth_base::error::{Error, Result};
use plinth_core::tokens::Principal;
use plinth_store::InvalidationScope;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::session::{Transport, form_token};

/// Texts also as HTML.
const FULL: &str = "application/vnd.github.full+json";
const PATH_AND_QUERY_BYTES_MAX: usize = 8 * 1024;

/// One request of a browser.
pub struct Visit {
    pub api: LocalApi,
    pub caller: LocalCaller,
    pub headers: HeaderMap,
    pub transport: Transport,
    /// The id of the session, which its forms depend on.
    pub session: Option<String>,
    pub path: String,
    pub query: String,
    /// Whose content the page is made from, so far.
    scope: Mutex<Option<InvalidationScope>>,
}

/// One page of a list.
pub struct Listing<T> {
    pub items: Vec<T>,
    pub number: u32,
    pub has_more: bool,
}

/// What an operation responded to a form, where it did not do what was asked.
pub struct Rejected {
    pub status: StatusCode,
    pub message: String,
}

impl Visit {
    pub fn new(api: LocalApi, caller: LocalCaller, headers: HeaderMap, transport: Transport) -> Self {
        let (path, query) = (String::new(), String::new());
        Self { api, caller, headers, transport, session: None, path, query, scope: Mutex::new(None) }
    }

    /// The login of whoever is signed in.
    pub fn login(&self) -> Option<&str> {
        match &*self.caller.principal {
            Principal::User(token) => Some(&token.login),
            Principal::Anonymous | Principal::Installation(_) | Principal::App(_) => None,
        }
    }

    /// The token that every form of this session has.
    pub fn form_token(&self) -> Option<String> {
        self.session.as_deref().map(form_token)
    }

    /// One parameter of the query.
    pub fn query(&self, name: &str) -> Option<Cow<'_, str>> {
        form_urlencoded::parse(self.query.as_bytes()).find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// A parameter, or nothing if it is absent.
    pub fn query_or_empty(&self, name: &str) -> Cow<'_, str> {
        self.query(name).unwrap_or_default()
    }

    /// The number of the page of a list.
    pub fn page_number(&self) -> u32 {
        self.query("page").and_then(|text| text.parse().ok()).filter(|number| *number > 0).unwrap_or(1)
    }

    /// Path and query, to come back to.
    pub fn here(&self) -> String {
        if self.query.is_empty() { self.path.clone() } else { format!("{}?{}", self.path, self.query) }
    }

    /// What the page was made from; `None` if it read nothing.
    pub fn scope(&self) -> Option<InvalidationScope> {
        *self.scope.lock()
    }

    /// A resource. One that the visitor may not see is not found.
    pub async fn get<T: DeserializeOwned>(&self, target: &str) -> Result<T> {
        parse(&self.read(target, FULL).await?.body)
    }

    /// A resource that the page can do without.
    pub async fn get_optional<T: DeserializeOwned>(&self, target: &str) -> Result<Option<T>> {
        match self.get(target).await {
            Ok(found) => Ok(Some(found)),
            Err(Error::NotFound | Error::Conflict(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// One page of a list; `target` has a query already.
    pub async fn list<T: DeserializeOwned>(&self, target: &str, per_page: u32) -> Result<Listing<T>> {
        let number = self.page_number();
        let target = format!("{target}&per_page={per_page}&page={number}");
        let response = self.read(&target, FULL).await?;
        let link = response.headers.get("link").and_then(|value| value.to_str().ok()).unwrap_or_default();
        Ok(Listing { items: parse(&response.body)?, number, has_more: link.contains("rel=\"next\"") })
    }

    /// As [`Visit::list`], empty where there is no such list, or none for this visitor.
    pub async fn list_or_empty<T: DeserializeOwned>(&self, target: &str, per_page: u32) -> Result<Listing<T>> {
        match self.list(target, per_page).await {
            Err(Error::NotFound | Error::Conflict(_)) => {
                Ok(Listing { items: Vec::new(), number: self.page_number(), has_more: false })
            }
            other => other,
        }
    }

    /// All items of a list, up to a limit of pages.
    pub async fn list_all<T: DeserializeOwned>(&self, target: &str, pages_max: u32) -> Result<Listing<T>> {
        let mut all = Listing { items: Vec::new(), number: 1, has_more: true };
        for number in 1..=pages_max {
            let response = self.read(&format!("{target}&per_page=100&page={number}"), FULL).await?;
            let link = response.headers.get("link").and_then(|value| value.to_str().ok()).unwrap_or_default();
            all.items.extend(parse::<Vec<T>>(&response.body)?);
            all.has_more = link.contains("rel=\"next\"");
            if !all.has_more {
                break;
            }
        }
        Ok(all)
    }

    /// A representation that is not JSON.
    pub async fn read(&self, target: &str, accept: &'static str) -> Result<LocalResponse> {
        let response = self.call(Method::GET, target, accept, None).await?;
        if response.status.is_success() {
            return Ok(response);
        }
        Err(error_of(&response))
    }

    /// Carries out what a form asks for.
    pub async fn send(&self, method: Method, target: &str, body: Value) -> Result<Result<Value, Rejected>> {
        let response = self.call(method, target, FULL, Some(body.to_string().into_bytes())).await?;
        if response.status.is_success() {
            return Ok(Ok(serde_json::from_slice(&response.body).unwrap_or(Value::Null)));
        }
        Ok(Err(Rejected { status: response.status, message: Problem::of(&response.body).sentence() }))
    }

    async fn call(
        &self,
        method: Method,
        target: &str,
        accept: &'static str,
        body: Option<Vec<u8>>,
    ) -> Result<LocalResponse> {
        if target.len() > PATH_AND_QUERY_BYTES_MAX {
            return Err(Error::NotFound);
        }
        let response = self.api.call(&self.caller, LocalRequest { method, target, accept, body }).await?;
        let mut scope = self.scope.lock();
        *scope = match *scope {
            None => Some(response.scope),
            Some(known) if known == response.scope => Some(known),
            Some(_) => Some(InvalidationScope::Everything),
        };
        Ok(response)
    }
}

fn parse<T: DeserializeOwned>(body: &Bytes) -> Result<T> {
    serde_json::from_slice(body).map_err(|error| Error::internal(format!("a page cannot read a response: {error}")))
}

/// What the visitor may not see is the same as what is absent.
fn error_of(response: &LocalResponse) -> Error {
    match response.status {
        StatusCode::NOT_FOUND | StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Error::NotFound,
        StatusCode::CONFLICT => Error::Conflict(Problem::of(&response.body).sentence()),
        StatusCode::SERVICE_UNAVAILABLE => Error::Unavailable("the API is not available".into()),
        status if status.is_server_error() => Error::internal("the API could not respond to a page"),
        _ => Error::unprocessable(Problem::of(&response.body).sentence()),
    }
}

/// An error of the API.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Problem {
    message: String,
    errors: Vec<Value>,
}

impl Problem {
    fn of(body: &Bytes) -> Self {
        serde_json::from_slice(body).unwrap_or_default()
    }

    /// The message with its details.
    fn sentence(&self) -> String {
        let detail = |error: &Value| match (error, error["message"].as_str(), error["field"].as_str()) {
            (Value::String(text), ..) => Some(text.clone()),
            (_, Some(message), _) => Some(message.to_owned()),
            (_, None, Some(field)) => Some(format!("{field}: {}", error["code"].as_str().unwrap_or("invalid"))),
            _ => None,
        };
        let details: Vec<String> = self.errors.iter().filter_map(detail).collect();
        match details.is_empty() {
            true => self.message.clone(),
            false => format!("{}: {}", self.message, details.join("; ")),
        }
    }
}

impl Rejected {
    /// A token that does not exist, has ended, or does not act as a user.
    pub fn of_sign_in() -> Self {
        let message = "This is not a token of a user, or it has ended.".into();
        Self { status: StatusCode::UNAUTHORIZED, message }
    }
}
