//! From PostgreSQL and an object storage to a data directory with an embedded store.
//!
//! Everything is copied into a directory next to the final one. If the command is interrupted, packs that were copied stay there,
//! and are compared with their hashes when it runs again.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::verification::verify;
use crate::backup::{REPOSITORIES, Unfinished, create_directory, list_repos};
use crate::config::Options;
use crate::progress::Progress;
use crate::verify::Checks;
use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;
use plinth_core::objects::shared::{fetch_pack, has_pack, identity, store as packs};
use plinth_core::webhooks::key_file;
use plinth_git::{Repositories, SharedPack, pack_directory};
use plinth_store::{Durability, Location, ObjectStorage, Snapshot, Store};

const DATABASE_FILE: &str = "plinth.db";

pub struct Incoming {
    pub to: PathBuf,
    pub progress: bool,
}

impl Incoming {
    pub async fn run(
        self,
        options: Options,
        (url, storage): (String, ObjectStorage),
        out: &mut (dyn Write + Send),
    ) -> Result<()> {
        let is_empty = || std::fs::read_dir(&self.to).is_ok_and(|mut entries| entries.next().is_none());
        if self.to.exists() && !is_empty() {
            let to = self.to.display();
            return Err(Error::BadRequest(format!("{to} exists already; move into a new directory")));
        }
        let source = Store::open_idle(&url, &options.ephemeral_node()).await?;
        identity::check(&mut source.read().await?, &storage).await?;
        let copy = Unfinished::resume(&self.to)?;
        let location = Location::Postgres { url, connections_max: 1, epoch_file: None };
        let mut snapshot = Snapshot::open(&location).await?;
        let (repos, fetched, kept) = self.copy_packs(&mut snapshot, &storage, copy.path()).await?;
        writeln!(out, "copied {fetched} packs of {repos} repositories, and {kept} before")?;
        let rows = self.copy_rows(&mut snapshot, copy.path()).await?;
        writeln!(out, "copied {rows} rows")?;
        if options.secrets_key_file.is_none() {
            identity::fetch_key(&mut source.read().await?, &storage, &copy.path().join(key_file::FILE_NAME)).await?;
        }
        let file = copy.path().join(DATABASE_FILE);
        let target = Store::open(&Location::Sqlite { file, durability: Durability::PowerCut }).await?;
        identity::detach(&target).await?;
        let repositories = Arc::new(Repositories::at(copy.path())?);
        verify(&target, &repositories, &Checks::default(), self.progress, out).await?;
        drop((repositories, target));
        if self.to.exists() {
            std::fs::remove_dir(&self.to)?;
        }
        copy.finish(&self.to)?;
        writeln!(
            out,
            "moved: start one server with --data {}, and without --database and --objects",
            self.to.display()
        )?;
        Ok(())
    }

    /// Fetches what an earlier attempt has not. Returns how many repositories have packs, how many of these were fetched, and
    /// how many were there.
    async fn copy_packs(
        &self,
        snapshot: &mut Snapshot,
        storage: &ObjectStorage,
        directory: &Path,
    ) -> Result<(u64, u64, u64)> {
        let mut progress = Progress::new("copied", self.progress);
        let mut wanted: Vec<(RepoId, Vec<SharedPack>)> = Vec::new();
        for repo in list_repos(snapshot).await? {
            let rows = packs::list(snapshot.db(), repo).await?;
            wanted.push((repo, rows.into_iter().map(|packs::PackRow(pack)| pack).collect()));
        }
        wanted.retain(|(_, packs)| !packs.is_empty());
        progress.expect(wanted.iter().flat_map(|(_, packs)| packs).map(|pack| pack.pack_bytes).sum());
        let repositories = Repositories::at(directory)?;
        let (repos, mut fetched, mut kept) = (wanted.len() as u64, 0, 0);
        for (repo, packs) in wanted {
            repositories.complete(repo)?;
            let target = directory.join(REPOSITORIES).join(pack_directory(repo));
            create_directory(&target)?;
            for pack in packs {
                if has_pack(&pack, &target) {
                    kept += 1;
                } else if fetch_pack(storage, &pack, &target).await? {
                    fetched += 1;
                } else {
                    let (key, url) = (&pack.key, storage.url());
                    return Err(Error::Conflict(format!("{key} of repository {repo} is missing in {url}")));
                }
                for extension in ["pack", "idx"] {
                    std::fs::File::open(target.join(format!("{}.{extension}", pack.name)))?.sync_all()?;
                }
                progress.add(pack.pack_bytes);
            }
        }
        progress.end();
        Ok((repos, fetched, kept))
    }

    /// Rows are copied from the beginning each time, since they may have changed.
    async fn copy_rows(&self, snapshot: &mut Snapshot, directory: &Path) -> Result<u64> {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            match std::fs::remove_file(directory.join(format!("{DATABASE_FILE}{suffix}"))) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        let mut progress = Progress::new("copied rows of", self.progress);
        let copied = snapshot.copy_to_sqlite(&directory.join(DATABASE_FILE), &mut |bytes| progress.at(bytes)).await?;
        progress.end();
        Ok(copied)
    }
}
