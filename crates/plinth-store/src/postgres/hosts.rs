//! Connections to a database that may be on one of several hosts.
//!
//! The driver tries hosts one after another, and its time limit ends with the TCP connection: a host that accepts
//! connections and never responds would hide the others. So each host is tried by itself, and the next one starts when
//! the one before has failed or is slow.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::task::JoinHandle;
use tokio_postgres::config::{Host, TargetSessionAttrs};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Config, SimpleQueryMessage};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::epoch::{Epoch, Fence};
use crate::DbError;
use plinth_base::error::{Error, Result};

/// How long a host has to accept a connection before the next one is tried as well.
const HEAD_START: Duration = Duration::from_millis(250);
/// The start time distinguishes servers, also behind one name.
const IDENTIFY: &str = "select pg_postmaster_start_time()::text, pg_is_in_recovery()::text, \
                        (select encode(value, 'escape') from setting where name = 'epoch')";
/// The same for a database without tables.
const IDENTIFY_EMPTY: &str = "select pg_postmaster_start_time()::text, pg_is_in_recovery()::text, null";

/// The hosts of a database.
pub(super) struct Hosts {
    hosts: Vec<Config>,
    /// The host of the last connection, which is tried first.
    preferred: AtomicUsize,
}

/// A connection, and the server at its other end.
pub(super) struct Connected {
    pub client: Client,
    pub driver: Driver,
    pub server: Arc<str>,
    pub epoch: Option<Epoch>,
}

/// The task that drives a connection; dropping it closes the connection.
pub(super) struct Driver(Option<JoinHandle<()>>);

impl Driver {
    /// Returns after the time, or at once when the connection is closed.
    pub async fn closed_within(&mut self, time: Duration) {
        match &mut self.0 {
            Some(task) if !task.is_finished() => drop(tokio::time::timeout(time, task).await),
            Some(_) | None => {}
        }
    }

