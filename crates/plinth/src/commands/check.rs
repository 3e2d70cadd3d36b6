//! `plinth check`: checks the settings, the `git` program and the store. Creates nothing.

use std::io::Write;
use std::path::Path;

use super::check_objects;
use crate::backup::missing_objects;
use crate::config::Options;
use crate::data_directory::running_on;
use plinth_base::error::{Error, Result};
use plinth_core::webhooks;
use plinth_core::webhooks::key_file::KeyFile;
use plinth_core::webhooks::secret::open;
use plinth_git as git;
use plinth_git::Repositories;
use plinth_store::{Location, Schema, Store, check_sessions};

pub async fn run(options: &Options, print: bool, out: &mut (dyn Write + Send)) -> Result<()> {
    let settings = options.settings()?;
    git::check_program()?;
    if print {
        writeln!(out, "data = {:?}", options.data().display().to_string())?;
        if let Some(url) = &options.database {
            writeln!(out, "database = {:?}", masked(url))?;
            writeln!(out, "database_connections = {}", options.database_connections())?;
        }
        if let Some(url) = &options.objects {
            writeln!(out, "objects = {url:?}")?;
            writeln!(out, "pack_cache_bytes = {}", options.pack_cache_bytes())?;
        }
        writeln!(out, "listen = {:?}", options.listen().to_string())?;
        if let Some(url) = &settings.public_url {
            writeln!(out, "public_url = {url:?}")?;
        }
        if let Some(address) = options.metrics_listen {
            writeln!(out, "metrics_listen = {:?}", address.to_string())?;
        }
        let proxies: Vec<String> = settings.trusted_proxies.iter().map(ToString::to_string).collect();
        writeln!(out, "trusted_proxies = {proxies:?}")?;
        writeln!(out, "limits = {}", settings.rate_limits.enforced)?;
        writeln!(out, "requests_per_hour = {}", settings.rate_limits.requests_per_hour)?;
        writeln!(out, "anonymous_requests_per_hour = {}", settings.rate_limits.anonymous_requests_per_hour)?;
        writeln!(out, "content_per_minute = {}", settings.rate_limits.content_per_minute)?;
        writeln!(out, "content_per_hour = {}", settings.rate_limits.content_per_hour)?;
        writeln!(out, "request_seconds = {}", settings.request_timeout.as_secs())?;
        writeln!(out, "requests_max = {}", settings.requests_max)?;
        writeln!(out, "requests_per_caller_max = {}", settings.requests_per_caller_max)?;
        writeln!(out, "connections_max = {}", settings.connections_max)?;
        writeln!(out, "connections_per_peer_max = {}", settings.connections_per_peer_max)?;
        writeln!(out, "keep_alive_seconds = {}", settings.keep_alive_timeout.as_secs())?;
        writeln!(out, "write_seconds = {}", settings.write_timeout.as_secs())?;
        writeln!(out, "response_bytes_max = {}", settings.response_bytes_max)?;
        writeln!(out, "compression = {}", settings.compression)?;
        writeln!(out, "response_cache_bytes = {}", settings.response_cache_bytes)?;
        writeln!(out, "object_cpu_seconds = {}", settings.objects.cpu_time.as_secs())?;
        writeln!(out, "object_memory_bytes_max = {}", settings.objects.memory_bytes_max)?;
        writeln!(out, "lame_duck_seconds = {}", settings.lame_duck.as_secs())?;
        writeln!(out, "drain_seconds = {}", settings.drain_timeout.as_secs())?;
        writeln!(out, "git_pack_bytes_max = {}", settings.git.pack_size_max)?;
        writeln!(out, "git_object_bytes_max = {}", settings.git.object_size_max)?;
        writeln!(out, "release_asset_bytes_max = {}", settings.release_asset_bytes_max)?;
        writeln!(out, "git_request_bytes_max = {}", settings.git.request_size_max)?;
        writeln!(out, "git_seconds = {}", settings.git.timeout.as_secs())?;
        writeln!(out, "git_idle_seconds = {}", settings.git.idle_timeout.as_secs())?;
        writeln!(out, "git_processes_max = {}", settings.git.processes_max)?;
        writeln!(out, "git_processes_per_caller_max = {}", settings.git.processes_per_caller_max)?;
        let deliveries = options.delivery_settings();
        let targets: Vec<String> = deliveries.allowed.private_targets.iter().map(ToString::to_string).collect();
        writeln!(out, "webhook_attempts_max = {}", deliveries.attempts_max)?;
        writeln!(out, "webhook_private_targets = {targets:?}")?;
        writeln!(out, "webhook_retention_days = {}", deliveries.retention.as_secs() / (24 * 60 * 60))?;
        writeln!(out, "secrets_key_file = {:?}", options.secrets_key_file().display().to_string())?;
        writeln!(out, "log = {:?}", options.log())?;
        writeln!(out, "log_format = {:?}", options.log_format.unwrap_or_default().as_str())?;
    }
    check_data_directory(options.data())?;
    let git = git::program_version()?;
    let location = options.existing_location();
    check_sessions(&location).await?;
    let found = match Store::schema(&location).await? {
        Schema::Absent => "there is no store yet: the first start creates it".to_owned(),
        Schema::Older(version) => format!("the store has schema version {version}: the next start migrates it"),
        Schema::Current => check_store(options, &location).await?,
        Schema::Newer(version) => {
            return Err(Error::Conflict(format!("the store has schema version {version}: use a newer plinth")));
        }
    };
    writeln!(out, "# the settings are valid, {git} is installed, and {found}")?;
    if let Some(node) = running_on(options.data())? {
        writeln!(out, "# in use by {node}")?;
    }
    Ok(())
}

