//! The URL of an object storage, and the back end that it names.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::local::LocalFileSystem;
use object_store::path::Path as Key;
use object_store::{BackoffConfig, ClientConfigKey, ObjectStore, RetryConfig};

use plinth_base::error::{Error, Result};

/// Attempts of one request and the time for all of them: a request of a client waits for them.
const RETRIES_MAX: usize = 4;
const RETRY_TIME_MAX: Duration = Duration::from_secs(8);
const BACKOFF_MIN: Duration = Duration::from_millis(100);
const BACKOFF_MAX: Duration = Duration::from_secs(1);

/// A silent server is given up after the second of these times, in which a part of a file must have been sent. A whole transfer
/// may take longer.
///
/// A connection that has gone silent while nobody used it, as behind a firewall, would take that time from each request that
/// gets it. So connections are not kept for long.
const CLIENT_OPTIONS: [(ClientConfigKey, &str); 4] = [
    (ClientConfigKey::PoolIdleTimeout, "2 seconds"),
    (ClientConfigKey::ConnectTimeout, "2 seconds"),
    (ClientConfigKey::ReadTimeout, "10 seconds"),
    (ClientConfigKey::Timeout, "10 minutes"),
];

/// The back end, and the prefix of all keys in it.
pub type Backend = (Arc<dyn ObjectStore>, Key);

/// Opens the back end of a URL. Credentials come from the environment, from the variables that the back end's own tools
/// read.
pub fn open(url: &str) -> Result<Backend> {
    let unreadable = |why: &dyn std::fmt::Display| Error::BadRequest(format!("objects = {url:?}: {why}"));
    let (scheme, rest) = url.split_once("://").ok_or_else(|| unreadable(&FORMS))?;
    if scheme == "file" {
        return open_directory(Path::new(rest)).map_err(|error| unreadable(&error));
    }
    let (bucket, path) = rest.split_once('/').unwrap_or((rest, ""));
    if bucket.is_empty() {
        return Err(unreadable(&FORMS));
    }
    let prefix = Key::parse(path.trim_matches('/')).map_err(|error| unreadable(&error))?;
    let base = format!("{scheme}://{bucket}");
    let store = match scheme {
        "s3" | "s3a" => open_s3(&base),
        "gs" => open_google(&base),
        "az" | "azure" | "abfs" | "abfss" => open_azure(&base),
        _ => return Err(unreadable(&FORMS)),
    };
    Ok((store.map_err(|error| unreadable(&error))?, prefix))
}

const FORMS: &str = "use s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, az://CONTAINER/PREFIX or file:///DIRECTORY";

fn open_directory(directory: &Path) -> std::io::Result<Backend> {
    if !directory.is_absolute() {
        return Err(std::io::Error::other("the path of a directory must be absolute"));
    }
    std::fs::create_dir_all(directory)?;
    let store = LocalFileSystem::new_with_prefix(directory).map_err(std::io::Error::other)?;
    Ok((Arc::new(store.with_fsync(true).with_automatic_cleanup(true)), Key::default()))
}

fn open_s3(url: &str) -> object_store::Result<Arc<dyn ObjectStore>> {
    let builder = AmazonS3Builder::from_env().with_url(url).with_retry(retries());
    let set = |builder: AmazonS3Builder, (key, value)| builder.with_config(AmazonS3ConfigKey::Client(key), value);
    Ok(Arc::new(CLIENT_OPTIONS.into_iter().fold(builder, set).build()?))
}

fn open_google(url: &str) -> object_store::Result<Arc<dyn ObjectStore>> {
    let builder = GoogleCloudStorageBuilder::from_env().with_url(url).with_retry(retries());
    let set =
        |builder: GoogleCloudStorageBuilder, (key, value)| builder.with_config(GoogleConfigKey::Client(key), value);
    Ok(Arc::new(CLIENT_OPTIONS.into_iter().fold(builder, set).build()?))
}

fn open_azure(url: &str) -> object_store::Result<Arc<dyn ObjectStore>> {
    let builder = MicrosoftAzureBuilder::from_env().with_url(url).with_retry(retries());
    let set = |builder: MicrosoftAzureBuilder, (key, value)| builder.with_config(AzureConfigKey::Client(key), value);
    Ok(Arc::new(CLIENT_OPTIONS.into_iter().fold(builder, set).build()?))
}

/// Throttled and failed requests are repeated after pauses that grow and differ at random.
fn retries() -> RetryConfig {
    let backoff = BackoffConfig { init_backoff: BACKOFF_MIN, max_backoff: BACKOFF_MAX, base: 2.0 };
    RetryConfig { backoff, max_retries: RETRIES_MAX, retry_timeout: RETRY_TIME_MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_urls_are_rejected_with_the_accepted_forms() {
        for url in ["bucket/prefix", "http://host/bucket", "s3://", "file://relative"] {
            let Err(error) = open(url) else { panic!("{url} is accepted") };
            let text = error.to_string();
            assert!(text.contains(url) && (text.contains("s3://BUCKET") || text.contains("absolute")), "{text}");
        }
    }

    #[test]
    fn prefix_is_the_path_of_the_url() {
        let (_, prefix) = open("s3://bucket/a/b/").expect("a good URL");
        assert_eq!(prefix.as_ref(), "a/b");
    }
}
