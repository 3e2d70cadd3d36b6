//! A repository of 100 MB: large files, small files, and some history.

use std::path::{Path, PathBuf};

use super::world::PEOPLE;
use super::{History, keep};
use crate::Result;
use crate::bench::Bench;
use crate::service;

/// The seed of a service with `acme/large`.
pub fn get(bench: &Bench) -> Result<PathBuf> {
    let megabytes = bench.size(2, 100);
    keep(bench, &format!("large-{megabytes}"), |folder| make(bench, folder, megabytes))
}

fn make(bench: &Bench, folder: &Path, megabytes: u64) -> Result<()> {
    let mut history = History::begin(&folder.join("source.git"))?;
    let mut noise = Noise(1);
    let mut parents = Vec::new();
    // Each commit brings about a megabyte: half of it one file, half of it a hundred.
    for index in 0..megabytes {
        let mut files = vec![(format!("assets/{index:04}.bin"), noise.bytes(500_000))];
        files.extend((0..100).map(|file| (format!("src/{index:04}/{file:03}.txt"), noise.bytes(5_000))));
        parents = vec![history.commit("main", &parents, &files)?];
    }
    history.finish()?;
    let state = folder.join("state.yaml");
    let text = format!("{PEOPLE}repos:\n  - {{ name: acme/large, default_branch: main, import: source.git }}\n");
    std::fs::write(&state, text).map_err(|error| format!("{}: {error}", state.display()))?;
    service::command(bench, &folder.join("data"), &["apply", &state.display().to_string()])?;
    Ok(())
}

/// Bytes that nothing can compress, the same in every run.
struct Noise(u64);

impl Noise {
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