    pub fn is_closed(&self) -> bool {
        self.0.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// The task, for an owner that ends it.
    pub fn release(mut self) -> JoinHandle<()> {
        self.0.take().expect("only this takes it, once")
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}

impl Hosts {
    pub fn of(config: &Config) -> Result<Self> {
        let (names, numbers, ports) = (config.get_hosts(), config.get_hostaddrs(), config.get_ports());
        let count = names.len().max(numbers.len());
        let fits = |length: usize| length <= 1 || length == count;
        if count == 0
            || !fits(ports.len())
            || (!names.is_empty() && !numbers.is_empty() && names.len() != numbers.len())
        {
            return Err(Error::BadRequest(format!(
                "the database URL names {} hosts, {} addresses and {} ports: each host needs one of each that is named",
                names.len(),
                numbers.len(),
                ports.len()
            )));
        }
        let hosts = (0..count).map(|index| only_host(config, index)).collect();
        Ok(Self { hosts, preferred: AtomicUsize::new(0) })
    }

    /// Connects to the first host that has the current database and accepts writes.
    pub async fn connect(&self, tls: &MakeRustlsConnect, fence: &Fence) -> Result<Connected, DbError> {
        let (count, first) = (self.hosts.len(), self.preferred.load(Ordering::Relaxed));
        let mut untried = (0..count).map(|number| (first + number) % count);
        let (mut attempts, mut failures) = (FuturesUnordered::new(), Vec::new());
        loop {
            attempts.extend(untried.next().map(|index| async move { (index, self.attempt(index, tls, fence).await) }));
            tokio::select! {
                ended = attempts.next() => match ended {
                    Some((index, Ok(connected))) => {
                        self.preferred.store(index, Ordering::Relaxed);
                        return Ok(connected);
                    }
                    Some((index, Err(error))) => failures.push((index, error)),
                    None => return Err(self.failure(failures)),
                },
                () = tokio::time::sleep(HEAD_START), if untried.len() > 0 => {}
            }
        }
    }

    async fn attempt(&self, index: usize, tls: &MakeRustlsConnect, fence: &Fence) -> Result<Connected, DbError> {
        let config = &self.hosts[index];
        let (client, connection) = config.connect(tls.clone()).await?;
        // The next statement fails with the same error.
        let driver = Driver(Some(tokio::spawn(async move { drop(connection.await) })));
        let (server, is_standby, epoch) = identify(&client).await?;
        if is_standby && config.get_target_session_attrs() != TargetSessionAttrs::ReadOnly {
            return Err(DbError::Unavailable("it is a standby".into()));
        }
        fence.check(epoch.as_ref()).inspect_err(|error| tracing::warn!(host = name(config), "{error}"))?;
        Ok(Connected { client, driver, server, epoch })
    }

    fn failure(&self, mut failures: Vec<(usize, DbError)>) -> DbError {
        if failures.len() == 1
            && let Some((_, error)) = failures.pop()
        {
            return error;
        }
        let texts = failures.iter().map(|(index, error)| format!("{}: {error}", name(&self.hosts[*index])));
        DbError::Unavailable(texts.collect::<Vec<_>>().join("; "))
    }
}

async fn identify(client: &Client) -> Result<(Arc<str>, bool, Option<Epoch>), DbError> {
    let rows = match client.simple_query(IDENTIFY).await {
        Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => client.simple_query(IDENTIFY_EMPTY).await?,
        rows => rows?,
    };
    let row = rows.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    let row = row.ok_or(DbError::NoRow)?;
    let server = row.try_get(0)?.unwrap_or_default().into();
    Ok((server, row.try_get(1)? == Some("true"), row.try_get(2)?.and_then(Epoch::parse)))
}

/// For messages.
fn name(config: &Config) -> String {
    let port = config.get_ports().first().copied().unwrap_or(5432);
    match (config.get_hosts().first(), config.get_hostaddrs().first()) {
        (Some(Host::Tcp(host)), _) => format!("{host}:{port}"),
        #[cfg(unix)]
        (Some(Host::Unix(path)), _) => path.display().to_string(),
        (None, Some(number)) => format!("{number}:{port}"),
        (None, None) => "no host".into(),
    }
}

/// The configuration with one of its hosts. The driver has no way to remove the others.
fn only_host(config: &Config, index: usize) -> Config {
    let mut only = Config::new();
    config.get_user().map(|user| only.user(user));
    config.get_password().map(|password| only.password(password));
    config.get_dbname().map(|name| only.dbname(name));
    config.get_options().map(|options| only.options(options));
    config.get_application_name().map(|name| only.application_name(name));
    match config.get_hosts().get(index) {
        Some(Host::Tcp(host)) => drop(only.host(host)),
        #[cfg(unix)]
        Some(Host::Unix(path)) => drop(only.host_path(path)),
        None => {}
    }
    config.get_hostaddrs().get(index).map(|number| only.hostaddr(*number));
    config.get_ports().get(index).or_else(|| config.get_ports().first()).map(|port| only.port(*port));
    config.get_connect_timeout().map(|time| only.connect_timeout(*time));
    config.get_tcp_user_timeout().map(|time| only.tcp_user_timeout(*time));
    config.get_keepalives_interval().map(|time| only.keepalives_interval(time));
    config.get_keepalives_retries().map(|count| only.keepalives_retries(count));
    only.keepalives(config.get_keepalives())
        .keepalives_idle(config.get_keepalives_idle())
        .ssl_mode(config.get_ssl_mode())
        .ssl_negotiation(config.get_ssl_negotiation())
        .target_session_attrs(config.get_target_session_attrs())
        .channel_binding(config.get_channel_binding())
        .load_balance_hosts(config.get_load_balance_hosts());
    only
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Result<Vec<String>> {
        let config: Config = text.parse().expect("the driver reads it");
        Ok(Hosts::of(&config)?.hosts.iter().map(name).collect())
    }

    #[test]
    fn each_host_has_its_own_configuration() {
        let url = "postgres://me:secret@a:1,b:2/name?target_session_attrs=read-write&connect_timeout=3&keepalives=0";
        let config: Config = url.parse().expect("the driver reads it");
        let hosts = Hosts::of(&config).expect("two hosts").hosts;
        let only = |host: &str| -> Config { url.replace("a:1,b:2", host).parse().expect("the driver reads it") };
        assert_eq!(hosts, [only("a:1"), only("b:2")]);
    }

    #[test]
    fn pairs_and_urls_name_several_hosts() {
        assert_eq!(names("host=a,b port=1,2 user=me").expect("two hosts"), ["a:1", "b:2"]);
        assert_eq!(names("host=a,b port=1 user=me").expect("two hosts"), ["a:1", "b:1"]);
        assert_eq!(names("postgres://me@a,b:2/name").expect("two hosts"), ["a:5432", "b:2"]);
        assert!(names("host=a,b,c port=1,2 user=me").is_err());
        assert!(names("user=me").is_err());
    }
}
