//! The control interface of a test server: reset, snapshots, clock, faults, the log of requests and namespaces
//! (docs/control.md). A server without `--ephemeral` or `--control` does not have it.

mod body_copy;
mod callers;
mod directories;
mod explanation;
mod exposure;
mod faults;
mod input;
mod launcher;
mod namespaces;
mod nearest;
mod openapi;
mod operations;
mod output;
mod pattern;
mod requests;
mod responses;
mod service;
mod slot;
mod template;
mod waiting;

pub use exposure::Exposure;
pub use launcher::Launcher;
pub use service::{ControlService, SlotService};
pub use slot::{Current, Slot};

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;

use namespaces::Namespace;
use plinth_api::router;
use plinth_api::routes::Matcher;
use plinth_base::error::{Error, Result};

/// The namespace of the address that the server was started with.
pub const DEFAULT_NAMESPACE: &str = "default";

/// All instances of the process.
pub struct Control {
    /// Absent if the data outlives the process, which is never replaced.
    launcher: Option<Arc<Launcher>>,
    exposure: Exposure,
    default: Arc<Slot>,
    namespaces: Mutex<BTreeMap<String, Namespace>>,
    matcher: Arc<Matcher>,
    /// The directory that paths in state files are relative to.
    state_directory: PathBuf,
    /// Whether responses say why a request was rejected.
    explains: bool,
}

/// How the interface was set up.
pub struct ControlSettings {
    pub exposure: Exposure,
    pub state_directory: PathBuf,
    pub explains: bool,
}

impl Control {
    pub fn new(
        launcher: Option<Launcher>,
        default: Slot,
        ControlSettings { exposure, state_directory, explains }: ControlSettings,
    ) -> Arc<Self> {
        Arc::new(Self {
            launcher: launcher.map(Arc::new),
            exposure,
            default: Arc::new(default),
            namespaces: Mutex::default(),
            matcher: router::matcher(),
            state_directory,
            explains,
        })
    }

    pub fn default_slot(&self) -> &Arc<Slot> {
        &self.default
    }

    /// The slot of a namespace.
    fn find_slot(&self, name: &str) -> Result<Arc<Slot>> {
        if name == DEFAULT_NAMESPACE {
            return Ok(self.default.clone());
        }
        let namespaces = self.namespaces.lock();
        let found = namespaces.get(name).map(|namespace| namespace.slot.clone());
        found.ok_or_else(|| Error::MissingNamed(format!("there is no namespace {name}")))
    }

    fn launcher(&self) -> Result<&Arc<Launcher>> {
        let message = "only a server that was started with --ephemeral, without --database, can be reset";
        self.launcher.as_ref().ok_or_else(|| Error::Conflict(message.into()))
    }

    /// Ends every instance.
    pub async fn stop(&self) {
        self.default.current().instance.stop().await;
        let namespaces = std::mem::take(&mut *self.namespaces.lock());
        for namespace in namespaces.into_values() {
            namespace.stop().await;
        }
    }
}
