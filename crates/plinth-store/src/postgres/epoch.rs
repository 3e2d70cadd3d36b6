//! Which server has the current database: a number that grows each time a node takes ownership.
//!
//! A primary that failed may come back and accept writes, without those that its successor has acknowledged meanwhile.
//! Nothing in a connection shows that. So the owner writes a new epoch to the database, and records it in the data
//! directory, before it acknowledges anything there. A server with an older epoch is never used again.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::DbError;
use plinth_base::error::{Error, Result};

/// The time of one owner on one server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Epoch {
    number: u64,
    /// Distinguishes epochs with one number on two servers, if the node was killed before it recorded the first.
    token: String,
}

impl Epoch {
    pub fn parse(text: &str) -> Option<Self> {
        let (number, token) = text.trim().split_once(' ')?;
        Some(Self { number: number.parse().ok()?, token: token.to_owned() })
    }

    /// The epoch after this one.
    pub fn after(previous: Option<&Self>) -> Result<Self> {
        let mut token = [0; 8];
        aws_lc_rs::rand::fill(&mut token).map_err(|_| Error::internal("no random numbers"))?;
        let token = u64::from_le_bytes(token);
        Ok(Self { number: previous.map_or(0, |epoch| epoch.number) + 1, token: format!("{token:016x}") })
    }

    fn is_superseded_by(&self, newest: &Self) -> bool {
        self.number < newest.number || (self.number == newest.number && self.token != newest.token)
    }
}

impl std::fmt::Display for Epoch {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} {}", self.number, self.token)
    }
}

/// Rejects servers whose epoch is older than the newest that this data directory has seen.
#[derive(Debug, Default)]
pub(super) struct Fence {
    file: Option<PathBuf>,
    newest: Mutex<Option<Epoch>>,
}

impl Fence {
    /// Reads the newest epoch from the file, if there is one.
    pub fn open(file: Option<&Path>) -> Result<Self> {
        let Some(file) = file else { return Ok(Self::default()) };
        let newest = match std::fs::read_to_string(file) {
            Ok(text) => Some(Epoch::parse(&text).ok_or_else(|| broken(file, &"it contains no epoch"))?),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(broken(file, &error)),
        };
        Ok(Self { file: Some(file.to_owned()), newest: Mutex::new(newest) })
    }

    pub fn check(&self, found: Option<&Epoch>) -> Result<(), DbError> {
        let newest = self.newest.lock();
        let Some(newest) = newest.as_ref() else { return Ok(()) };
        if found.is_some_and(|found| !found.is_superseded_by(newest)) {
            return Ok(());
        }
        let (found, newest) = (found.map_or(0, |epoch| epoch.number), newest.number);
        let file = self.file.as_deref().unwrap_or(Path::new("the file of the epoch")).display();
        Err(DbError::Unavailable(format!(
            "this server has an older state of the database (epoch {found}) than was used last (epoch {newest}): it is a \
             former primary, or was restored; if it was restored on purpose, delete {file}"
        )))
    }

    /// Records the epoch durably. Servers with an older one are rejected from now on.
    pub fn advance(&self, epoch: Epoch) -> Result<()> {
        if let Some(file) = &self.file {
            write_synced(file, &epoch).map_err(|error| broken(file, &error))?;
        }
        *self.newest.lock() = Some(epoch);
        Ok(())
    }
}

fn write_synced(path: &Path, epoch: &Epoch) -> std::io::Result<()> {
    // The directory of a node that shares its packs may have been lost.
    path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    let new = path.with_extension("new");
    let mut file = File::create(&new)?;
    writeln!(file, "{epoch}")?;
    file.sync_all()?;
    std::fs::rename(&new, path)?;
    path.parent().map_or(Ok(()), |directory| File::open(directory)?.sync_all())
}

fn broken(file: &Path, why: &dyn std::fmt::Display) -> Error {
    Error::Unavailable(format!("{}: {why}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fence_rejects_older_epoch_and_other_epoch_of_same_number() {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        let file = directory.path().join("epoch");
        let fence = Fence::open(Some(&file)).expect("there is no file yet");
        fence.check(None).expect("nothing is known yet");
        let first = Epoch::after(None).expect("random numbers");
        let (second, other) =
            (Epoch::after(Some(&first)).expect("random numbers"), Epoch::after(Some(&first)).expect("random numbers"));
        fence.advance(second.clone()).expect("it can be recorded");
        for fence in [fence, Fence::open(Some(&file)).expect("it can be read")] {
            fence.check(Some(&second)).expect("it is the newest");
            fence.check(Some(&Epoch::after(Some(&second)).expect("random numbers"))).expect("it is newer");
            for stale in [None, Some(&first), Some(&other)] {
                let error = fence.check(stale).expect_err("it is stale").to_string();
                assert!(error.contains("than was used last (epoch 2)"), "{error}");
            }
        }
    }

    #[test]
    fn damaged_file_is_reported_with_its_path() {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        let file = directory.path().join("epoch");
        std::fs::write(&file, "x").expect("it can be written");
        let error = Fence::open(Some(&file)).expect_err("it is damaged").to_string();
        assert!(error.contains("epoch: it contains no epoch"), "{error}");
    }
}
