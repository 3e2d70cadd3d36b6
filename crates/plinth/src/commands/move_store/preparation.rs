//! Copies packs to an object storage while a server still uses them, so that the move itself has little left to copy.
//!
//! Packs never change. Those that the server replaces or adds later are copied by the next run, or by the move.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::progress::Progress;
use plinth_base::error::{Error, Result};
use plinth_core::objects::shared::identity;
use plinth_core::objects::shared::prepared::{self, Prepared};
use plinth_git::Repositories;
use plinth_store::ObjectStorage;

pub struct Preparation {
    pub from: PathBuf,
    pub progress: bool,
}

impl Preparation {
    pub async fn run(self, storage: ObjectStorage, out: &mut (dyn Write + Send)) -> Result<()> {
        let Some(source) = Repositories::existing(&self.from)? else {
            return Err(Error::BadRequest(format!("there is no store in {}", self.from.display())));
        };
        identity::check_unclaimed(&storage).await?;
        let mut known = prepared::begin(&storage).await?;
        // Next to the source, where there is room for the largest pack.
        let parent = std::path::absolute(&self.from)?;
        let parent = parent.parent().unwrap_or(&parent);
        let copies = tempfile::Builder::new().prefix(".plinth-move-").tempdir_in(parent)?;
        let mut progress = Progress::new("copied", self.progress);
        let directories = source.list_directories()?;
        progress.expect(directories.iter().map(|(repo, _)| source.directory_bytes(*repo)).sum());
        let mut counts = Counts::default();
        for (repo, _) in directories {
            let bytes = source.directory_bytes(repo);
            let directory = source.pack_directory(repo);
            counts.add(&prepare_all(&storage, &mut known, &directory, &copies.path().join("copy")).await?);
            progress.add(bytes);
        }
        progress.end();
        let (Counts { copied, present }, url) = (counts, storage.url());
        writeln!(out, "copied {copied} packs to {url}, and {present} before")?;
        writeln!(out, "prepared: stop the server, and run the same command without --prepare")?;
        Ok(())
    }
}

#[derive(Debug, Default)]
struct Counts {
    copied: u64,
    present: u64,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.copied += other.copied;
        self.present += other.present;
    }
}

/// Copies the packs of a directory, which may disappear meanwhile.
async fn prepare_all(
    storage: &ObjectStorage,
    known: &mut Prepared,
    directory: &Path,
    temporary: &Path,
) -> Result<Counts> {
    let mut counts = Counts::default();
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let indexes = entries.map(|entry| entry.path()).filter(|path| path.extension() == Some(OsStr::new("idx")));
    for index in indexes {
        match prepared::prepare(storage, known, &index, temporary).await? {
            prepared::Preparation::Copied => counts.copied += 1,
            prepared::Preparation::Present => counts.present += 1,
            prepared::Preparation::Gone => {}
        }
    }
    Ok(counts)
}
