//! A repository with any number of refs, all to one commit, in groups of a hundred.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::cache::get_or_create;
use super::fast_import::FastImport;
use super::state;
use crate::harness::Context;
use crate::system::{git, output_of};

/// Refs with a common prefix.
pub const GROUP: u64 = 100;
const SIZE_MIN: u64 = GROUP * 10;

/// The data directory of a service with `acme/refs`.
pub fn get(context: &Context, count: u64) -> Result<PathBuf> {
    let directory = get_or_create(context, &format!("refs-{count}"), |directory| {
        let source = directory.join("source.git");
        let mut import = FastImport::begin(&source)?;
        import.commit("main", &[], &[("README.md".into(), b"# Many refs\n".to_vec())])?;
        import.finish()?;
        write_packed_refs(&source, count.max(SIZE_MIN))?;
        state::apply(context, directory, &state::with_repo("acme/refs"))
    })?;
    Ok(directory.join("data"))
}

/// The name of a ref as it is in a URL.
pub fn name(index: u64) -> String {
    format!("heads/group-{:05}/topic-{:02}", index / GROUP, index % GROUP)
}

/// Git would take minutes to create the refs one by one, so write its file.
fn write_packed_refs(source: &Path, count: u64) -> Result<()> {
    let sha = output_of(&mut git(source, &["rev-parse", "main"]))?;
    let write = || -> io::Result<()> {
        let mut file = BufWriter::new(File::create(source.join("packed-refs"))?);
        writeln!(file, "# pack-refs with: peeled fully-peeled sorted ")?;
        for index in 0..count {
            writeln!(file, "{} refs/{}", sha.trim(), name(index))?;
        }
        file.flush()
    };
    write().with_context(|| source.display().to_string())
}
