//! Figures about the service in the Prometheus text form.

use plinth_core::Core;
use std::time::Duration;

use parking_lot::Mutex;
use prometheus::{HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts, Registry, TextEncoder};

use plinth_git as git;
use plinth_store::{TRANSACTION_BUCKETS, TransactionTimes};

/// What is counted. Labels are operations and statuses, never names or addresses.
pub struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    durations: HistogramVec,
    in_flight: IntGauge,
    connections: IntGauge,
    response_cache_hits: IntCounter,
    shared_body_hits: IntCounter,
    ref_hits: IntCounter,
    comment_hits: IntCounter,
    comment_page_hits: IntCounter,
    /// Taken over from the store whenever someone looks, by one at a time.
    statements: Mutex<IntCounter>,
    /// Taken over from the readers of objects in the same way.
    damaged_objects: Mutex<IntCounter>,
}

impl Default for Metrics {
    fn default() -> Self {
        let registry = Registry::new();
        let requests = IntCounterVec::new(
            Opts::new("plinth_requests_total", "Requests, by operation and status"),
            &["operation", "status"],
        );
        let durations = HistogramVec::new(
            HistogramOpts::new("plinth_request_seconds", "Time to respond, by operation")
                .buckets(vec![0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0]),
            &["operation"],
        );
        let in_flight = IntGauge::new("plinth_requests_in_flight", "Requests in progress");
        let connections = IntGauge::new("plinth_connections_open", "Connections that are open now");
        let response_cache_hits =
            IntCounter::new("plinth_response_cache_hits_total", "Responses that came from the response cache");
        let shared_body_hits = IntCounter::new(
            "plinth_shared_body_hits_total",
            "Responses whose body came from the part of the response cache that callers share",
        );
        let ref_hits = IntCounter::new(
            "plinth_ref_hits_total",
            "Requests of one ref that was in the cache, so that nothing was read for it",
        );
        let comment_hits = IntCounter::new(
            "plinth_comment_hits_total",
            "Requests of one review comment that was in the cache, so that nothing was read for it",
        );
        let comment_page_hits = IntCounter::new(
            "plinth_comment_page_hits_total",
            "Pages of review comments whose comments were in the cache, so that no list was read",
        );
        let statements = IntCounter::new("plinth_store_statements_total", "Statements that the store has run");
        let damaged_objects = IntCounter::new(
            "plinth_damaged_objects_total",
            "Objects that must be in a repository and could not be read; see plinth verify",
        );
        let metrics = Self {
            requests: requests.expect("the names are constants"),
            durations: durations.expect("the names are constants"),
            in_flight: in_flight.expect("the name is a constant"),
            connections: connections.expect("the name is a constant"),
            response_cache_hits: response_cache_hits.expect("the name is a constant"),
            shared_body_hits: shared_body_hits.expect("the name is a constant"),
            ref_hits: ref_hits.expect("the name is a constant"),
            comment_hits: comment_hits.expect("the name is a constant"),
            comment_page_hits: comment_page_hits.expect("the name is a constant"),
            statements: Mutex::new(statements.expect("the name is a constant")),
            damaged_objects: Mutex::new(damaged_objects.expect("the name is a constant")),
            registry,
        };
        let register = |collector: Box<dyn prometheus::core::Collector>| {
            metrics.registry.register(collector).expect("every name is registered once");
        };
        register(Box::new(metrics.requests.clone()));
        register(Box::new(metrics.durations.clone()));
        register(Box::new(metrics.in_flight.clone()));
        register(Box::new(metrics.connections.clone()));
        register(Box::new(metrics.response_cache_hits.clone()));
        register(Box::new(metrics.shared_body_hits.clone()));
        register(Box::new(metrics.ref_hits.clone()));
        register(Box::new(metrics.comment_hits.clone()));
        register(Box::new(metrics.comment_page_hits.clone()));
        register(Box::new(metrics.statements.lock().clone()));
        register(Box::new(metrics.damaged_objects.lock().clone()));
        metrics
    }
}

impl Metrics {
    /// Adds a metric of another part of the service.
    pub fn register(&self, collector: Box<dyn prometheus::core::Collector>) {
        self.registry.register(collector).expect("every name is registered once");
    }

    /// Notes that a request has begun; it ends with the guard.
    pub fn begin(&self) -> InFlight<'_> {
        self.in_flight.inc();
        InFlight(&self.in_flight)
    }

    /// Notes how many connections are open.
    pub fn set_connections(&self, count: usize) {
        self.connections.set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    pub fn observe(&self, operation: &str, status: http::StatusCode, took: Duration) {
        self.requests.with_label_values(&[operation, status.as_str()]).inc();
        self.durations.with_label_values(&[operation]).observe(took.as_secs_f64());
    }

    /// Counts a response from the response cache.
    pub fn count_cache_hit(&self) {
        self.response_cache_hits.inc();
    }

    /// Counts a response whose body callers share.
    pub fn count_shared_body(&self) {
        self.shared_body_hits.inc();
    }

    /// Counts a ref that was not read.
    pub fn count_ref(&self) {
        self.ref_hits.inc();
    }

    /// Counts a review comment that was not read.
    pub fn count_comment(&self) {
        self.comment_hits.inc();
    }

    /// Counts a page of review comments for which no list was read.
    pub fn count_comment_page(&self) {
        self.comment_page_hits.inc();
    }

    /// The page that a Prometheus server fetches.
    pub fn render(&self, core: &Core) -> String {
        let statements = self.statements.lock();
        statements.inc_by(plinth_store::statements_run().saturating_sub(statements.get()));
        drop(statements);
        let damaged = self.damaged_objects.lock();
        damaged.inc_by(git::damaged_objects().saturating_sub(damaged.get()));
        drop(damaged);
        let mut page = TextEncoder::new().encode_to_string(&self.registry.gather()).unwrap_or_default();
        write_transactions(&mut page, core.transaction_times());
        page
    }
}

/// The histogram that the store keeps itself, since it must not depend on how it is shown.
fn write_transactions(page: &mut String, times: &TransactionTimes) {
    let histogram = times.histogram();
    let mut lines = vec![
        "# HELP plinth_write_transaction_seconds Time that write transactions take, without waiting".to_owned(),
        "# TYPE plinth_write_transaction_seconds histogram".to_owned(),
    ];
    let bounds = TRANSACTION_BUCKETS.iter().map(f64::to_string).chain(["+Inf".to_owned()]);
    let mut total = 0;
    for (bound, count) in bounds.zip(histogram.counts) {
        total += count;
        lines.push(format!("plinth_write_transaction_seconds_bucket{{le=\"{bound}\"}} {total}"));
    }
    lines.push(format!("plinth_write_transaction_seconds_sum {}", histogram.sum.as_secs_f64()));
    lines.push(format!("plinth_write_transaction_seconds_count {total}"));
    for (name, about, value) in [
        ("seconds_max", "The longest write transaction since the start", histogram.longest.as_secs_f64()),
        ("waiting", "Write transactions that wait or run now", times.waiting() as f64),
    ] {
        let name = format!("plinth_write_transaction_{name}");
        lines.extend([format!("# HELP {name} {about}"), format!("# TYPE {name} gauge"), format!("{name} {value}")]);
    }
    lines.push(String::new());
    page.push_str(&lines.join("\n"));
}

/// One request in progress.
pub struct InFlight<'a>(&'a IntGauge);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.dec();
    }
}
