//! The files of a pack: in the storage, and copies on a disk.

use std::path::{Path, PathBuf};

use plinth_base::error::{Error, Result};
use plinth_git::SharedPack;
use plinth_store::{Fetch, Fingerprint, ObjectStorage, fingerprint};

/// The directory of packs in the storage.
pub const PACKS: &str = "packs";

/// Writes the files of a pack into a directory, verified. Returns false if they do not exist any more.
pub async fn fetch_pack(storage: &ObjectStorage, pack: &SharedPack, directory: &Path) -> Result<bool> {
    // Readers look for the index, so it comes last.
    for (extension, expected) in files_of(pack) {
        let file = directory.join(format!("{}.{extension}", pack.name));
        let temporary = Temporary(directory.join(format!("tmp_{}.{extension}", pack.name)));
        let key = format!("{}.{extension}", pack.key);
        match storage.fetch(&key, &expected, &temporary.0).await? {
            Fetch::Done => std::fs::rename(&temporary.0, &file)?,
            Fetch::Absent => return Ok(false),
            Fetch::Damaged => return Err(Error::Unavailable(format!("{key} in {} is damaged", storage.url()))),
        }
    }
    Ok(true)
}

/// Whether a directory has the files of a pack. Reads all of them.
pub fn has_pack(pack: &SharedPack, directory: &Path) -> bool {
    let is_intact = |(extension, expected): &(&str, Fingerprint)| {
        fingerprint(&directory.join(format!("{}.{extension}", pack.name))).is_ok_and(|found| found == *expected)
    };
    files_of(pack).iter().all(is_intact)
}

/// The files of a pack in the storage, the index last.
pub fn files_of(pack: &SharedPack) -> [(&'static str, Fingerprint); 2] {
    [
        ("pack", Fingerprint { bytes: pack.pack_bytes, sha256: pack.pack_sha256 }),
        ("idx", Fingerprint { bytes: pack.index_bytes, sha256: pack.index_sha256 }),
    ]
}

/// A file that is removed unless it was renamed, also when a fetch is given up because another one has failed.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A key that was never used.
pub fn new_key(pack: &Fingerprint) -> Result<String> {
    let hash = hex(&pack.sha256);
    Ok(format!("{PACKS}/{}/{hash}-{}", &hash[..2], unique()?))
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn unique() -> Result<String> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|_| Error::internal("the system has no random generator"))?;
    Ok(hex(&bytes))
}

/// The keys of both files of a pack.
pub fn keys_of(key: &str) -> [String; 2] {
    ["pack", "idx"].map(|extension| format!("{key}.{extension}"))
}
