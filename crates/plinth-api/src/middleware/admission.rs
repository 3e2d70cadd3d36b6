//! The layer that rejects requests beyond the limit of concurrent ones. Health checks pass without a permit.

use std::sync::Arc;

use plinth_base::error::Error;

use super::forwarded::{client_address, urls_of};
use super::pipeline::{Admitted, Incoming, Inner, Origin, Outcome, layer};
use crate::app::App;
use crate::app::permits::Permits;
use crate::health;
use crate::request::request_permit::RequestPermit;

layer! {
    AdmissionLayer => Admission { app: App, permits: Arc<Permits> }
}

impl<S: Inner<Admitted>> Inner<Incoming> for Admission<S> {
    async fn respond(&self, request: Incoming) -> Outcome {
        let Incoming { request, peer, request_id, is_cacheable, read_at } = request;
        if let Some(response) = health::respond(&self.app, request.method(), request.uri().path()).await {
            return Outcome::new(response, None);
        }
        let client = client_address(&self.app, request.headers(), peer);
        let urls = urls_of(&self.app, request.headers(), peer, request.uri());
        let Some(permit) = RequestPermit::try_new(&self.permits) else {
            let error = Error::Unavailable("too many requests at once".into());
            return Outcome::error(&error, None, &urls, &request_id);
        };
        let origin = Origin { client, urls, request_id };
        self.inner.respond(Admitted { request, origin, permit, is_cacheable, read_at }).await
    }
}
