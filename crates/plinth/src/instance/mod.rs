//! A running service over one data directory: the store, the API, background tasks and deliveries of webhooks.

mod shared_packs;
mod webhooks;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::task::JoinHandle;

use crate::config::Options;
use crate::maintenance;
use crate::maintenance::purge_requests;
use plinth_api::app::App;
use plinth_api::server::HttpService;
use plinth_base::clock::Clock;
use plinth_base::error::{Error, Result};
use plinth_core::expiry;
use plinth_core::objects::shared::PackStorage;
use plinth_core::repos::deletion;
use plinth_store::{Durability, Node, Store};
use plinth_web::WebPages;
use plinth_webhooks::{DeliveryFaults, Running};

/// A service that can be changed and does not run yet.
pub struct Opened {
    pub app: App,
    pub store: Store,
    /// If several servers share packs.
    pub packs: Option<Arc<PackStorage>>,
}

/// A service that runs.
pub struct Instance {
    pub app: App,
    pub store: Store,
    pub service: HttpService,
    background: Vec<JoinHandle<()>>,
    deliveries: Mutex<Option<Running>>,
}

impl Opened {
    /// Opens the data directory of these options, whose lock the caller has.
    pub async fn open(options: &Options, durability: Durability, clock: Clock, node: &Node) -> Result<Self> {
        let location = options.location(durability)?;
        options.check_new_storage(&location).await?;
        let store = options.open_as(&location, node).await?;
        let packs = options.pack_storage(&store, &clock).await?;
        let repositories = options.repositories_with(packs.as_ref())?;
        repositories.remove_leftovers().map_err(|error| {
            Error::Unavailable(format!("cannot clean up the data directory {}: {error}", options.data().display()))
        })?;
        let app = App::new(store.clone(), repositories, clock, options.settings()?).await?;
        if packs.is_some() {
            // From now on it is in memory, whatever happens to the disk.
            app.secrets_key.read()?;
        }
        Ok(Self { app, store, packs })
    }

    /// Starts everything but the listener. Webhooks contain `url` where no public URL is set.
    pub fn start(self, options: &Options, url: &str, faults: Option<Arc<dyn DeliveryFaults>>) -> Instance {
        self.start_with(options, url, faults, Duration::ZERO)
    }

    /// Starts as [`Opened::start`] does, except that the periodic tasks wait for `delay`.
    pub fn start_with(
        self,
        options: &Options,
        url: &str,
        faults: Option<Arc<dyn DeliveryFaults>>,
        delay: Duration,
    ) -> Instance {
        let Self { app, store, packs } = self;
        let mut background = start_background(options.data(), &app, delay);
        if let Some(packs) = packs {
            app.share_rate_limits();
            let core = app.core.clone();
            background.push(tokio::spawn(async move { core.limiter.run_leases().await }));
            background.push(tokio::spawn(shared_packs::run(app.clone(), packs)));
        }
        Instance {
            background,
            deliveries: Mutex::new(Some(webhooks::start(&app, options.delivery_settings(), url, faults))),
            service: HttpService::with_pages(app.clone(), Arc::new(WebPages)),
            app,
            store,
        }
    }
}

impl Instance {
    /// Ends the background tasks, after the deliveries in flight.
    pub async fn stop(&self) {
        self.background.iter().for_each(JoinHandle::abort);
        self.app.limiter.stop_sharing().await;
        let deliveries = self.deliveries.lock().take();
        if let Some(deliveries) = deliveries {
            deliveries.stop().await;
        }
    }

    /// Ends everything at once. Requests in flight are not affected.
    pub fn abort(&self) {
        self.background.iter().for_each(JoinHandle::abort);
        if let Some(deliveries) = self.deliveries.lock().take() {
            deliveries.abort();
        }
    }
}

/// Starts the tasks that run as long as the service: expiry of tokens, removal of deleted repositories, garbage collection
/// and purge requests. They begin after `delay`.
fn start_background(data: &Path, app: &App, delay: Duration) -> Vec<JoinHandle<()>> {
    let maintenance = || maintenance::of(app.objects.clone(), app.clock.clone());
    let is_draining = || {
        let app = app.clone();
        move || app.is_draining()
    };
    vec![
        spawn_after(delay, expiry::run(app.core.clone(), is_draining())),
        spawn_after(delay, deletion::run(app.core.clone(), is_draining())),
        spawn_after(delay, maintenance().run()),
        spawn_after(delay, purge_requests::serve(data.to_owned(), maintenance())),
    ]
}

fn spawn_after(delay: Duration, task: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    tokio::spawn(async move {
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        task.await;
    })
}
