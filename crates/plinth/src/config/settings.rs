//! The settings of the service, from the options.

use std::time::Duration;

use super::options::Options;
use super::validation::check_public_url;
use plinth_api::settings::{GitSettings, Settings};
use plinth_base::error::Result;
use plinth_core::DisabledCaches;
use plinth_webhooks::DeliverySettings;
use plinth_webhooks::address::AllowedAddresses;

const WEBHOOK_ATTEMPTS_DEFAULT: u32 = 7;
const WEBHOOK_RETENTION_DAYS_DEFAULT: u32 = 3;
const DAY_SECONDS: u64 = 24 * 60 * 60;

impl Options {
    /// The settings of the service, with defaults for everything that is not set.
    pub fn settings(&self) -> Result<Settings> {
        self.check_values()?;
        let mut settings = Settings::default();
        if let Some(url) = &self.public_url {
            settings.public_url = Some(check_public_url(url)?);
        }
        let set = |target: &mut i64, value: Option<i64>| *target = value.unwrap_or(*target);
        let rate_limits = &mut settings.rate_limits;
        rate_limits.enforced = self.limits.unwrap_or(rate_limits.enforced);
        set(&mut rate_limits.requests_per_hour, self.requests_per_hour);
        set(&mut rate_limits.anonymous_requests_per_hour, self.anonymous_requests_per_hour);
        set(&mut rate_limits.content_per_minute, self.content_per_minute);
        set(&mut rate_limits.content_per_hour, self.content_per_hour);
        settings.trusted_proxies = self.trusted_proxies.clone().unwrap_or_default();
        settings.requests_max = self.requests_max.unwrap_or(settings.requests_max);
        settings.connections_max = self.connections_max.unwrap_or(settings.connections_max);
        self.set_connections(&mut settings);
        settings.compression = self.compression.unwrap_or(settings.compression);
        settings.response_cache_bytes = self.response_cache_bytes.unwrap_or(settings.response_cache_bytes);
        settings.disabled_caches = self.parse_disabled_caches()?;
        settings.request_timeout = self.request_seconds.map_or(settings.request_timeout, Duration::from_secs);
        settings.drain_timeout = self.drain_seconds.map_or(settings.drain_timeout, Duration::from_secs);
        let objects = &mut settings.objects;
        objects.cpu_time = self.object_cpu_seconds.map_or(objects.cpu_time, Duration::from_secs);
        objects.memory_bytes_max = self.object_memory_bytes_max.unwrap_or(objects.memory_bytes_max);
        settings.release_asset_bytes_max = self.release_asset_bytes_max.unwrap_or(settings.release_asset_bytes_max);
        self.set_git(&mut settings.git);
        settings.secrets_key_file.clone_from(&self.secrets_key_file);
        Ok(settings)
    }

    /// The settings of webhook deliveries.
    pub fn delivery_settings(&self) -> DeliverySettings {
        let days = self.webhook_retention_days.unwrap_or(WEBHOOK_RETENTION_DAYS_DEFAULT);
        DeliverySettings {
            attempts_max: self.webhook_attempts_max.unwrap_or(WEBHOOK_ATTEMPTS_DEFAULT).into(),
            retention: Duration::from_secs(u64::from(days) * DAY_SECONDS),
            allowed: AllowedAddresses { private_targets: self.webhook_private_targets.clone().unwrap_or_default() },
        }
    }

    fn parse_disabled_caches(&self) -> Result<DisabledCaches> {
        let names = self.disabled_caches.iter().flatten();
        Ok(DisabledCaches(names.map(|name| name.parse()).collect::<Result<_>>()?))
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
