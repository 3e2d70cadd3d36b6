//! The control interface.

use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use ureq::Agent;
use ureq::http::Response;
use ureq::{Body, RequestBuilder};

use crate::Error;

/// Longer than any wait that the interface accepts.
const TIMEOUT: Duration = Duration::from_secs(90);

/// Requests to the control interface of one instance.
#[derive(Clone)]
pub struct Api {
    agent: Agent,
    url: String,
    /// Set if the interface has an address of its own, which all namespaces share.
    token: Option<String>,
    /// Selects a namespace there.
    namespace: Option<String>,
}

impl Api {
    /// The interface at the address of the API.
    pub fn new(url: String) -> Self {
        let config = Agent::config_builder().http_status_as_error(false).timeout_global(Some(TIMEOUT)).build();
        Self { agent: config.into(), url, token: None, namespace: None }
    }

    /// The interface at an address of its own.
    pub fn with_token(url: String, token: String) -> Self {
        Self { token: Some(token), ..Self::new(url) }
    }

    /// The interface of a namespace with this URL.
    pub fn of_namespace(&self, name: String, url: String) -> Self {
        match self.token {
            Some(_) => Self { namespace: Some(name), ..self.clone() },
            None => Self { url, ..self.clone() },
        }
    }

    /// The address, if it is not that of the API.
    pub fn own_url(&self) -> Option<&str> {
        self.token.as_ref().map(|_| self.url.as_str())
    }

    pub fn get<T: DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> Result<T, Error> {
        let request = self.to(path, |url| self.agent.get(url)).query_pairs(query.iter().copied());
        Ok(checked(request.call()?)?.body_mut().read_json()?)
    }

    pub fn post(&self, path: &str, body: &Value) -> Result<(), Error> {
        checked(self.to(path, |url| self.agent.post(url)).send_json(body)?).map(drop)
    }

    pub fn post_text(&self, path: &str, body: &str) -> Result<(), Error> {
        checked(self.to(path, |url| self.agent.post(url)).send(body)?).map(drop)
    }

    pub fn create<T: DeserializeOwned>(&self, path: &str, body: &Value) -> Result<T, Error> {
        let request = self.to(path, |url| self.agent.post(url));
        Ok(checked(request.send_json(body)?)?.body_mut().read_json()?)
    }

    pub fn delete(&self, path: &str) -> Result<(), Error> {
        checked(self.to(path, |url| self.agent.delete(url)).call()?).map(drop)
    }

    /// A request to a path of the interface.
    fn to<B>(&self, path: &str, request: impl FnOnce(String) -> RequestBuilder<B>) -> RequestBuilder<B> {
        let token = self.token.as_ref().map(|token| ("authorization", format!("Bearer {token}")));
        let namespace = self.namespace.as_ref().map(|name| ("x-plinth-namespace", name.clone()));
        let headers = token.into_iter().chain(namespace);
        headers
            .fold(request(format!("{}/_plinth/{path}", self.url)), |request, (name, value)| request.header(name, value))
    }
}

fn checked(mut response: Response<Body>) -> Result<Response<Body>, Error> {
    if response.status().is_success() {
        return Ok(response);
    }
    let status = response.status().as_u16();
    let body: Value = response.body_mut().read_json().unwrap_or_default();
    let message = body["message"].as_str().unwrap_or("the request was rejected").to_owned();
    Err(Error::Rejected { status, message })
}

/// The clock of a server.
pub struct Clock<'a>(pub(crate) &'a Api);

impl Clock<'_> {
    /// The time, as `2030-01-01T00:00:00Z`.
    pub fn now(&self) -> Result<String, Error> {
        let state: Value = self.0.get("clock", &[])?;
        Ok(state["now"].as_str().unwrap_or_default().to_owned())
    }

    /// Sets the time, written as `2030-01-01T00:00:00Z`.
    pub fn set(&self, now: &str) -> Result<(), Error> {
        self.0.post("clock", &json!({ "now": now }))
    }

    pub fn advance(&self, duration: Duration) -> Result<(), Error> {
        self.0.post("clock", &json!({ "advance_seconds": duration.as_secs() }))
    }

    /// Stops the clock.
    pub fn freeze(&self) -> Result<(), Error> {
        self.0.post("clock", &json!({ "frozen": true }))
    }

    /// Lets the clock go on.
    pub fn resume(&self) -> Result<(), Error> {
        self.0.post("clock", &json!({ "frozen": false }))
    }
}

/// The faults of a server.
pub struct Faults<'a>(pub(crate) &'a Api);

impl Faults<'_> {
    /// Adds a fault, such as `json!({ "match": { "operation": "git/create-ref" }, "rate_limit": "secondary" })`.
    pub fn add(&self, fault: &Value) -> Result<(), Error> {
        self.0.post("faults", fault)
    }

    pub fn clear(&self) -> Result<(), Error> {
        self.0.delete("faults")
    }
}

/// A request of the log.
#[derive(Debug, Clone, Deserialize)]
#[non_exhaustive]
pub struct LoggedRequest {
    pub id: u64,
    pub method: String,
    pub path: String,
    pub query: Option<String>,
    /// The operation in GitHub's documentation, such as `git/create-ref`.
    pub operation: Option<String>,
    /// Nothing if a fault has closed the connection.
    pub status: Option<u16>,
    /// The JSON of the request.
    pub body: Option<Value>,
    /// For a request without a route: the most similar operation.
    pub nearest: Option<String>,
}

/// Which requests of the log; what is left out matches everything.
#[derive(Debug, Clone, Default)]
pub struct Filter<'a> {
    pub method: Option<&'a str>,
    /// `*` stands for anything within a part of the path, `**` for anything.
    pub path: Option<&'a str>,
    pub operation: Option<&'a str>,
    /// Only requests with a higher id.
    pub after: Option<u64>,
}

impl Filter<'_> {
    fn pairs(&self) -> Vec<(&'static str, String)> {
        let texts = [("method", self.method), ("path", self.path), ("operation", self.operation)];
        let texts = texts.into_iter().filter_map(|(name, value)| Some((name, value?.to_owned())));
        texts.chain(self.after.map(|after| ("after", after.to_string()))).collect()
    }
}

/// The log of requests.
pub struct Requests<'a>(pub(crate) &'a Api);

impl Requests<'_> {
    /// The newest last.
    pub fn list(&self, filter: &Filter<'_>) -> Result<Vec<LoggedRequest>, Error> {
        self.0.get("requests", &borrowed(&filter.pairs()))
    }

    /// Requests that no route matches. Assert that there are none.
    pub fn unmatched(&self) -> Result<Vec<LoggedRequest>, Error> {
        self.0.get("requests", &[("unmatched", "true")])
    }

    /// The first request that matches, which may be in the log already.
    pub fn wait(&self, filter: &Filter<'_>, timeout: Duration) -> Result<LoggedRequest, Error> {
        let mut pairs = filter.pairs();
        pairs.push(("timeout_ms", timeout.as_millis().to_string()));
        self.0.get("wait", &borrowed(&pairs))
    }

    pub fn clear(&self) -> Result<(), Error> {
        self.0.delete("requests")
    }
}

fn borrowed<'a>(pairs: &'a [(&'static str, String)]) -> Vec<(&'a str, &'a str)> {
    pairs.iter().map(|(name, value)| (*name, value.as_str())).collect()
}
