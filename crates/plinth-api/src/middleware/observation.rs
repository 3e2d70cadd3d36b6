//! The outermost layer: metrics, the log line and the headers that every response has.

use std::time::Instant;

use http::Method;

use super::finish::without_body;
use super::pipeline::{Incoming, Inner, Outcome, layer};
use crate::app::App;
use crate::response::headers;

layer! {
    /// Counts and times every request.
    ObservationLayer => Observation { app: App }
}

impl<S: Inner<Incoming>> Inner<Incoming> for Observation<S> {
    async fn respond(&self, request: Incoming) -> Outcome {
        let started = Instant::now();
        let in_flight = self.app.metrics.begin();
        let is_head = request.request.method() == Method::HEAD;
        let request_id = request.request_id.clone();
        let mut outcome = self.inner.respond(request).await;
        headers::add_common(outcome.response.headers_mut(), &request_id);
        if is_head {
            outcome.response = without_body(outcome.response);
        }
        drop(in_flight);
        let (operation, status) = (outcome.row.map_or("none", |row| row.operation), outcome.response.status());
        self.app.metrics.observe(operation, status, started.elapsed());
        tracing::debug!(target: "plinth::request", %request_id, operation, status = status.as_u16(),
            micros = started.elapsed().as_micros() as u64, "responded");
        outcome
    }
}
