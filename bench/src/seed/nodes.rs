//! Stores in PostgreSQL and an object storage, moved there from embedded ones with the service's own command.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result, bail};

use super::cache::get_or_create;
use super::fast_import::FastImport;
use super::state::{self, ACCOUNTS};
use super::{StandardSeed, large_repo};
use crate::harness::{Context, Deployment, Programs, names};
use crate::system::{git, output_of};

/// Of each repository, one for each commit.
pub const PACKS: u64 = 10;
const FILES_PER_COMMIT: u64 = 5;
const LINES_PER_FILE: u64 = 50;

/// The standard seed.
pub fn standard(context: &Context, programs: &Programs) -> Result<PathBuf> {
    moved(context, programs, "standard", &StandardSeed::get(context)?.data())
}

/// A repository of 100 MB, `acme/large`.
pub fn large(context: &Context, programs: &Programs) -> Result<PathBuf> {
    moved(context, programs, &format!("large-{}", context.size(2, 100)), &large_repo::get(context)?.join("data"))
}

/// This many repositories `acme/repo-0` and so on, each with ten packs.
pub fn many_packs(context: &Context, programs: &Programs, count: u64) -> Result<PathBuf> {
    let embedded = get_or_create(context, &format!("packs-{count}"), |directory| {
        let source = directory.join("source.git");
        write_source(&source)?;
        let mut text = format!("{ACCOUNTS}repos:\n");
        for index in 0..count {
            let _ = writeln!(text, "  - {{ name: acme/repo-{index}, default_branch: main, import: source.git }}");
        }
        state::apply(context, directory, &text)?;
        use_packs_of(&source, &directory.join("data"))
    })?;
    moved(context, programs, &format!("packs-{count}"), &embedded.join("data"))
}

fn moved(context: &Context, programs: &Programs, name: &str, data: &Path) -> Result<PathBuf> {
    let name = format!("nodes-{name}-postgres-{}", programs.database_version()?);
    get_or_create(context, &name, |directory| {
        let deployment = Deployment::start(context, programs, None)?;
        deployment.move_from(context, data)?;
        deployment.save(directory)
    })
}

/// A repository whose commits are in one pack each.
fn write_source(directory: &Path) -> Result<()> {
    let mut import = FastImport::begin(directory)?;
    let mut parents = Vec::new();
    for commit in 0..PACKS {
        let file = |file: u64| {
            let lines =
                (0..LINES_PER_FILE).map(|line| format!("line {line} of file {file}, written by commit {commit}\n"));
            (format!("src/{commit}/{file}.txt"), lines.collect::<String>().into_bytes())
        };
        let files: Vec<_> = (0..FILES_PER_COMMIT).map(file).collect();
        parents = vec![import.commit("main", &parents, &files)?];
    }
    import.finish()?;
    for commit in 0..PACKS {
        let ago = PACKS - 1 - commit;
        let parent = if commit == 0 { String::new() } else { format!("^main~{}\n", ago + 1) };
        pack(directory, &format!("main~{ago}\n{parent}"))?;
    }
    output_of(&mut git(directory, &["prune-packed", "--quiet"]))?;
    Ok(())
}

/// Writes what these revisions reach into a pack.
fn pack(directory: &Path, revisions: &str) -> Result<()> {
    let mut command = git(directory, &["pack-objects", "-q", "--revs", "objects/pack/pack"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().context("git pack-objects")?;
    child.stdin.take().context("the input is a pipe")?.write_all(revisions.as_bytes())?;
    match child.wait()? {
        status if status.success() => Ok(()),
        status => bail!("git pack-objects failed ({status})"),
    }
}

/// Pushing ten times to each repository would take hours, so replace the one pack of each by those of the source.
fn use_packs_of(source: &Path, data: &Path) -> Result<()> {
    let new: Vec<PathBuf> = files(&source.join("objects/pack"))?;
    for group in files(&data.join(names::REPOSITORIES_DIRECTORY))? {
        for repo in files(&group)? {
            let packs = repo.join("objects/pack");
            let old = files(&packs)?;
            for file in &new {
                fs::copy(file, packs.join(file.file_name().context("a file has a name")?))?;
            }
            old.iter().try_for_each(fs::remove_file)?;
        }
    }
    Ok(())
}

fn files(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory).with_context(|| directory.display().to_string())?;
    entries.map(|entry| Ok(entry?.path())).collect()
}
