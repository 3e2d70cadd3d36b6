//! Settings from three places: flags over environment over a file.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde::Deserialize;

use super::instance::DataLock;
use super::permissions;
use super::validation::check_public_url;
use plinth_api::settings::{GitSettings, Network, Settings};
use plinth_base::error::{Error, Result};
use plinth_core::StoreCaches;
use plinth_git::{Repositories, create_directories};
use plinth_store::{Durability, Location, Schema, Store};

const LISTEN_DEFAULT: &str = "127.0.0.1:8080";
const DATA_DEFAULT: &str = "data";
const DATABASE_FILE: &str = "plinth.db";
const POSTGRES_CONNECTIONS_DEFAULT: usize = 16;

/// Where the settings file is.
#[derive(Debug, Args)]
pub struct ConfigFile {
    /// A TOML file with settings; flags and environment count more
    #[arg(long, global = true, env = "PLINTH_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
}

impl ConfigFile {
    pub fn read(&self) -> Result<Options> {
        let Some(path) = &self.config else { return Ok(Options::default()) };
        let complain = |error: &dyn std::fmt::Display| Error::BadRequest(format!("{}: {error}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| complain(&error))?;
        toml::from_str(&text).map_err(|error| complain(&error))
    }
}

macro_rules! options {
    ($($(#[$attribute:meta])* $name:ident: $type:ty),* $(,)?) => {
        /// Every setting, each from the first place that has it.
        #[derive(Debug, Clone, Default, Args, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct Options {
            $($(#[$attribute])* pub $name: Option<$type>),*
        }

        impl Options {
            /// These settings, completed by `other`.
            pub fn over(self, other: Options) -> Options {
                Options { $($name: self.$name.or(other.$name)),* }
            }
        }
    };
}

options! {
    /// The address to listen on; port 0 picks a free one [default: 127.0.0.1:8080]
    #[arg(long, global = true, env = "PLINTH_LISTEN", value_name = "ADDRESS")]
    listen: SocketAddr,
    /// The folder for everything: SQLite, unless there is a database, and Git repositories [default: data]
    #[arg(long, global = true, env = "PLINTH_DATA", value_name = "FOLDER")]
    data: PathBuf,
    /// A PostgreSQL database instead of SQLite, such as postgres://user@host/name
    #[arg(long, global = true, env = "PLINTH_DATABASE", value_name = "URL", hide_env_values = true)]
    database: String,
    /// Connections to PostgreSQL [default: 16]
    #[arg(long, global = true, env = "PLINTH_DATABASE_CONNECTIONS", value_name = "COUNT")]
    database_connections: usize,
    /// The address that people use, where it differs from what requests say
    #[arg(long, global = true, env = "PLINTH_PUBLIC_URL", value_name = "URL")]
    public_url: String,
    /// Proxies whose X-Forwarded headers are believed: addresses, or networks such as 10.0.0.0/8
    #[arg(long, global = true, env = "PLINTH_TRUSTED_PROXIES", value_name = "NETWORK", value_delimiter = ',')]
    trusted_proxies: Vec<Network>,
    /// A second address for Prometheus metrics
    #[arg(long, global = true, env = "PLINTH_METRICS_LISTEN", value_name = "ADDRESS")]
    metrics_listen: SocketAddr,
    /// How logs are written: text or json [default: text]
    #[arg(long, global = true, env = "PLINTH_LOG_FORMAT", value_name = "FORMAT")]
    log_format: super::logging::Format,
    /// What is logged, such as info or plinth::request=debug [default: info]
    #[arg(long, global = true, env = "PLINTH_LOG", value_name = "FILTER")]
    log: String,
    /// Whether budgets are enforced [default: true, false with --ephemeral]
    #[arg(long, global = true, env = "PLINTH_LIMITS", value_name = "BOOL")]
    limits: bool,
    /// Requests an hour for each user or installation [default: 5000]
    #[arg(long, global = true, env = "PLINTH_REQUESTS_PER_HOUR", value_name = "COUNT")]
    requests_per_hour: i64,
    /// Requests an hour for each address without a credential [default: 60]
    #[arg(long, global = true, env = "PLINTH_ANONYMOUS_REQUESTS_PER_HOUR", value_name = "COUNT")]
    anonymous_requests_per_hour: i64,
    /// Comments and the like a minute for each user [default: 80]
    #[arg(long, global = true, env = "PLINTH_CONTENT_PER_MINUTE", value_name = "COUNT")]
    content_per_minute: i64,
    /// Comments and the like an hour for each user [default: 500]
    #[arg(long, global = true, env = "PLINTH_CONTENT_PER_HOUR", value_name = "COUNT")]
    content_per_hour: i64,
    /// Seconds until a request is given up [default: 10]
    #[arg(long, global = true, env = "PLINTH_REQUEST_SECONDS", value_name = "SECONDS")]
    request_seconds: u64,
    /// Requests answered at once [default: 1024]
    #[arg(long, global = true, env = "PLINTH_REQUESTS_MAX", value_name = "COUNT")]
    requests_max: usize,
    /// Open connections [default: 4096]
    #[arg(long, global = true, env = "PLINTH_CONNECTIONS_MAX", value_name = "COUNT")]
    connections_max: usize,
    /// Requests of one caller answered at once [default: 256]
    #[arg(long, global = true, env = "PLINTH_REQUESTS_PER_CALLER_MAX", value_name = "COUNT")]
    requests_per_caller_max: usize,
    /// Open connections of one peer that is no trusted proxy [default: 1024]
    #[arg(long, global = true, env = "PLINTH_CONNECTIONS_PER_PEER_MAX", value_name = "COUNT")]
    connections_per_peer_max: usize,
    /// Seconds that a connection may be without a request [default: 75]
    #[arg(long, global = true, env = "PLINTH_KEEP_ALIVE_SECONDS", value_name = "SECONDS")]
    keep_alive_seconds: u64,
    /// Seconds in which a client must take some of its response [default: 60]
    #[arg(long, global = true, env = "PLINTH_WRITE_SECONDS", value_name = "SECONDS")]
    write_seconds: u64,
    /// Bytes of memory for large responses that are being sent [default: 134217728]
    #[arg(long, global = true, env = "PLINTH_RESPONSE_BYTES_MAX", value_name = "BYTES")]
    response_bytes_max: usize,
    /// Bytes of memory for answers that still hold; 0 keeps none [default: 33554432]
    #[arg(long, global = true, env = "PLINTH_RESPONSE_CACHE_BYTES", value_name = "BYTES")]
    response_cache_bytes: usize,
    /// Whether anything from the store is cached; false to measure what the caches are worth [default: true]
    #[arg(long, global = true, env = "PLINTH_CACHES", value_name = "BOOL", hide = true)]
    caches: bool,
    /// Seconds of CPU time that one computation over Git objects may take [default: 5]
    #[arg(long, global = true, env = "PLINTH_OBJECT_CPU_SECONDS", value_name = "SECONDS")]
    object_cpu_seconds: u64,
    /// Memory for large objects, differences and results, over all requests [default: 167772160]
    #[arg(long, global = true, env = "PLINTH_OBJECT_MEMORY_BYTES_MAX", value_name = "BYTES")]
    object_memory_bytes_max: u64,
    /// Seconds that a server goes on after SIGTERM while it is not ready [default: 5, 0 with --ephemeral]
    #[arg(long, global = true, env = "PLINTH_LAME_DUCK_SECONDS", value_name = "SECONDS")]
    lame_duck_seconds: u64,
    /// Seconds that a stopping server waits for requests under way [default: 30]
    #[arg(long, global = true, env = "PLINTH_DRAIN_SECONDS", value_name = "SECONDS")]
    drain_seconds: u64,
    /// Bytes in one pushed pack [default: 2147483648]
    #[arg(long, global = true, env = "PLINTH_GIT_PACK_BYTES_MAX", value_name = "BYTES")]
    git_pack_bytes_max: u64,
    /// Bytes in one pushed object [default: 104857600]
    #[arg(long, global = true, env = "PLINTH_GIT_OBJECT_BYTES_MAX", value_name = "BYTES")]
    git_object_bytes_max: u64,
    /// Bytes in one request for a pack, of which each wanted reference takes 50 [default: 134217728]
    #[arg(long, global = true, env = "PLINTH_GIT_REQUEST_BYTES_MAX", value_name = "BYTES")]
    git_request_bytes_max: u64,
    /// Seconds that one clone or push may take [default: 3600]
    #[arg(long, global = true, env = "PLINTH_GIT_SECONDS", value_name = "SECONDS")]
    git_seconds: u64,
    /// Seconds in which some byte of a clone or push must move [default: 60]
    #[arg(long, global = true, env = "PLINTH_GIT_IDLE_SECONDS", value_name = "SECONDS")]
    git_idle_seconds: u64,
    /// Clones and pushes at once [default: 16]
    #[arg(long, global = true, env = "PLINTH_GIT_PROCESSES_MAX", value_name = "COUNT")]
    git_processes_max: usize,
    /// Clones and pushes of one caller at once [default: 4]
    #[arg(long, global = true, env = "PLINTH_GIT_PROCESSES_PER_CALLER_MAX", value_name = "COUNT")]
    git_processes_per_caller_max: usize,
    /// How far SQLite syncs: full, normal or off. For measuring and for tests, never where data matters
    #[arg(long, global = true, env = "PLINTH_DEV_SYNCHRONOUS", value_name = "LEVEL", hide = true)]
    dev_synchronous: Synchronous,
}

/// How far SQLite syncs, in SQLite's own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Synchronous {
    Full,
    Normal,
    Off,
}

impl Synchronous {
    fn durability(self) -> Durability {
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

    pub fn database_connections(&self) -> usize {
        self.database_connections.unwrap_or(POSTGRES_CONNECTIONS_DEFAULT)
    }

    /// Where the store is, with the directory made where it is ours to make.
    pub fn location(&self, durability: Durability) -> Result<Location> {
        if self.database.is_none() {
            let data = self.data();
            create_directories(data)
                .map_err(|error| Error::BadRequest(format!("the data directory {}: {error}", data.display())))?;
            permissions::tighten(data);
        }
        Ok(self.location_with(durability))
    }

    /// Where the store is, if there is one; nothing is made.
    pub fn existing_location(&self) -> Location {
        self.location_with(Durability::PowerCut)
    }

    fn location_with(&self, durability: Durability) -> Location {
        match &self.database {
            Some(url) => Location::Postgres { url: url.clone(), connections_max: self.database_connections() },
            None => {
                let durability = self.dev_synchronous.map_or(durability, Synchronous::durability);
                Location::Sqlite { file: self.database_file(), durability }
            }
        }
    }

    /// The file of an embedded store.
    pub fn database_file(&self) -> PathBuf {
        self.data().join(DATABASE_FILE)
    }

    /// For commands, which may run beside a server: only the owner of the data makes a store or changes its schema.
    pub async fn open_store(&self) -> Result<Store> {
        let location = self.location(Durability::PowerCut)?;
        if matches!(Store::schema(&location).await?, Schema::Current | Schema::Newer(_)) {
            return Store::open(&location).await;
        }
        let lock = DataLock::take(self.data(), self.node()?)?;
        drop(Store::open_as(&location, lock.node()).await?);
        Store::open(&location).await
    }

    /// The directory of Git repositories, which stays on this machine's disk with either engine.
    pub async fn open_repositories(&self, store: &Store) -> Result<Repositories> {
        store.check_node(|| self.node()).await?;
        let open = |error| Error::BadRequest(format!("the data directory {}: {error}", self.data().display()));
        let repositories = Repositories::at(self.data()).map_err(open)?;
        permissions::tighten(self.data());
        Ok(repositories)
    }

    /// The settings of the service, with the defaults where nothing was said.
    pub fn settings(&self) -> Result<Settings> {
        self.check_values()?;
        let mut settings = Settings::default();
        if let Some(url) = &self.public_url {
            settings.public_url = Some(check_public_url(url)?);
        }
        let set = |target: &mut i64, value: Option<i64>| *target = value.unwrap_or(*target);
        let budgets = &mut settings.rate_limits;
        budgets.enforced = self.limits.unwrap_or(budgets.enforced);
        set(&mut budgets.requests_per_hour, self.requests_per_hour);
        set(&mut budgets.anonymous_requests_per_hour, self.anonymous_requests_per_hour);
        set(&mut budgets.content_per_minute, self.content_per_minute);
        set(&mut budgets.content_per_hour, self.content_per_hour);
        settings.trusted_proxies = self.trusted_proxies.clone().unwrap_or_default();
        settings.requests_max = self.requests_max.unwrap_or(settings.requests_max);
        settings.connections_max = self.connections_max.unwrap_or(settings.connections_max);
        self.set_connections(&mut settings);
        settings.response_cache_bytes = self.response_cache_bytes.unwrap_or(settings.response_cache_bytes);
        if self.caches == Some(false) {
            settings.store_caches = StoreCaches::Off;
        }
        settings.request_timeout = self.request_seconds.map_or(settings.request_timeout, Duration::from_secs);
        settings.drain_timeout = self.drain_seconds.map_or(settings.drain_timeout, Duration::from_secs);
        let objects = &mut settings.objects;
        objects.cpu_time = self.object_cpu_seconds.map_or(objects.cpu_time, Duration::from_secs);
        objects.memory_bytes_max = self.object_memory_bytes_max.unwrap_or(objects.memory_bytes_max);
        self.set_git(&mut settings.git);
        Ok(settings)
    }

    fn set_connections(&self, settings: &mut Settings) {
        let seconds = |target: &mut Duration, value: Option<u64>| *target = value.map_or(*target, Duration::from_secs);
        let count = |target: &mut usize, value: Option<usize>| *target = value.unwrap_or(*target);
        count(&mut settings.requests_per_caller_max, self.requests_per_caller_max);
        count(&mut settings.connections_per_peer_max, self.connections_per_peer_max);
        count(&mut settings.response_bytes_max, self.response_bytes_max);
        seconds(&mut settings.keep_alive_timeout, self.keep_alive_seconds);
        seconds(&mut settings.write_timeout, self.write_seconds);
        seconds(&mut settings.lame_duck, self.lame_duck_seconds);
    }

    fn set_git(&self, git: &mut GitSettings) {
        git.pack_size_max = self.git_pack_bytes_max.unwrap_or(git.pack_size_max);
        git.object_size_max = self.git_object_bytes_max.unwrap_or(git.object_size_max);
        git.request_size_max = self.git_request_bytes_max.unwrap_or(git.request_size_max);
        git.timeout = self.git_seconds.map_or(git.timeout, Duration::from_secs);
        git.idle_timeout = self.git_idle_seconds.map_or(git.idle_timeout, Duration::from_secs);
        git.processes_max = self.git_processes_max.unwrap_or(git.processes_max);
        git.processes_per_caller_max = self.git_processes_per_caller_max.unwrap_or(git.processes_per_caller_max);
    }
}
