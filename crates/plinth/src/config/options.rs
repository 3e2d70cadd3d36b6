//! Every setting, as flag, environment variable and key of a file.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Deserialize;

use super::log::LogFormat;
use plinth_api::settings::Network;
use plinth_base::error::{Error, Result};
use plinth_core::webhooks::key_file;
use plinth_store::Durability;
use plinth_webhooks::address::PrivateTarget;

const LISTEN_DEFAULT: &str = "127.0.0.1:8080";
const DATA_DEFAULT: &str = "data";
const POSTGRES_CONNECTIONS_DEFAULT: usize = 16;
const PACK_CACHE_BYTES_DEFAULT: u64 = 10 << 30;
const LOG_DEFAULT: &str = "info";

/// The path of the settings file.
#[derive(Debug, Args)]
pub struct ConfigFile {
    /// A TOML file with settings; flags and environment variables override it
    #[arg(long, global = true, env = "PLINTH_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
}

impl ConfigFile {
    pub fn read(&self) -> Result<Options> {
        let Some(path) = &self.config else { return Ok(Options::default()) };
        let invalid = |error: &dyn std::fmt::Display| Error::BadRequest(format!("{}: {error}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| invalid(&error))?;
        toml::from_str(&text).map_err(|error| invalid(&error))
    }
}

macro_rules! options {
    ($($(#[$attribute:meta])* $name:ident: $type:ty),* $(,)?) => {
        /// All settings; `None` where a source does not set one.
        #[derive(Debug, Clone, Default, Args, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct Options {
            $($(#[$attribute])* pub $name: Option<$type>),*
        }

        impl Options {
            /// These settings; those that are not set are taken from `other`.
            pub fn over(self, other: Options) -> Options {
                Options { $($name: self.$name.or(other.$name)),* }
            }
        }
    };
}

options! {
    /// Address to listen on; port 0 selects a free port [default: 127.0.0.1:8080]
    #[arg(long, global = true, env = "PLINTH_LISTEN", value_name = "ADDRESS")]
    listen: SocketAddr,
    /// Directory for everything: the SQLite database, and Git repositories with either database [default: data]
    #[arg(long, global = true, env = "PLINTH_DATA", value_name = "DIRECTORY")]
    data: PathBuf,
    /// URL of a PostgreSQL database, instead of SQLite, such as postgres://user@host/name
    #[arg(long, global = true, env = "PLINTH_DATABASE", value_name = "URL", hide_env_values = true)]
    database: String,
    /// Connections to PostgreSQL [default: 16]
    #[arg(long, global = true, env = "PLINTH_DATABASE_CONNECTIONS", value_name = "COUNT")]
    database_connections: usize,
    /// URL of an object storage for packs, which several servers with the same PostgreSQL database share, such as s3://bucket/prefix
    #[arg(long, global = true, env = "PLINTH_OBJECTS", value_name = "URL")]
    objects: String,
    /// Disk space for copies of packs from the object storage [default: 10737418240]
    #[arg(long, global = true, env = "PLINTH_PACK_CACHE_BYTES", value_name = "BYTES")]
    pack_cache_bytes: u64,
    /// Scheme, host and port of every URL in responses [default: from the request]
    #[arg(long, global = true, env = "PLINTH_PUBLIC_URL", value_name = "URL")]
    public_url: String,
    /// Proxies whose X-Forwarded headers are trusted: addresses, or networks such as 10.0.0.0/8
    #[arg(long, global = true, env = "PLINTH_TRUSTED_PROXIES", value_name = "NETWORK", value_delimiter = ',')]
    trusted_proxies: Vec<Network>,
    /// Second address, which serves /metrics for Prometheus
    #[arg(long, global = true, env = "PLINTH_METRICS_LISTEN", value_name = "ADDRESS")]
    metrics_listen: SocketAddr,
    /// Log format: text for people, json for programs [default: text]
    #[arg(long, global = true, env = "PLINTH_LOG_FORMAT", value_name = "FORMAT")]
    log_format: LogFormat,
    /// Log filter, such as info,plinth::request=debug [default: info]
    #[arg(long, global = true, env = "PLINTH_LOG", value_name = "FILTER")]
    log: String,
    /// Whether rate limits are enforced [default: true, false with --ephemeral]
    #[arg(long, global = true, env = "PLINTH_LIMITS", value_name = "BOOL")]
    limits: bool,
    /// Requests per hour of a user or an installation [default: 5000]
    #[arg(long, global = true, env = "PLINTH_REQUESTS_PER_HOUR", value_name = "COUNT")]
    requests_per_hour: i64,
    /// Requests per hour of an address without a credential [default: 60]
    #[arg(long, global = true, env = "PLINTH_ANONYMOUS_REQUESTS_PER_HOUR", value_name = "COUNT")]
    anonymous_requests_per_hour: i64,
    /// Comments and other content per minute and user [default: 80]
    #[arg(long, global = true, env = "PLINTH_CONTENT_PER_MINUTE", value_name = "COUNT")]
    content_per_minute: i64,
    /// Comments and other content per hour and user [default: 500]
    #[arg(long, global = true, env = "PLINTH_CONTENT_PER_HOUR", value_name = "COUNT")]
    content_per_hour: i64,
    /// Timeout of a request [default: 10]
    #[arg(long, global = true, env = "PLINTH_REQUEST_SECONDS", value_name = "SECONDS")]
    request_seconds: u64,
    /// Concurrent requests [default: 1024]
    #[arg(long, global = true, env = "PLINTH_REQUESTS_MAX", value_name = "COUNT")]
    requests_max: usize,
    /// Open connections [default: 4096]
    #[arg(long, global = true, env = "PLINTH_CONNECTIONS_MAX", value_name = "COUNT")]
    connections_max: usize,
    /// Concurrent requests of one caller [default: 256]
    #[arg(long, global = true, env = "PLINTH_REQUESTS_PER_CALLER_MAX", value_name = "COUNT")]
    requests_per_caller_max: usize,
    /// Open connections of one address that is not a trusted proxy [default: 1024]
    #[arg(long, global = true, env = "PLINTH_CONNECTIONS_PER_PEER_MAX", value_name = "COUNT")]
    connections_per_peer_max: usize,
    /// Seconds that a connection may be idle [default: 75]
    #[arg(long, global = true, env = "PLINTH_KEEP_ALIVE_SECONDS", value_name = "SECONDS")]
    keep_alive_seconds: u64,
    /// Seconds in which a client must read 16 KiB of its response [default: 60]
    #[arg(long, global = true, env = "PLINTH_WRITE_SECONDS", value_name = "SECONDS")]
    write_seconds: u64,
    /// Memory for large responses that are being sent [default: 134217728]
    #[arg(long, global = true, env = "PLINTH_RESPONSE_BYTES_MAX", value_name = "BYTES")]
    response_bytes_max: usize,
    /// Whether responses are compressed for clients that accept it [default: true, false with --ephemeral]
    #[arg(long, global = true, env = "PLINTH_COMPRESSION", value_name = "BOOL")]
    compression: bool,
    /// Memory of the response cache; 0 turns it off [default: 33554432]
    #[arg(long, global = true, env = "PLINTH_RESPONSE_CACHE_BYTES", value_name = "BYTES")]
    response_cache_bytes: usize,
    /// Caches that are turned off, to measure what they are worth
    #[arg(long, global = true, env = "PLINTH_DISABLED_CACHES", value_name = "NAME", value_delimiter = ',', hide = true)]
    disabled_caches: Vec<String>,
    /// CPU time of one computation over Git objects [default: 5]
    #[arg(long, global = true, env = "PLINTH_OBJECT_CPU_SECONDS", value_name = "SECONDS")]
    object_cpu_seconds: u64,
    /// Memory for large objects, diffs and results, for all requests together [default: 167772160]
    #[arg(long, global = true, env = "PLINTH_OBJECT_MEMORY_BYTES_MAX", value_name = "BYTES")]
    object_memory_bytes_max: u64,
    /// Seconds that a server continues after SIGTERM while it reports not ready [default: 5, 0 with --ephemeral]
    #[arg(long, global = true, env = "PLINTH_LAME_DUCK_SECONDS", value_name = "SECONDS")]
    lame_duck_seconds: u64,
    /// Seconds that a stopping server waits for requests in flight [default: 30]
    #[arg(long, global = true, env = "PLINTH_DRAIN_SECONDS", value_name = "SECONDS")]
    drain_seconds: u64,
    /// Size of one push [default: 2147483648]
    #[arg(long, global = true, env = "PLINTH_GIT_PACK_BYTES_MAX", value_name = "BYTES")]
    git_pack_bytes_max: u64,
    /// Size of one pushed object [default: 104857600]
    #[arg(long, global = true, env = "PLINTH_GIT_OBJECT_BYTES_MAX", value_name = "BYTES")]
    git_object_bytes_max: u64,
    /// Size of one fetch request; a clone sends 50 bytes for each ref [default: 134217728]
    #[arg(long, global = true, env = "PLINTH_GIT_REQUEST_BYTES_MAX", value_name = "BYTES")]
    git_request_bytes_max: u64,
    /// Size of one file of a release [default: 67108864]
    #[arg(long, global = true, env = "PLINTH_RELEASE_ASSET_BYTES_MAX", value_name = "BYTES")]
    release_asset_bytes_max: usize,
    /// Timeout of a clone or push [default: 3600]
    #[arg(long, global = true, env = "PLINTH_GIT_SECONDS", value_name = "SECONDS")]
    git_seconds: u64,
    /// Seconds in which at least one byte of a clone or push must be transferred [default: 60]
    #[arg(long, global = true, env = "PLINTH_GIT_IDLE_SECONDS", value_name = "SECONDS")]
    git_idle_seconds: u64,
    /// Concurrent clones and pushes [default: 16]
    #[arg(long, global = true, env = "PLINTH_GIT_PROCESSES_MAX", value_name = "COUNT")]
    git_processes_max: usize,
    /// Concurrent clones and pushes of one caller [default: 4]
    #[arg(long, global = true, env = "PLINTH_GIT_PROCESSES_PER_CALLER_MAX", value_name = "COUNT")]
    git_processes_per_caller_max: usize,
    /// Attempts to deliver a webhook, over about six hours for 7; 0 stores events without sending them [default: 7, 1 with --ephemeral]
    #[arg(long, global = true, env = "PLINTH_WEBHOOK_ATTEMPTS_MAX", value_name = "COUNT")]
    webhook_attempts_max: u32,
    /// Addresses that are not public and to which webhooks are sent: loopback, addresses, or networks such as 10.0.0.0/8 [default: none, loopback with --ephemeral]
    #[arg(long, global = true, env = "PLINTH_WEBHOOK_PRIVATE_TARGETS", value_name = "NETWORK", value_delimiter = ',')]
    webhook_private_targets: Vec<PrivateTarget>,
    /// Days for which webhook deliveries are stored [default: 3]
    #[arg(long, global = true, env = "PLINTH_WEBHOOK_RETENTION_DAYS", value_name = "DAYS")]
    webhook_retention_days: u32,
    /// File with the key that encrypts secrets of hooks; created when it is first needed [default: secrets.key in the data directory]
    #[arg(long, global = true, env = "PLINTH_SECRETS_KEY_FILE", value_name = "FILE")]
    secrets_key_file: PathBuf,
    /// SQLite's `synchronous`: full, normal or off. For measurements and tests only
    #[arg(long, global = true, env = "PLINTH_DEV_SYNCHRONOUS", value_name = "LEVEL", hide = true)]
    dev_synchronous: Synchronous,
}

/// SQLite's `synchronous`, by SQLite's own names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Synchronous {
    Full,
    Normal,
    Off,
}

impl Synchronous {
    pub fn durability(self) -> Durability {
        match self {
            Synchronous::Full => Durability::PowerCut,
            Synchronous::Normal => Durability::ProcessCrash,
            Synchronous::Off => Durability::None,
        }
    }
}

impl Options {
    pub fn listen(&self) -> SocketAddr {
        self.listen.unwrap_or_else(|| LISTEN_DEFAULT.parse().expect("the default is an address"))
    }

    pub fn data(&self) -> &Path {
        self.data.as_deref().unwrap_or(Path::new(DATA_DEFAULT))
    }

    /// The file with the key of secrets.
    pub fn secrets_key_file(&self) -> PathBuf {
        self.secrets_key_file.clone().unwrap_or_else(|| self.data().join(key_file::FILE_NAME))
    }

    pub fn pack_cache_bytes(&self) -> u64 {
        self.pack_cache_bytes.unwrap_or(PACK_CACHE_BYTES_DEFAULT)
    }

    pub fn database_connections(&self) -> usize {
        self.database_connections.unwrap_or(POSTGRES_CONNECTIONS_DEFAULT)
    }

    pub fn log(&self) -> &str {
        self.log.as_deref().unwrap_or(LOG_DEFAULT)
    }
}
