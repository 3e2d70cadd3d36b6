//! Figures about deliveries. Labels are outcomes, never hooks or hosts.

use std::time::Duration;

use prometheus::core::Collector;
use prometheus::{Histogram, HistogramOpts, IntCounterVec, IntGauge, Opts};

#[derive(Clone)]
pub struct Metrics {
    deliveries: IntCounterVec,
    durations: Histogram,
    pending: IntGauge,
    in_flight: IntGauge,
}

impl Default for Metrics {
    fn default() -> Self {
        let deliveries = IntCounterVec::new(
            Opts::new("plinth_webhook_deliveries_total", "Attempts to deliver a webhook, by outcome"),
            &["outcome"],
        );
        let durations = Histogram::with_opts(
            HistogramOpts::new("plinth_webhook_delivery_seconds", "Time that an attempt to deliver a webhook takes")
                .buckets(vec![0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0]),
        );
        let pending = IntGauge::new("plinth_webhook_pending", "Deliveries that wait, as of at most 15 seconds ago");
        let in_flight = IntGauge::new("plinth_webhook_in_flight", "Deliveries that are being sent");
        Self {
            deliveries: deliveries.expect("the names are constants"),
            durations: durations.expect("the name is a constant"),
            pending: pending.expect("the name is a constant"),
            in_flight: in_flight.expect("the name is a constant"),
        }
    }
}

impl Metrics {
    /// Everything that can be registered.
    pub fn collectors(&self) -> [Box<dyn Collector>; 4] {
        [
            Box::new(self.deliveries.clone()),
            Box::new(self.durations.clone()),
            Box::new(self.pending.clone()),
            Box::new(self.in_flight.clone()),
        ]
    }

    pub(crate) fn set_pending(&self, count: i64) {
        self.pending.set(count);
    }

    pub(crate) fn begin(&self) {
        self.in_flight.inc();
    }

    pub(crate) fn end(&self) {
        self.in_flight.dec();
    }

    pub(crate) fn observe(&self, outcome: &str, took: Duration) {
        self.deliveries.with_label_values(&[outcome]).inc();
        self.durations.observe(took.as_secs_f64());
    }
}
