//! Object storage: large immutable values that all nodes share, in S3 or the like, under keys that are never used twice.

mod breaker;
mod location;

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use aws_lc_rs::digest;
use futures_util::StreamExt;
use object_store::path::Path as Key;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload, WriteMultipart};
use tokio::io::AsyncReadExt;

use breaker::Breaker;
use plinth_base::error::{Error, Result};

/// Larger files are sent in parts of this size.
const PART_SIZE: usize = 5 << 20;
/// Parts that are sent at the same time, which bounds the memory of an upload.
const PARTS_IN_FLIGHT: usize = 4;
/// How often a file whose content is wrong is fetched.
const FETCHES_MAX: usize = 3;
/// The time for one transfer: a fixed part, and a second for so many bytes.
const TRANSFER_TIME_MIN: Duration = Duration::from_secs(15);
const BYTES_PER_SECOND_MIN: u64 = 256 * 1024;
/// Values that are read into memory.
const VALUE_BYTES_MAX: u64 = 1 << 20;

/// The size and the SHA-256 of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    pub bytes: u64,
    pub sha256: [u8; 32],
}

/// One stored value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredValue {
    pub key: String,
    pub bytes: u64,
    pub modified: SystemTime,
}

/// What a fetch found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fetch {
    Done,
    /// There is nothing under the key.
    Absent,
    /// The content is not what was stored, however often it is fetched.
    Damaged,
}

/// A handle on an object storage; cheap to clone.
#[derive(Clone)]
pub struct ObjectStorage {
    store: Arc<dyn ObjectStore>,
    prefix: Key,
    url: Arc<str>,
    breaker: Arc<Breaker>,
}

impl std::fmt::Debug for ObjectStorage {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "ObjectStorage({})", self.url)
    }
}

impl ObjectStorage {
    /// Opens what a URL names, such as `s3://bucket/prefix`. Sends no request.
    pub fn open(url: &str) -> Result<Self> {
        let (store, prefix) = location::open(url)?;
        Ok(Self { store, prefix, url: url.into(), breaker: Arc::default() })
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// Fails while requests fail, as far as this process knows. Sends no request.
    pub fn check(&self) -> Result<()> {
        self.breaker.check()
    }

    /// Stores a file durably.
    pub async fn put_file(&self, key: &str, file: &Path) -> Result<()> {
        let size = tokio::fs::metadata(file).await?.len();
        self.run("store", key, time_for(size), self.send_file(key, file, size)).await
    }

    async fn send_file(&self, key: &str, file: &Path, size: u64) -> Result<(), Failure> {
        let mut source = tokio::fs::File::open(file).await?;
        let key = self.key(key);
        if size <= PART_SIZE as u64 {
            let mut content = Vec::with_capacity(PART_SIZE.min(usize::try_from(size).unwrap_or(PART_SIZE)));
            source.read_to_end(&mut content).await?;
            self.store.put(&key, PutPayload::from(content)).await?;
            return Ok(());
        }
        let mut upload = WriteMultipart::new_with_chunk_size(self.store.put_multipart(&key).await?, PART_SIZE);
        let mut buffer = vec![0; 256 * 1024];
        loop {
            let count = source.read(&mut buffer).await?;
            if count == 0 {
                upload.finish().await?;
                return Ok(());
            }
            upload.wait_for_capacity(PARTS_IN_FLIGHT).await?;
            upload.write(&buffer[..count]);
        }
    }

    /// Stores a small value durably.
    pub async fn put(&self, key: &str, value: Vec<u8>) -> Result<()> {
        let sent = async {
            self.store.put(&self.key(key), PutPayload::from(value)).await?;
            Ok(())
        };
        self.run("store", key, TRANSFER_TIME_MIN, sent).await
    }

    /// A small value; `None` if there is nothing under the key.
    pub async fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        let read = async {
            match self.store.get(&self.key(key)).await {
                Err(object_store::Error::NotFound { .. }) => Ok(None),
                Ok(found) if found.meta.size > VALUE_BYTES_MAX => {
                    Err(io::Error::other("the value is too large").into())
                }
                found => Ok(Some(found?.bytes().await?.to_vec())),
            }
        };
        self.run("read", key, TRANSFER_TIME_MIN, read).await
    }

