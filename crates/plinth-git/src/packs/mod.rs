//! Packs on disk: written, opened, cached and checked.

pub(crate) mod checksum;
pub(crate) mod damage;
pub(crate) mod indexes;
pub(crate) mod object_cache;
pub(crate) mod object_store;
pub(crate) mod write;

/// The files of one pack. Readers look for the index, so it is the last to be installed and the first to be removed.
pub(crate) const EXTENSIONS: [&str; 3] = ["pack", "rev", "idx"];

/// The files of a pack that exist, the index last.
pub(crate) fn files_of(index: &std::path::Path) -> Vec<std::path::PathBuf> {
    let files = EXTENSIONS.map(|extension| index.with_extension(extension));
    files.into_iter().filter(|file| file.exists()).collect()
}
