//! Delivery of webhooks by a running server.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use plinth_api::app::App;
use plinth_api::webhooks::payloads;
use plinth_base::error::Result;
use plinth_base::urls::Urls;
use plinth_core::events::Event;
use plinth_core::webhooks::model::Recipient;
use plinth_core::webhooks::queue::dispatch::PayloadRenderer;
use plinth_webhooks::client::Client;
use plinth_webhooks::metrics::Metrics;
use plinth_webhooks::{Deliveries, DeliveryFaults, DeliverySettings, Running};

/// Starts the tasks. `listen_url` is in payloads where no public URL is set.
pub fn start(
    app: &App,
    settings: DeliverySettings,
    listen_url: &str,
    faults: Option<Arc<dyn DeliveryFaults>>,
) -> Running {
    let metrics = Metrics::default();
    metrics.collectors().into_iter().for_each(|collector| app.metrics.register(collector));
    let base = app.settings.public_url.clone().unwrap_or_else(|| listen_url.to_owned());
    let renderer = Arc::new(Renderer { app: app.clone(), urls: Urls::new(&base, "") });
    let client = Client::new(settings.allowed.clone());
    Deliveries { core: app.core.clone(), renderer, client, settings, metrics, faults }.start()
}

/// Renders payloads as the API shows objects.
struct Renderer {
    app: App,
    urls: Urls,
}

impl PayloadRenderer for Renderer {
    fn render<'a>(&'a self, event: &'a Event, recipient: &'a Recipient) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(payloads::render(&self.app, &self.urls, event, recipient))
    }
}
