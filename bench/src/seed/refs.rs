//! A repository with as many references as wanted, all on one commit, in groups of a hundred.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::world::PEOPLE;
use super::{History, keep};
use crate::Result;
use crate::bench::Bench;
use crate::process::{git, succeed};
use crate::service;

/// References whose names begin alike.
pub const GROUP: u64 = 100;
const SIZE_MIN: u64 = GROUP * 10;

/// The data folder of a service with `acme/refs`.
pub fn get(bench: &Bench, count: u64) -> Result<PathBuf> {
    let folder = keep(bench, &format!("refs-{count}"), |folder| make(bench, folder, count.max(SIZE_MIN)))?;
    Ok(folder.join("data"))
}

/// The last part of the address of a reference.
pub fn name(index: u64) -> String {
    format!("heads/group-{:05}/topic-{:02}", index / GROUP, index % GROUP)
}

fn make(bench: &Bench, folder: &Path, count: u64) -> Result<()> {
    let source = folder.join("source.git");
    let mut history = History::begin(&source)?;
    history.commit("main", &[], &[("README.md".into(), b"# Many names\n".to_vec())])?;
    history.finish()?;
    let sha = succeed(&mut git(&source, &["rev-parse", "main"]))?;
    let io = |error: std::io::Error| format!("{}: {error}", source.display());
    // Git itself would take minutes to make them one by one; this is the file that it would leave.
    let file = std::fs::File::create(source.join("packed-refs")).map_err(io)?;
    let mut file = BufWriter::new(file);
    writeln!(file, "# pack-refs with: peeled fully-peeled sorted ").map_err(io)?;
    for index in 0..count {
        writeln!(file, "{} refs/{}", sha.trim(), name(index)).map_err(io)?;
    }
    file.flush().map_err(io)?;
    drop(file);
    let state = folder.join("state.yaml");
    let text = format!("{PEOPLE}repos:\n  - {{ name: acme/refs, default_branch: main, import: source.git }}\n");
    std::fs::write(&state, text).map_err(io)?;
    service::command(bench, &folder.join("data"), &["apply", &state.display().to_string()])?;
    Ok(())
}
