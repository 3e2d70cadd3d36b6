//! Which objects the packs of a directory have, according to their indexes.

use std::path::Path;

use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;

/// The indexes of all packs in one directory.
pub struct PackIndexes(Vec<gix_pack::index::File>);

impl PackIndexes {
    /// A missing directory has no packs.
    pub fn open(pack_directory: &Path) -> Result<Self> {
        Self::open_each(pack_directory, Err)
    }

    /// As [`PackIndexes::open`], without indexes that are damaged or have just been removed.
    pub fn open_readable(pack_directory: &Path) -> Result<Self> {
        Self::open_each(pack_directory, |_| Ok(()))
    }

    fn open_each(pack_directory: &Path, on_damage: impl Fn(Error) -> Result<()>) -> Result<Self> {
        let entries = match std::fs::read_dir(pack_directory) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self(Vec::new())),
            result => result?,
        };
        let mut indexes = Vec::new();
        for entry in entries {
            let path = entry?.path();
            // An index without its pack is of no use.
            if path.extension().is_some_and(|extension| extension == "idx") && path.with_extension("pack").exists() {
                let index = gix_pack::index::File::at(&path, gix_hash::Kind::Sha1);
                match index {
                    Ok(index) => indexes.push(index),
                    Err(error) => on_damage(Error::internal(format!("{}: {error}", path.display())))?,
                }
            }
        }
        Ok(Self(indexes))
    }

    /// Whether one of the packs has the object.
    pub fn contain(&self, sha: &Sha) -> bool {
        let id = crate::to_oid(sha);
        self.0.iter().any(|index| index.lookup(id).is_some())
    }
}
