//! Which object storage belongs to a database: both have the same random name, so that no node uses the wrong one.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::files::{PACKS, hex, unique};
use super::prepared;
use plinth_base::error::{Error, Result};
use plinth_store::{Connection, DbError, ObjectStorage, Store, Transaction, fingerprint, internal_authority, params};

/// The row of `setting` that names the storage, and the value in the storage that is equal.
const SETTING: &str = "objects";
const MARKER: &str = "plinth-storage";
/// The row of `setting` that names a storage to which packs are being copied.
pub const MOVING: &str = "objects_moving";
/// The row of `setting` that names the key of secrets, and where the key is in the storage.
const KEY_SETTING: &str = "secrets_key";
const KEYS: &str = "keys";

internal_authority!(
    /// A database without repositories gets an object storage.
    Claim = "objects/claim-storage"
);

/// The storage of a database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    pub name: String,
    /// As it was given first. The same storage may have other URLs.
    pub url: String,
}

/// The storage that a database has its packs in; `None` if they are in a data directory.
pub async fn find(db: &mut Connection) -> Result<Option<Identity>> {
    let found = find_setting(db, SETTING).await?;
    let parse = |value: Vec<u8>| serde_json::from_slice(&value).map_err(|error| Error::Internal(error.into()));
    found.map(parse).transpose()
}

/// Fails if a storage belongs to a database.
pub async fn check_unclaimed(storage: &ObjectStorage) -> Result<()> {
    match storage.get(MARKER).await? {
        Some(_) => Err(Error::Conflict(format!("{} belongs to a database already", storage.url()))),
        None => Ok(()),
    }
}

/// Fails unless a storage is free for a new database. Changes nothing.
pub async fn check_free(storage: &ObjectStorage) -> Result<()> {
    let url = storage.url();
    if storage.get(MARKER).await?.is_some() {
        return Err(Error::Conflict(format!("{url} belongs to another database")));
    }
    if prepared::is_marked(storage).await? {
        return Err(Error::Conflict(format!(
            "{url} contains packs that were prepared for a move: run plinth move without --prepare first"
        )));
    }
    check_empty(storage).await
}

async fn check_empty(storage: &ObjectStorage) -> Result<()> {
    let mut is_empty = true;
    storage.list(PACKS, |_| is_empty = false).await?;
    if is_empty {
        return Ok(());
    }
    Err(Error::Conflict(format!("{} contains packs, but does not belong to this database", storage.url())))
}

/// Checks that a storage belongs to a database. A database without repositories gets one that is empty.
pub async fn claim(store: &Store, storage: &ObjectStorage) -> Result<()> {
    let mut db = store.read().await?;
    let (known, has_repos) = (find(&mut db).await?, has_repos(&mut db).await?);
    drop(db);
    let marker = match (&known, storage.get(MARKER).await) {
        (Some(_), Err(error)) => {
            tracing::warn!(%error, "object storage does not respond; what needs objects fails until it does");
            return Ok(());
        }
        (_, marker) => marker?.map(|value| String::from_utf8_lossy(&value).into_owned()),
    };
    let url = storage.url();
    let identity = match (known, marker) {
        (Some(known), Some(marker)) if known.name == marker => return Ok(()),
        (Some(known), Some(_)) => {
            return Err(Error::Conflict(format!(
                "{url} belongs to another database; the packs of this one are in {}",
                known.url
            )));
        }
        (None, Some(_)) => return Err(Error::Conflict(format!("{url} belongs to another database"))),
        (Some(known), None) if has_repos => {
            return Err(Error::Conflict(format!(
                "{url} is not the object storage of this database, which is {}",
                known.url
            )));
        }
        (None, None) if has_repos => {
            return Err(Error::Conflict(
                "the packs of this database are in a data directory: copy them with plinth move first".into(),
            ));
        }
        (Some(known), None) => known,
        (None, None) => record(store, Identity { name: unique()?, url: url.to_owned() }).await?,
    };
    check_empty(storage).await?;
    storage.put(MARKER, identity.name.into_bytes()).await
}

/// Fails unless a storage is that of a database. Changes nothing.
pub async fn check(db: &mut Connection, storage: &ObjectStorage) -> Result<()> {
    let known = find(db).await?;
    let known = known.ok_or_else(|| Error::Conflict("the packs of this database are in a data directory".into()))?;
    match storage.get(MARKER).await? {
        Some(marker) if marker == known.name.as_bytes() => Ok(()),
        _ => Err(Error::Conflict(format!(
            "{} is not the object storage of this database, which is {}",
            storage.url(),
            known.url
        ))),
    }
}

/// Records the storage of a database. If several nodes do so, the first wins.
pub async fn record(store: &Store, identity: Identity) -> Result<Identity> {
    let recorded = store.write(Claim, identity, |tx, identity| {
        Box::pin(async move {
            let value = serde_json::to_vec(identity).map_err(|error| Error::Internal(error.into()))?;
            insert_setting(tx, SETTING, &value).await?;
            find(tx).await?.ok_or_else(|| Error::internal("a setting that was just stored is missing"))
        })
    });
    recorded.await
}

