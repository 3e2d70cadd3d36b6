//! The database URL, as libpq reads it, and connections to it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::epoch::Fence;
use super::hosts::{Connected, Hosts};
use super::tls;
use super::tls_options::{TlsMode, TlsOptions};
use crate::DbError;
use plinth_base::error::{Error, Result};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// A connection ends when sent data is not acknowledged for this long.
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(5);
/// The kernel probes idle connections, so that those through a firewall or to a dead host end.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(10);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(3);
const KEEPALIVE_RETRIES: u32 = 3;
/// The driver's default.
const KEEPALIVE_IDLE_OF_DRIVER: Duration = Duration::from_secs(2 * 60 * 60);
/// The server cancels what runs longer, since no request waits that long. A transaction whose client has disappeared must
/// not keep its locks for long, and ours wait for nothing but the database.
///
/// A serializable transaction that scans a whole table conflicts with every other one that changes a row of it. The planner prefers such
/// scans for tables of a few pages, so that transactions of different repositories would fail and run again. A scan that cannot be
/// avoided gets an estimated cost for which PostgreSQL would compile the statement, which takes 0.1 s.
const SERVER_SETTINGS: &str =
    "-c statement_timeout=10000 -c idle_in_transaction_session_timeout=5000 -c enable_seqscan=off -c jit=off";

/// Where the database is and how to connect to it.
#[derive(Clone)]
pub struct Target {
    hosts: Arc<Hosts>,
    tls: MakeRustlsConnect,
    pub(super) fence: Arc<Fence>,
    pub(super) connect_timeout: Duration,
}

impl Target {
    /// Reads a URL or a list of `key=value` pairs. What they set overrides our defaults. Servers with an older epoch than
    /// the one in the file are rejected.
    pub fn parse(url: &str, epoch_file: Option<&Path>) -> Result<Self> {
        let (config, options) = parse(url)?;
        let connect_timeout = config.get_connect_timeout().copied().unwrap_or(CONNECT_TIMEOUT);
        let (hosts, fence) = (Arc::new(Hosts::of(&config)?), Arc::new(Fence::open(epoch_file)?));
        Ok(Self { hosts, tls: MakeRustlsConnect::new(tls::client_config(&options)?), fence, connect_timeout })
    }
    /// A connection to the current primary.
    pub(super) async fn connect(&self) -> Result<Connected, DbError> {
        let connecting = self.hosts.connect(&self.tls, &self.fence);
        tokio::time::timeout(self.connect_timeout, connecting).await.unwrap_or_else(|_| Err(DbError::timed_out()))
    }
}

/// The configuration of the driver, and what it does not know.
fn parse(url: &str) -> Result<(Config, TlsOptions)> {
    let (rest, options) = TlsOptions::take_from(url)?;
    let mut config: Config =
        rest.parse().map_err(|error| Error::BadRequest(format!("the database URL cannot be read: {error}")))?;
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT_TIMEOUT);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(TCP_USER_TIMEOUT);
    }
    if config.get_keepalives_idle() == KEEPALIVE_IDLE_OF_DRIVER {
        config.keepalives_idle(KEEPALIVE_IDLE);
    }
    if config.get_keepalives_interval().is_none() {
        config.keepalives_interval(KEEPALIVE_INTERVAL);
    }
    if config.get_keepalives_retries().is_none() {
        config.keepalives_retries(KEEPALIVE_RETRIES);
    }
    if config.get_application_name().is_none() {
        config.application_name("plinth");
    }
    let server_options = match config.get_options() {
        Some(given) => format!("{SERVER_SETTINGS} {given}"),
        None => SERVER_SETTINGS.to_owned(),
    };
    config.options(server_options);
    config.ssl_mode(match options.mode {
        TlsMode::Disable => SslMode::Disable,
        TlsMode::Prefer => SslMode::Prefer,
        TlsMode::Require | TlsMode::VerifyCa | TlsMode::VerifyFull => SslMode::Require,
    });
    Ok((config, options))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_sets_hosts_and_overrides_default_timeouts() {
        let url = "postgres://me@a:1,b:2/name?target_session_attrs=read-write&tcp_user_timeout=9&keepalives_idle=60\
                   &options=-c%20statement_timeout%3D5000";
        let (config, _) = parse(url).expect("a good URL");
        assert_eq!(config.get_hosts().len(), 2);
        assert_eq!(config.get_target_session_attrs(), tokio_postgres::config::TargetSessionAttrs::ReadWrite);
        assert_eq!(config.get_tcp_user_timeout(), Some(&Duration::from_secs(9)));
        assert_eq!(config.get_keepalives_idle(), Duration::from_secs(60));
        let options = config.get_options().expect("options");
        assert!(options.starts_with(SERVER_SETTINGS) && options.ends_with("-c statement_timeout=5000"), "{options}");
        let (config, _) = parse("postgres://a/b").expect("a good URL");
        assert_eq!(config.get_tcp_user_timeout(), Some(&TCP_USER_TIMEOUT));
        assert_eq!(config.get_keepalives_idle(), KEEPALIVE_IDLE);
    }
}
