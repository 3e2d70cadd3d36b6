//! The log of requests, which tests read and wait for.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::Notify;

use plinth_base::clock::Timestamp;

/// Older requests are dropped.
const REQUESTS_MAX: usize = 10_000;

/// A request that has got its response.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LoggedRequest {
    pub id: u64,
    pub at: Timestamp,
    pub method: String,
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The operation in the documentation; nothing if no route matches.
    pub operation: Option<&'static str>,
    /// The path of that operation.
    pub route: Option<&'static str>,
    /// Who sent it; nothing without a valid credential.
    pub caller: Option<Caller>,
    /// Nothing if the connection was closed.
    pub status: Option<u16>,
    pub duration_ms: f64,
    /// The fault that it met.
    pub fault: Option<u64>,
    /// The JSON of the request, if it is short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    /// For a request without a route: the operation with the most similar path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
}

/// Who sent a request, and with what.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Caller {
    /// The login of a user or of the account of an installation, or the slug of an app.
    pub name: String,
    /// `classic`, `oauth`, `fine_grained`, `app_user`, `installation` or `app`.
    pub credential: &'static str,
}

/// The newest requests of an instance.
#[derive(Default)]
pub struct RequestLog {
    entries: Mutex<Entries>,
    added: Arc<Notify>,
}

#[derive(Default)]
struct Entries {
    list: VecDeque<LoggedRequest>,
    last_id: u64,
}

impl RequestLog {
    pub fn add(&self, mut request: LoggedRequest) {
        let mut entries = self.entries.lock();
        entries.last_id += 1;
        request.id = entries.last_id;
        if entries.list.len() >= REQUESTS_MAX {
            entries.list.pop_front();
        }
        entries.list.push_back(request);
        drop(entries);
        self.added.notify_waiters();
    }

    /// The requests that match, the newest last.
    pub fn list(&self, matches: impl Fn(&LoggedRequest) -> bool) -> Vec<LoggedRequest> {
        self.entries.lock().list.iter().filter(|request| matches(request)).cloned().collect()
    }

    pub fn clear(&self) {
        self.entries.lock().list.clear();
    }

    /// The first request that matches, which may be in the log already; nothing if none arrives in time.
    pub async fn wait(&self, matches: impl Fn(&LoggedRequest) -> bool, timeout: Duration) -> Option<LoggedRequest> {
        let found = async {
            loop {
                // Before the log is read, so that nothing is missed between the two.
                let added = self.added.notified();
                tokio::pin!(added);
                added.as_mut().enable();
                if let Some(request) = self.entries.lock().list.iter().find(|request| matches(request)) {
                    return request.clone();
                }
                added.await;
            }
        };
        tokio::time::timeout(timeout, found).await.ok()
    }
}