    /// Writes a value to a file, and compares it with what was stored. Unless it is done, the file has anything in it.
    pub async fn fetch(&self, key: &str, expected: &Fingerprint, file: &Path) -> Result<Fetch> {
        for _ in 0..FETCHES_MAX {
            match self.run("fetch", key, time_for(expected.bytes), self.receive(key, expected, file)).await? {
                Fetch::Damaged => tracing::error!(key, "object storage has returned other content than was stored"),
                outcome => return Ok(outcome),
            }
        }
        Ok(Fetch::Damaged)
    }

    async fn receive(&self, key: &str, expected: &Fingerprint, file: &Path) -> Result<Fetch, Failure> {
        let found = match self.store.get(&self.key(key)).await {
            Err(object_store::Error::NotFound { .. }) => return Ok(Fetch::Absent),
            found => found?,
        };
        let mut out = io::BufWriter::new(std::fs::File::create(file)?);
        let mut hasher = digest::Context::new(&digest::SHA256);
        let (mut pieces, mut bytes) = (found.into_stream(), 0);
        while let Some(piece) = pieces.next().await {
            let piece = piece?;
            bytes += piece.len() as u64;
            hasher.update(&piece);
            out.write_all(&piece)?;
            if bytes > expected.bytes {
                return Ok(Fetch::Damaged);
            }
        }
        out.flush()?;
        let is_same = bytes == expected.bytes && hasher.finish().as_ref() == expected.sha256;
        Ok(if is_same { Fetch::Done } else { Fetch::Damaged })
    }

    /// Deletes a value. Idempotent.
    pub async fn delete(&self, key: &str) -> Result<()> {
        let deleted = async {
            match self.store.delete(&self.key(key)).await {
                Err(object_store::Error::NotFound { .. }) => Ok(()),
                deleted => Ok(deleted?),
            }
        };
        self.run("delete", key, TRANSFER_TIME_MIN, deleted).await
    }

    /// Calls `found` with every value whose key begins with a directory.
    pub async fn list(&self, directory: &str, mut found: impl FnMut(StoredValue)) -> Result<()> {
        let prefix = self.key(directory);
        let mut listed = self.store.list(Some(&prefix));
        while let Some(meta) = listed.next().await {
            let meta = meta.map_err(|error| unavailable("list", directory, &error))?;
            let key = meta
                .location
                .prefix_match(&self.prefix)
                .map(|parts| parts.map(|part| part.as_ref().to_owned()).collect::<Vec<_>>().join("/"));
            let modified = SystemTime::from(meta.last_modified);
            found(StoredValue { key: key.unwrap_or_default(), bytes: meta.size, modified });
        }
        Ok(())
    }

    fn key(&self, key: &str) -> Key {
        let below = Key::from(key);
        self.prefix.parts().chain(below.parts()).collect()
    }

    /// Runs a request, unless requests have just failed: then it fails at once.
    async fn run<T>(
        &self,
        what: &str,
        key: &str,
        time: Duration,
        request: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T> {
        self.breaker.check()?;
        let outcome = match tokio::time::timeout(time, request).await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(Failure::Disk(error))) => return Err(error.into()),
            Ok(Err(Failure::Storage(error))) => Err(unavailable(what, key, &error)),
            Err(_) => Err(unavailable(what, key, &"it takes too long")),
        };
        self.breaker.note(outcome.as_ref().err());
        outcome
    }
}

/// Why a request failed: the disk of this node, or the storage.
enum Failure {
    Disk(io::Error),
    Storage(object_store::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Disk(error)
    }
}

impl From<object_store::Error> for Failure {
    fn from(error: object_store::Error) -> Self {
        Failure::Storage(error)
    }
}

fn unavailable(what: &str, key: &str, error: &dyn std::fmt::Display) -> Error {
    Error::Unavailable(format!("object storage: cannot {what} {key:?}: {error}"))
}

fn time_for(bytes: u64) -> Duration {
    TRANSFER_TIME_MIN + Duration::from_secs(bytes / BYTES_PER_SECOND_MIN)
}

/// Reads a whole file. Blocks.
pub fn fingerprint(file: &Path) -> Result<Fingerprint> {
    let mut source = std::fs::File::open(file)?;
    let mut hasher = digest::Context::new(&digest::SHA256);
    let (mut buffer, mut bytes) = (vec![0; 256 * 1024], 0);
    loop {
        let count = io::Read::read(&mut source, &mut buffer)?;
        if count == 0 {
            let sha256 = hasher.finish().as_ref().try_into().expect("SHA-256 has 32 bytes");
            return Ok(Fingerprint { bytes, sha256 });
        }
        bytes += count as u64;
        hasher.update(&buffer[..count]);
    }
}
