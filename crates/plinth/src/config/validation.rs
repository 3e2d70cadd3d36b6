//! Checks of the values, before anything is opened with them.

use super::log::log_filter;
use super::options::Options;
use plinth_base::error::{Error, Result};

impl Options {
    /// Checks every setting and reports all that are invalid at once.
    pub fn check_values(&self) -> Result<()> {
        let mut invalid = Vec::new();
        for (name, value) in self.counts() {
            if value == Some(0) {
                invalid.push(format!("{name} is 0, and nothing could be served"));
            }
        }
        for (name, value) in self.rates() {
            if value.is_some_and(|value| value < 0) {
                invalid.push(format!("{name} is negative"));
            }
        }
        if self.metrics_listen.is_some_and(|address| address == self.listen() && address.port() != 0) {
            invalid.push(format!("metrics_listen is {}, where the API listens", self.listen()));
        }
        if self.objects.is_some() && self.database.is_none() {
            invalid.push("objects is set, and database is not: several servers need PostgreSQL".into());
        }
        invalid.extend(log_filter(self.log()).err().map(|error| error.to_string()));
        if invalid.is_empty() { Ok(()) } else { Err(Error::BadRequest(invalid.join("; "))) }
    }

    /// Settings that must be at least one.
    fn counts(&self) -> [(&'static str, Option<u64>); 10] {
        let wide = |count: Option<usize>| count.map(|count| count as u64);
        [
            ("database_connections", wide(self.database_connections)),
            ("requests_max", wide(self.requests_max)),
            ("connections_max", wide(self.connections_max)),
            ("git_processes_max", wide(self.git_processes_max)),
            ("request_seconds", self.request_seconds),
            ("git_pack_bytes_max", self.git_pack_bytes_max),
            ("git_object_bytes_max", self.git_object_bytes_max),
            ("git_seconds", self.git_seconds),
            ("git_idle_seconds", self.git_idle_seconds),
            ("webhook_retention_days", self.webhook_retention_days.map(u64::from)),
        ]
    }

    /// Settings that may be zero, but not negative.
    fn rates(&self) -> [(&'static str, Option<i64>); 4] {
        [
            ("requests_per_hour", self.requests_per_hour),
            ("anonymous_requests_per_hour", self.anonymous_requests_per_hour),
            ("content_per_minute", self.content_per_minute),
            ("content_per_hour", self.content_per_hour),
        ]
    }
}

/// Returns scheme, host and port, without a slash at the end.
pub fn check_public_url(url: &str) -> Result<String> {
    let trimmed = url.trim_end_matches('/');
    let host = trimmed.strip_prefix("https://").or_else(|| trimmed.strip_prefix("http://"));
    match host {
        Some(host) if !host.is_empty() && !host.contains(['/', '?', '#', ' ', '@']) => Ok(trimmed.to_owned()),
        _ => Err(Error::BadRequest(format!("the public URL {url:?} is not of the form https://host[:port]"))),
    }
}
