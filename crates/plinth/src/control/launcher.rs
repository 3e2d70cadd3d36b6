//! Starting instances.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::Mutex;

use super::slot::{Current, SavedState};
use super::template::Template;
use crate::config::Options;
use crate::instance::Opened;
use crate::state_file::StoreSnapshot;
use plinth_base::clock::Clock;
use plinth_base::error::{Error, Result};
use plinth_store::Durability;

/// Starts instances from templates, in directories that are removed with the process.
pub struct Launcher {
    options: Options,
    root: PathBuf,
    initial: SavedState,
    /// An instance in the initial state, so that the next reset or namespace does not have to wait for it.
    spare: Mutex<Option<Prepared>>,
}

/// An instance that does not run yet.
struct Prepared {
    opened: Opened,
    options: Options,
}

impl Launcher {
    /// `opened` is in the state that every reset returns to.
    pub async fn new(options: &Options, root: &Path, opened: &Opened) -> Result<Self> {
        let template = Template::of(&options.existing_location(), &opened.app.repositories, root).await?;
        let initial = SavedState { template: Arc::new(template), clock: opened.app.clock.fork() };
        Ok(Self { options: options.clone(), root: root.to_owned(), initial, spare: Mutex::default() })
    }

    /// Starts an instance in the initial state, and prepares the next one.
    pub async fn start_initial(self: &Arc<Self>, url: &str) -> Result<Current> {
        let spare = self.spare.lock().await.take();
        let prepared = match spare {
            Some(prepared) => prepared,
            None => self.prepare(&self.initial).await?,
        };
        tokio::spawn(self.clone().refill());
        Ok(prepared.start(url))
    }

    /// Starts an instance in the state of a snapshot.
    pub async fn start(&self, state: &SavedState, url: &str) -> Result<Current> {
        Ok(self.prepare(state).await?.start(url))
    }

    /// Starts an instance with the snapshot of a state file.
    pub async fn start_snapshot(&self, snapshot: &StoreSnapshot, clock: Clock, url: &str) -> Result<Current> {
        let template = Arc::new(Template::of_snapshot(snapshot, &self.root).await?);
        self.start(&SavedState { template, clock }, url).await
    }

    async fn refill(self: Arc<Self>) {
        let mut spare = self.spare.lock().await;
        if spare.is_none() {
            match self.prepare(&self.initial).await {
                Ok(prepared) => *spare = Some(prepared),
                Err(error) => tracing::debug!(%error, "could not prepare an instance"),
            }
        }
    }

    async fn prepare(&self, state: &SavedState) -> Result<Prepared> {
        let (template, root) = (state.template.clone(), self.root.clone());
        let copied = tokio::task::spawn_blocking(move || template.instantiate(&root)).await;
        let directory = copied.map_err(|error| Error::internal(error.to_string()))??;
        let options = Options { data: Some(directory.path().to_owned()), ..self.options.clone() };
        let node = options.ephemeral_node();
        let opened = Opened::open(&options, Durability::None, state.clock.fork(), &node).await?;
        // Requests and background work that have begun may still read packs after the instance was replaced.
        opened.app.repositories.own(directory);
        Ok(Prepared { opened, options })
    }

    /// The present state of an instance.
    pub async fn copy(&self, current: &Current) -> Result<SavedState> {
        let app = &current.instance.app;
        let options = Options { data: Some(app.repositories.data_directory().to_owned()), ..self.options.clone() };
        let template = Template::of(&options.existing_location(), &app.repositories, &self.root).await?;
        Ok(SavedState { template: Arc::new(template), clock: current.clock().fork() })
    }
}

impl Prepared {
    fn start(self, url: &str) -> Current {
        Current::start(self.opened, &self.options, url)
    }
}
