//! Packs that were copied to an object storage before their database was, while a server still used the data directory.
//!
//! No row names them yet: they are found by the hash of their content, which is a part of their keys. Those that the database never
//! gets, because the server has replaced them meanwhile, are deleted as every file without a row.

use std::collections::HashMap;
use std::path::Path;

use super::files::{PACKS, hex, keys_of, new_key};
use plinth_base::error::{Error, Result};
use plinth_store::{Fetch, Fingerprint, ObjectStorage, StoredValue, fingerprint};

/// In a storage that has packs, and no database yet.
const MARKER: &str = "plinth-prepared";

/// Packs in a storage, by the hash of their content. Each is used at most once, since a key belongs to one row.
#[derive(Debug, Default)]
pub struct Prepared {
    by_hash: HashMap<String, Vec<Candidate>>,
}

#[derive(Debug, Clone, Default)]
struct Candidate {
    key: String,
    pack_bytes: Option<u64>,
    index_bytes: Option<u64>,
}

impl Prepared {
    /// Lists what a storage has.
    pub async fn list(storage: &ObjectStorage) -> Result<Self> {
        let mut by_key: HashMap<String, Candidate> = HashMap::new();
        let found = |value: StoredValue| {
            let Some((key, extension)) = value.key.rsplit_once('.') else { return };
            let candidate = by_key.entry(key.to_owned()).or_default();
            candidate.key = key.to_owned();
            match extension {
                "pack" => candidate.pack_bytes = Some(value.bytes),
                "idx" => candidate.index_bytes = Some(value.bytes),
                _ => {}
            }
        };
        storage.list(PACKS, found).await?;
        let mut prepared = Self::default();
        for (key, candidate) in by_key {
            prepared.by_hash.entry(hash_of(&key).to_owned()).or_default().push(candidate);
        }
        Ok(prepared)
    }

    /// Leaves out a key that has a row.
    pub fn forget(&mut self, key: &str) {
        if let Some(candidates) = self.by_hash.get_mut(hash_of(key)) {
            candidates.retain(|candidate| candidate.key != key);
        }
    }

    /// The key of a pack with this content. The index was stored last, so a pack that has one is complete.
    pub(super) fn take(&mut self, pack: &Fingerprint, index: &Fingerprint) -> Option<String> {
        let candidates = self.by_hash.get_mut(&hex(&pack.sha256))?;
        let is_equal = |candidate: &Candidate| {
            candidate.pack_bytes == Some(pack.bytes) && candidate.index_bytes == Some(index.bytes)
        };
        let position = candidates.iter().position(is_equal)?;
        Some(candidates.swap_remove(position).key)
    }
}

/// The hash in a key.
fn hash_of(key: &str) -> &str {
    key.rsplit('/').next().and_then(|name| name.split('-').next()).unwrap_or_default()
}

/// Marks a storage as one that gets packs before their database. It belongs to no database.
pub async fn begin(storage: &ObjectStorage) -> Result<Prepared> {
    let url = storage.url();
    let prepared = Prepared::list(storage).await?;
    if !is_marked(storage).await? {
        if !prepared.by_hash.is_empty() {
            return Err(Error::Conflict(format!("{url} contains packs that were not prepared")));
        }
        storage.put(MARKER, b"by plinth move --prepare".to_vec()).await?;
    }
    Ok(prepared)
}

/// Whether packs were copied to a storage before their database.
pub async fn is_marked(storage: &ObjectStorage) -> Result<bool> {
    Ok(storage.get(MARKER).await?.is_some())
}

/// The storage has its database.
pub async fn end(storage: &ObjectStorage) -> Result<()> {
    storage.delete(MARKER).await
}

/// What became of a pack that was to be prepared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preparation {
    Copied,
    /// An earlier run has copied it.
    Present,
    /// The server has replaced it meanwhile.
    Gone,
}

/// Stores the pack of an index unless it is there, and reads it back into `temporary`.
pub async fn prepare(
    storage: &ObjectStorage,
    prepared: &mut Prepared,
    index: &Path,
    temporary: &Path,
) -> Result<Preparation> {
    let pack = index.with_extension("pack");
    let (Some(pack_print), Some(index_print)) = (print_of(&pack)?, print_of(index)?) else {
        return Ok(Preparation::Gone);
    };
    if prepared.take(&pack_print, &index_print).is_some() {
        return Ok(Preparation::Present);
    }
    let [pack_key, index_key] = keys_of(&new_key(&pack_print)?);
    for (key, file, expected) in [(pack_key, pack.as_path(), pack_print), (index_key, index, index_print)] {
        match storage.put_file(&key, file).await {
            Err(_) if !file.exists() => return Ok(Preparation::Gone),
            stored => stored?,
        }
        if storage.fetch(&key, &expected, temporary).await? != Fetch::Done {
            storage.delete(&key).await?;
            return Err(Error::Unavailable(format!("{key} in {} is damaged", storage.url())));
        }
    }
    Ok(Preparation::Copied)
}

/// Nothing if the file does not exist any more.
fn print_of(file: &Path) -> Result<Option<Fingerprint>> {
    match fingerprint(file) {
        Err(_) if !file.exists() => Ok(None),
        print => Ok(Some(print?)),
    }
}