/// Prepares an empty storage for the packs of a database that are in a data directory. The database is served with it once
/// [`finish_move`] has recorded it; until then, a second attempt continues.
pub async fn begin_move(store: &Store, storage: &ObjectStorage) -> Result<Identity> {
    let mut db = store.read().await?;
    if let Some(known) = find(&mut db).await? {
        return Err(Error::Conflict(format!("the packs of this database are in {} already", known.url)));
    }
    drop(db);
    let own = unique()?.into_bytes();
    let name = store.write(Claim, own, |tx, own| {
        Box::pin(async move {
            insert_setting(tx, MOVING, own).await?;
            let found = find_setting(tx, MOVING).await?;
            found.ok_or_else(|| Error::internal("a setting that was just stored is missing"))
        })
    });
    let name = String::from_utf8_lossy(&name.await?).into_owned();
    let url = storage.url().to_owned();
    match storage.get(MARKER).await? {
        Some(marker) if marker == name.as_bytes() => {}
        Some(_) => return Err(Error::Conflict(format!("{url} belongs to another database"))),
        None => {
            if !prepared::is_marked(storage).await? {
                check_empty(storage).await?;
            }
            storage.put(MARKER, name.clone().into_bytes()).await?;
        }
    }
    Ok(Identity { name, url })
}

/// Whether packs of a database are being copied to a storage.
pub async fn is_moving(db: &mut Connection) -> Result<bool> {
    Ok(find_setting(db, MOVING).await?.is_some())
}

/// From now on, the database is served with the storage.
pub async fn finish_move(store: &Store, identity: Identity) -> Result<()> {
    record(store, identity).await?;
    let forgotten = store.write(Claim, (), |tx, ()| {
        Box::pin(async move {
            let sql = "delete from setting where name = $1";
            tx.execute(sql, params![MOVING]).await?;
            Ok(())
        })
    });
    forgotten.await
}

/// Makes a restored database one whose packs are in a data directory.
pub async fn detach(store: &Store) -> Result<()> {
    let detached = store.write(Claim, (), |tx, ()| {
        Box::pin(async move {
            tx.execute("delete from pack", &[]).await?;
            tx.execute("delete from removed_pack", &[]).await?;
            for name in [SETTING, KEY_SETTING, MOVING] {
                tx.execute("delete from setting where name = $1", params![name]).await?;
            }
            Ok(())
        })
    });
    detached.await
}

/// Gives the file with the key of secrets the content that all nodes share. The first node's own becomes that.
pub async fn share_key(store: &Store, storage: &ObjectStorage, file: &Path) -> Result<()> {
    let known = find_setting(&mut store.read().await?, KEY_SETTING).await?;
    let name = match known {
        Some(name) => name,
        None => {
            let name = key_name(file)?;
            storage.put(&format!("{KEYS}/{name}"), std::fs::read(file)?).await?;
            let first = store.write(Claim, name.into_bytes(), |tx, name| {
                Box::pin(async move {
                    insert_setting(tx, KEY_SETTING, name).await?;
                    let found = find_setting(tx, KEY_SETTING).await?;
                    found.ok_or_else(|| Error::internal("a setting that was just stored is missing"))
                })
            });
            first.await?
        }
    };
    read_key(storage, &String::from_utf8_lossy(&name), file).await
}

/// Writes the key of secrets that all nodes share to a file, if there is one.
pub async fn fetch_key(db: &mut Connection, storage: &ObjectStorage, file: &Path) -> Result<()> {
    match find_setting(db, KEY_SETTING).await? {
        Some(name) => {
            // Only its owner may read it, from the beginning.
            create_private(file)?;
            read_key(storage, &String::from_utf8_lossy(&name), file).await
        }
        None => Ok(()),
    }
}

fn create_private(file: &Path) -> Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    std::fs::OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(file)?;
    Ok(())
}

async fn read_key(storage: &ObjectStorage, name: &str, file: &Path) -> Result<()> {
    if key_name(file).is_ok_and(|own| own == name) {
        return Ok(());
    }
    let key = format!("{KEYS}/{name}");
    let shared = storage.get(&key).await?;
    let shared = shared.ok_or_else(|| Error::Conflict(format!("{key} is missing in {}", storage.url())))?;
    Ok(std::fs::write(file, shared)?)
}

/// A part of its hash, so that a server knows without the storage whether it has the key.
fn key_name(file: &Path) -> Result<String> {
    Ok(hex(&fingerprint(file)?.sha256[..8]))
}

async fn has_repos(db: &mut Connection) -> Result<bool, DbError> {
    Ok(db.optional::<(i64,)>("select id from repo where not deleted limit 1", &[]).await?.is_some())
}

async fn find_setting(db: &mut Connection, name: &str) -> Result<Option<Vec<u8>>, DbError> {
    let found = db.optional::<(Vec<u8>,)>("select value from setting where name = $1", params![name]).await?;
    Ok(found.map(|(value,)| value))
}

async fn insert_setting(tx: &mut Transaction, name: &str, value: &[u8]) -> Result<(), DbError> {
    let sql = "insert into setting (name, value) values ($1, $2) on conflict (name) do nothing";
    tx.takes_no_right().execute(sql, params![name, value]).await?;
    Ok(())
}
