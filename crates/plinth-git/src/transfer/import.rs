//! Imports a repository from a directory of this machine: all its refs and all objects that they reach.

use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use super::quarantine::Quarantine;
use super::receive::{PackLimits, Strictness};
use crate::child::GitCommand;
use crate::history::Refs;
use crate::repository::Repository;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{RefName, Sha};

/// The refs of an imported repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    pub refs: Refs,
    /// The branch that its HEAD names, if there is such a branch.
    pub default_branch: Option<RefName>,
}

impl Repository {
    /// Copies all objects that the refs of `source` reach, or none. Calls `progress` with the bytes copied so far.
    pub fn import(
        self: &Arc<Self>,
        source: &Path,
        limits: PackLimits,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Imported> {
        let source = Source::open(source, limits)?;
        let refs = source.refs()?;
        let default_branch = source.head()?.filter(|name| refs.contains_key(name));
        if !refs.is_empty() {
            self.copy_objects(&source, &refs, limits, progress)?;
        }
        Ok(Imported { refs, default_branch })
    }

    fn copy_objects(
        self: &Arc<Self>,
        source: &Source,
        refs: &Refs,
        limits: PackLimits,
        progress: &mut dyn FnMut(u64),
    ) -> Result<()> {
        let (mut child, fed) = source
            .command("pack-objects")
            .args(["--revs", "--stdout", "--delta-base-offset", "--quiet"])
            .spawn_fed(|stdin| refs.values().try_for_each(|sha| writeln!(stdin, "{sha}")))?;
        let mut pack = Counted { inner: child.take_stdout(), bytes: 0, progress };
        let quarantine = Quarantine::open::<crate::RawObject>(self, &[], limits.child)?;
        let received = quarantine.receive(&mut pack, limits, Strictness::AllowOldFaults);
        drop(pack);
        let exit = child.wait()?;
        if !exit.success && !exit.timed_out {
            return Err(Error::unprocessable(format!("The repository cannot be read: {}", exit.stderr)));
        }
        exit.check("packing the repository to import")?;
        fed?;
        received?;
        let tips: Vec<Sha> = refs.values().copied().collect();
        quarantine.check_connected(&tips, &[])?;
        quarantine.accept()?;
        Ok(())
    }
}

/// The repository to import. Git reads its configuration, but runs nothing that it names.
struct Source {
    directory: PathBuf,
    limits: PackLimits,
}

impl Source {
    fn open(path: &Path, limits: PackLimits) -> Result<Self> {
        let invalid = |reason: &str| Error::unprocessable(format!("{} {reason}.", path.display()));
        let path = fs::canonicalize(path).map_err(|_| invalid("is not a directory"))?;
        let inner = path.join(".git");
        let directory = if inner.is_dir() { inner } else { path.clone() };
        if !directory.join("HEAD").is_file() || !directory.join("objects").is_dir() {
            return Err(invalid("is not a Git repository"));
        }
        if directory.join("shallow").exists() {
            return Err(invalid("is a shallow clone, whose history is not complete"));
        }
        Ok(Self { directory, limits })
    }

    fn command(&self, subcommand: &'static str) -> GitCommand {
        GitCommand::new(&self.directory, subcommand, self.limits.child)
    }

    fn refs(&self) -> Result<Refs> {
        let mut child =
            self.command("for-each-ref").args(["--format=%(objectname) %(refname)"]).stdout(Stdio::piped()).spawn()?;
        let refs: Result<Refs> =
            BufReader::new(child.take_stdout()).split(b'\n').map(|line| parse_ref(&line?)).collect();
        child.wait()?.check("listing the refs to import")?;
        refs
    }

    fn head(&self) -> Result<Option<RefName>> {
        let exit = self.command("symbolic-ref").args(["--quiet", "HEAD"]).run(|_| Ok(()))?;
        Ok(RefName::parse(exit.stdout.trim_end()).ok())
    }
}

fn parse_ref(line: &[u8]) -> Result<(RefName, Sha)> {
    let text = String::from_utf8_lossy(line);
    let invalid = |reason: String| Error::unprocessable(format!("The ref {text:?} cannot be imported: {reason}."));
    let (sha, name) = text.split_once(' ').ok_or_else(|| invalid("it has no name".into()))?;
    let sha = sha.parse().map_err(|_| invalid("only SHA-1 repositories can be imported".into()))?;
    let name = RefName::parse(name).map_err(|error| invalid(error.to_string()))?;
    Ok((name, sha))
}

struct Counted<'a, R> {
    inner: R,
    bytes: u64,
    progress: &'a mut dyn FnMut(u64),
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.bytes += count as u64;
        (self.progress)(self.bytes);
        Ok(count)
    }
}
