//! A repository of 100 MB: large files, small files, and some history.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::cache::get_or_create;
use super::fast_import::FastImport;
use super::state;
use crate::harness::Context;

/// A service with `acme/large`.
pub fn get(context: &Context) -> Result<PathBuf> {
    let megabytes = context.size(2, 100);
    get_or_create(context, &format!("large-{megabytes}"), |directory| {
        write_source(&directory.join("source.git"), megabytes)?;
        state::apply(context, directory, &state::with_repo("acme/large"))
    })
}

fn write_source(directory: &Path, megabytes: u64) -> Result<()> {
    let mut import = FastImport::begin(directory)?;
    let mut random = Random(1);
    let mut parents = Vec::new();
    // Each commit adds about a megabyte: half of it in one file, half in a hundred.
    for index in 0..megabytes {
        let mut files = vec![(format!("assets/{index:04}.bin"), random.bytes(500_000))];
        files.extend((0..100).map(|file| (format!("src/{index:04}/{file:03}.txt"), random.bytes(5_000))));
        parents = vec![import.commit("main", &parents, &files)?];
    }
    import.finish()
}

/// Incompressible bytes, the same in every run.
struct Random(u64);

impl Random {
    fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(count + 8);
        while bytes.len() < count {
            // xorshift64
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            bytes.extend_from_slice(&self.0.to_le_bytes());
        }
        bytes.truncate(count);
        bytes
    }
}