async fn check_store(options: &Options, location: &Location) -> Result<String> {
    let store = Store::open(location).await?;
    store.check().await?;
    match options.object_storage()? {
        Some(storage) => check_objects::check(&store, &storage).await?,
        None => check_repositories(&store, options.data()).await?,
    }
    check_secrets_key(&store, KeyFile::new(options.secrets_key_file())).await?;
    Ok(format!("the {} store responds", store.engine_name()))
}

/// Checks that the key of stored secrets is there: without it, deliveries to their hooks fail.
async fn check_secrets_key(store: &Store, keys: KeyFile) -> Result<()> {
    let Some(hook) = webhooks::store::find_any_with_secret(&mut store.read().await?).await? else { return Ok(()) };
    let Some(sealed) = &hook.secret else { return Ok(()) };
    let (path, advice) = (keys.path().display(), "deliveries to hooks with secrets fail; see docs/webhooks.md");
    match keys.read()? {
        None => {
            Err(Error::Conflict(format!("the file {path} with the key of the stored secrets does not exist: {advice}")))
        }
        Some(key) => open(&key, hook.owner, sealed)
            .map(drop)
            .map_err(|_| Error::Conflict(format!("{path} is not the key of the stored secrets: {advice}"))),
    }
}

/// Checks that every repository directory is complete, and that every object that the database names exists.
async fn check_repositories(store: &Store, data: &Path) -> Result<()> {
    let mut damage = match Repositories::existing(data)? {
        Some(repositories) => {
            repositories.missing_parts()?.iter().map(|path| format!("{} is missing", path.display())).collect()
        }
        None => Vec::new(),
    };
    damage.extend(missing_objects(&mut store.read().await?, &data.join("repositories")).await?);
    if damage.is_empty() {
        return Ok(());
    }
    Err(Error::Conflict(format!("repositories are damaged; see plinth verify:\n{}", damage.join("\n"))))
}

/// Checks that the directory, or its nearest existing ancestor, is writable. Leaves nothing there.
fn check_data_directory(data: &Path) -> Result<()> {
    let absolute = std::path::absolute(data)?;
    let existing = absolute.ancestors().find(|path| path.exists()).unwrap_or(&absolute);
    let not_writable =
        |error: std::io::Error| Error::BadRequest(format!("{} cannot be written to: {error}", existing.display()));
    let mut file = tempfile::NamedTempFile::new_in(existing).map_err(not_writable)?;
    file.write_all(b"plinth").and_then(|()| file.as_file().sync_all()).map_err(not_writable)
}

/// The URL of a database without its password.
fn masked(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return "***".into() };
    // A parameter may be a password too.
    let without_parameters = |text: &str| text.split('?').next().unwrap_or_default().to_owned();
    match rest.rsplit_once('@') {
        Some((user, host)) => {
            let user = user.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}:***@{}", without_parameters(host))
        }
        None => format!("{scheme}://{}", without_parameters(rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::masked;

    #[test]
    fn masked_url_has_no_password() {
        assert_eq!(masked("postgres://me:p@ss@host:5432/name"), "postgres://me:***@host:5432/name");
        assert_eq!(masked("postgres://host/name?password=secret"), "postgres://host/name");
        assert_eq!(masked("postgres://me@a,b/name?password=secret"), "postgres://me:***@a,b/name");
        assert_eq!(masked("host=a password=b"), "***");
    }
}
