//! A GitHub-compatible server for tests: [Plinth](https://crates.io/crates/plinth) as a child process, with a reset, snapshots, a
//! clock, faults and a log of requests.
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
//! The program is the one that the variable `PLINTH` names, or `plinth` in `PATH`.

mod control;
mod error;
mod process;

pub use control::{Clock, Faults, Filter, LoggedRequest, Requests};
pub use error::Error;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use control::Api;
use process::Process;
use serde_json::json;

/// A running server, or a namespace of one. The process ends with the last of them.
pub struct Plinth {
    api: Api,
    process: Arc<Process>,
    /// Set for a namespace, which ends with this value.
    namespace: Option<(Api, String)>,
}

impl Plinth {
    /// Starts a server with this state file, which is the text of a YAML document.
    pub fn start(state: &str) -> Result<Self, Error> {
        Self::start_with(state, &[])
    }

    /// As [`Plinth::start`], with more flags of `plinth serve`.
    pub fn start_with(state: &str, flags: &[&str]) -> Result<Self, Error> {
        let file = tempfile::Builder::new().suffix(".yaml").tempfile()?;
        std::fs::write(file.path(), state)?;
        Self::start_file_with(file.path(), flags)
    }

    /// Starts a server with a state file. Paths in it are relative to its directory.
    pub fn start_file(state: impl AsRef<Path>) -> Result<Self, Error> {
        Self::start_file_with(state.as_ref(), &[])
    }

    fn start_file_with(state: &Path, flags: &[&str]) -> Result<Self, Error> {
        let (process, url) = Process::start(state, flags)?;
        Ok(Self { api: Api::new(url), process: Arc::new(process), namespace: None })
    }

    /// The base URL for clients.
    pub fn url(&self) -> &str {
        self.api.url()
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
        let created: serde_json::Value = self.api.create("namespaces", &json!({}))?;
        let text = |name: &str| created[name].as_str().unwrap_or_default().to_owned();
        let namespace = Some((self.api.clone(), text("name")));
        Ok(Self { api: Api::new(text("url")), process: self.process.clone(), namespace })
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
