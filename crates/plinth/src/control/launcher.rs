//! Starting instances.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::sync::Mutex;

use super::directories::{InstanceDirectory, UnusedDirectories};
use super::slot::{Current, SavedState};
use super::template::Template;
use crate::config::Options;
use crate::instance::Opened;
use crate::state_file::StoreSnapshot;
use plinth_base::clock::Clock;
use plinth_base::error::{Error, Result};
use plinth_core::expiry;
use plinth_git::Repositories;
use plinth_store::Durability;

/// The periodic tasks of an instance in which nothing is left to do wait for so long: most tests end before.
const IDLE_DELAY: Duration = Duration::from_secs(1);

/// Starts instances from templates, in directories that are removed with the process.
pub struct Launcher {
    options: Options,
    root: PathBuf,
    initial: ArcSwap<InitialState>,
    /// An instance in the initial state, so that the next reset or namespace does not have to wait for it.
    spare: Mutex<Option<Prepared>>,
    unused: Arc<UnusedDirectories>,
}

/// The state that every reset returns to.
struct InitialState {
    state: SavedState,
    /// Whether it contains what the tasks of an instance do for a new state file, so that no reset does that again.
    is_complete: bool,
}

/// An instance that does not run yet.
struct Prepared {
    opened: Opened,
    options: Options,
    /// Before the periodic tasks begin.
    delay: Duration,
}

impl Launcher {
    /// `opened` is in the state that every reset returns to.
    pub async fn new(options: &Options, root: &Path, opened: &Opened) -> Result<Self> {
        let template = Template::of(&options.existing_location(), &opened.app.repositories, root).await?;
        let state = SavedState { template: Arc::new(template), clock: opened.app.clock.fork() };
        let initial = ArcSwap::from_pointee(InitialState { state, is_complete: false });
        Ok(Self {
            options: options.clone(),
            root: root.to_owned(),
            initial,
            spare: Mutex::default(),
            unused: Arc::default(),
        })
    }

    /// Starts an instance in the initial state, and prepares the next one.
    pub async fn start_initial(self: &Arc<Self>, url: &str) -> Result<Current> {
        let spare = self.spare.lock().await.take();
        let prepared = match spare {
            Some(prepared) => prepared,
            None => self.prepare_initial().await?,
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
            match self.prepare_complete().await {
                Ok(prepared) => *spare = Some(prepared),
                Err(error) => tracing::debug!(%error, "could not prepare an instance"),
            }
        }
    }

    async fn prepare_initial(&self) -> Result<Prepared> {
        let initial = self.initial.load_full();
        let prepared = self.prepare(&initial.state).await?;
        Ok(Prepared { delay: if initial.is_complete { IDLE_DELAY } else { Duration::ZERO }, ..prepared })
    }

    /// An instance in the complete initial state. The first one is the template of all others.
    async fn prepare_complete(&self) -> Result<Prepared> {
        let prepared = self.prepare_initial().await?;
        if !self.initial.load().is_complete {
            let app = &prepared.opened.app;
            expiry::catch_up(&app.core).await;
            let template = Arc::new(self.copy_of(&app.repositories).await?);
            let state = SavedState { template, clock: app.clock.fork() };
            self.initial.store(Arc::new(InitialState { state, is_complete: true }));
        }
        Ok(Prepared { delay: IDLE_DELAY, ..prepared })
    }

    async fn prepare(&self, state: &SavedState) -> Result<Prepared> {
        let (template, root, unused) = (state.template.clone(), self.root.clone(), self.unused.clone());
        let copied = tokio::task::spawn_blocking(move || template.instantiate(&root, &unused)).await;
        let directory = copied.map_err(|error| Error::internal(error.to_string()))??;
        let options = Options { data: Some(directory.path().to_owned()), ..self.options.clone() };
        let node = options.ephemeral_node();
        let opened = Opened::open(&options, Durability::None, state.clock.fork(), &node).await?;
        // Requests and background work that have begun may still read packs after the instance was replaced.
        opened.app.repositories.own(InstanceDirectory::new(directory, self.unused.clone()));
        Ok(Prepared { opened, options, delay: Duration::ZERO })
    }

    /// The present state of an instance.
    pub async fn copy(&self, current: &Current) -> Result<SavedState> {
        let template = self.copy_of(&current.instance.app.repositories).await?;
        Ok(SavedState { template: Arc::new(template), clock: current.clock().fork() })
    }

    async fn copy_of(&self, repositories: &Repositories) -> Result<Template> {
        let options = Options { data: Some(repositories.data_directory().to_owned()), ..self.options.clone() };
        Template::of(&options.existing_location(), repositories, &self.root).await
    }
}

impl Prepared {
    fn start(self, url: &str) -> Current {
        Current::start_with(self.opened, &self.options, url, self.delay)
    }
}
