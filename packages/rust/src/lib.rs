//! A GitHub-compatible server for tests: Plinth as a child process or in process, with a reset, snapshots, a clock, faults and a
//! log of requests.
//!
//! ```no_run
//! use plinth_test::Plinth;
//!
//! let github = Plinth::start(
//!     "users: [{ login: mona }]\n\
//!      tokens: [{ kind: classic, user: mona, scopes: [repo], token: ghp_forTestsOnly }]",
//! )?;
//! // Point the program under test to github.url().
//! github.clock().advance(std::time::Duration::from_secs(3600))?;
//! github.reset()?;
//! # Ok::<(), plinth_test::Error>(())
//! ```
//!
//! The program is the one that the variable `PLINTH` names, or `plinth` in `PATH`. With the feature `in-process`, the server can
//! also run inside the process of the test: `Plinth::builder().state(…).in_process().start()`.

mod builder;
mod control;
mod error;
#[cfg(feature = "in-process")]
mod in_process;
mod process;

pub use builder::Builder;
pub use control::{Clock, Faults, Filter, LoggedRequest, Requests};
pub use error::Error;

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use control::Api;
use process::Ready;
use serde_json::json;
use ureq::http::Uri;

/// A running server, or a namespace of one. A server that was started ends with the last of them.
pub struct Plinth {
    url: String,
    directory: Option<PathBuf>,
    api: Api,
    /// Ends the server with the last of its values. None if the server was running already.
    server: Option<Arc<dyn Any + Send + Sync>>,
    /// Set for a namespace, which ends with this value.
    namespace: Option<(Api, String)>,
}

impl Plinth {
    /// Starts a server with this state file, which is the text of a YAML document.
    pub fn start(state: &str) -> Result<Self, Error> {
        Self::builder().state(state).start()
    }

    /// Starts a server with a state file. Paths in it are relative to its directory.
    pub fn start_file(state: impl Into<PathBuf>) -> Result<Self, Error> {
        Self::builder().state_file(state).start()
    }

    /// To start a server with flags, with another program, or in this process.
    pub fn builder() -> Builder {
        Builder::default()
    }

    fn of(ready: Ready, directory: PathBuf, server: impl Any + Send + Sync) -> Self {
        let mut plinth = Self::connect(&ready.url);
        plinth.directory = Some(directory);
        plinth.server = Some(Arc::new(server));
        match (ready.control_url, ready.control_token) {
            (Some(url), Some(token)) => plinth.with_control(&url, &token),
            _ => plinth,
        }
    }

    /// A server that runs already.
    pub fn connect(url: &str) -> Self {
        Self { url: url.to_owned(), directory: None, api: Api::new(url.to_owned()), server: None, namespace: None }
    }

    /// For a server that was started with `--control`, such as one in a container: where its control interface is, and its
    /// token.
    #[must_use]
    pub fn with_control(mut self, url: &str, token: &str) -> Self {
        self.api = Api::with_token(url.to_owned(), token.to_owned());
        self
    }

    /// The base URL for clients.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where paths in the state begin, such as the private keys of apps. None if the server was running already.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// Where the control interface is, if it is not at [`Plinth::url`].
    pub fn control_url(&self) -> Option<&str> {
        self.api.own_url()
    }

    /// Returns to the state file: data, clock, faults and log.
    pub fn reset(&self) -> Result<(), Error> {
        self.api.post("reset", &json!({}))
    }

    /// Saves the present state under a name.
    pub fn snapshot(&self, name: &str) -> Result<(), Error> {
        self.api.post("snapshots", &json!({ "name": name }))
    }

    /// Returns to a snapshot.
    pub fn restore(&self, name: &str) -> Result<(), Error> {
        self.api.post(&format!("snapshots/{name}/restore"), &json!({}))
    }

    /// Everything that the server has, with ids, times and tokens, as a state file to save and to start or apply again.
    pub fn export(&self) -> Result<String, Error> {
        Ok(self.api.get::<serde_json::Value>("state", &[])?.to_string())
    }

    /// Applies another state file to the present state.
    pub fn apply(&self, state: &str) -> Result<(), Error> {
        self.api.post_text("state", state)
    }

    /// The clock of the server.
    pub fn clock(&self) -> Clock<'_> {
        Clock(&self.api)
    }

    /// Faults on demand.
    pub fn faults(&self) -> Faults<'_> {
        Faults(&self.api)
    }

    /// The requests that the server has got.
    pub fn requests(&self) -> Requests<'_> {
        Requests(&self.api)
    }

    /// Waits until every webhook of every change was sent and its receiver has responded or failed.
    pub fn wait_for_deliveries(&self, timeout: Duration) -> Result<(), Error> {
        let milliseconds = timeout.as_millis().to_string();
        self.api.get::<serde_json::Value>("wait", &[("deliveries", "true"), ("timeout_ms", &milliseconds)]).map(drop)
    }

    /// Starts an isolated instance in the same process, in the initial state.
    pub fn namespace(&self) -> Result<Self, Error> {
        let created: CreatedNamespace = self.api.create("namespaces", &json!({}))?;
        let url = reachable(created.url, &self.url);
        let api = self.api.of_namespace(created.name.clone(), url.clone());
        let namespace = Some((self.api.clone(), created.name));
        Ok(Self { url, directory: self.directory.clone(), api, server: self.server.clone(), namespace })
    }
}

#[derive(serde::Deserialize)]
struct CreatedNamespace {
    name: String,
    url: String,
}

/// A server that listens on all addresses does not know which one clients use: it is the one of a known URL.
fn reachable(reported: String, known: &str) -> String {
    let (Ok(uri), Ok(known)) = (reported.parse::<Uri>(), known.parse::<Uri>()) else { return reported };
    match (uri.host(), uri.port(), known.host()) {
        (Some("0.0.0.0" | "[::]"), Some(port), Some(host)) => format!("http://{host}:{port}"),
        _ => reported,
    }
}

impl Drop for Plinth {
    fn drop(&mut self) {
        if let Some((parent, name)) = &self.namespace {
            // A server that has ended has no namespaces either.
            parent.delete(&format!("namespaces/{name}")).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespace_of_a_server_on_all_addresses_has_the_host_of_the_server() {
        let of = |reported: &str, known| reachable(reported.to_owned(), known);
        assert_eq!(of("http://0.0.0.0:40123", "http://plinth:8080"), "http://plinth:40123");
        assert_eq!(of("http://[::]:40123", "http://[::1]:8080/"), "http://[::1]:40123");
        assert_eq!(of("http://127.0.0.1:40123", "http://localhost:8080"), "http://127.0.0.1:40123");
    }
}
