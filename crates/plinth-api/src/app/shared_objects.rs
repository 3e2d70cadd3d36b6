//! Large objects that are being sent, each in memory once however many clients read it.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::OnceCell;

use super::permits::Permit;
use plinth_base::error::Result;
use plinth_base::ids::{RepoId, Sha};
use plinth_git::RawObject;

/// Entries before those that nobody reads any more are forgotten.
const ENTRIES_MIN: usize = 64;

type Cell = OnceCell<(Arc<RawObject>, Permit)>;

/// The objects that are being sent.
#[derive(Default)]
pub struct SharedObjects(Mutex<Entries>);

#[derive(Default)]
struct Entries {
    by_name: HashMap<(RepoId, Sha), Weak<Cell>>,
    clean_at: usize,
}

/// An object with the permit for its memory, for as long as somebody reads it.
#[derive(Clone)]
pub struct SharedObject(Arc<Cell>);

impl AsRef<[u8]> for SharedObject {
    fn as_ref(&self) -> &[u8] {
        self.0.get().map_or(&[], |(object, _)| object.data())
    }
}

impl SharedObjects {
    /// The object, loaded by the first who asks while the others wait. Whoever asks must know that it is there.
    pub async fn get(
        &self,
        name: (RepoId, Sha),
        load: impl Future<Output = Result<(Arc<RawObject>, Permit)>>,
    ) -> Result<SharedObject> {
        let cell = self.cell(name);
        cell.get_or_try_init(|| load).await?;
        Ok(SharedObject(cell))
    }

    fn cell(&self, name: (RepoId, Sha)) -> Arc<Cell> {
        let mut entries = self.0.lock();
        if let Some(cell) = entries.by_name.get(&name).and_then(Weak::upgrade) {
            return cell;
        }
        if entries.by_name.len() >= entries.clean_at {
            entries.by_name.retain(|_, cell| cell.strong_count() > 0);
            entries.clean_at = (entries.by_name.len() * 2).max(ENTRIES_MIN);
        }
        let cell = Arc::new(Cell::new());
        entries.by_name.insert(name, Arc::downgrade(&cell));
        cell
    }
}
