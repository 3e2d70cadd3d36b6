//! Backups of a store whose packs are in an object storage.

use std::path::{Path, PathBuf};

use super::files::create_directory;
use super::{REPOSITORIES, list_repos};
use crate::config::Options;
use crate::progress::Progress;
use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;
use plinth_core::objects::shared::{fetch_pack, identity, store};
use plinth_git::pack_directory;
use plinth_store::{ObjectStorage, Snapshot};

/// Fetches every pack that a snapshot names into the directory of a backup. The files of a pack that is replaced meanwhile stay
/// in the storage for a day. Returns the files, relative to the directory, and the repositories that have any.
pub async fn fetch_packs(
    storage: &ObjectStorage,
    snapshot: &mut Snapshot,
    directory: &Path,
    progress: &mut Progress,
) -> Result<(Vec<PathBuf>, Vec<RepoId>)> {
    let (mut files, mut with_packs) = (Vec::new(), Vec::new());
    for repo in list_repos(snapshot).await? {
        let packs = store::list(snapshot.db(), repo).await?;
        if packs.is_empty() {
            continue;
        }
        let relative = Path::new(REPOSITORIES).join(pack_directory(repo));
        create_directory(&directory.join(&relative))?;
        for store::PackRow(pack) in packs {
            if !fetch_pack(storage, &pack, &directory.join(&relative)).await? {
                let (key, url) = (&pack.key, storage.url());
                return Err(Error::Conflict(format!("{key} of repository {repo} is missing in {url}")));
            }
            progress.add(pack.pack_bytes);
            files.extend(["pack", "idx"].map(|extension| relative.join(format!("{}.{extension}", pack.name))));
        }
        with_packs.push(repo);
    }
    Ok((files, with_packs))
}

/// Fails if the packs of a database are not where the options say.
pub async fn check_objects(options: &Options, snapshot: &mut Snapshot) -> Result<()> {
    match (identity::find(snapshot.db()).await?, &options.objects) {
        (Some(known), None) => Err(Error::Conflict(format!(
            "the packs of this database are in an object storage: use --objects {}",
            known.url
        ))),
        (None, Some(_)) => {
            Err(Error::Conflict("the packs of this database are in a data directory: omit --objects".into()))
        }
        (Some(_), Some(_)) | (None, None) => Ok(()),
    }
}
