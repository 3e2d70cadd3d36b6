//! Repositories of any size, written with `git fast-import`.

use std::fmt::Write as _;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::system::{git, output_of};

/// Commit dates are the same in every run.
const EPOCH: u64 = 1_600_000_000;

pub struct FastImport {
    input: BufWriter<ChildStdin>,
    child: Child,
    marks: u64,
}

impl FastImport {
    /// Creates a bare repository.
    pub fn begin(directory: &Path) -> Result<Self> {
        output_of(git(Path::new("."), &["init", "-q", "--bare", "-b", "main"]).arg(directory))?;
        let mut command = git(directory, &["-c", "core.fsync=none", "fast-import", "--quiet"]);
        let mut child = command.stdin(Stdio::piped()).spawn().context("git fast-import")?;
        let input = child.stdin.take().context("the input is a pipe")?;
        Ok(Self { input: BufWriter::with_capacity(1 << 20, input), child, marks: 0 })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.input.write_all(bytes).context("git fast-import")
    }

    /// Adds a commit with these parents and changed files; returns its mark.
    pub fn commit(&mut self, branch: &str, parents: &[u64], files: &[(String, Vec<u8>)]) -> Result<u64> {
        self.marks += 1;
        let mark = self.marks;
        let mut text = format!(
            "commit refs/heads/{branch}\nmark :{mark}\ncommitter Mona <mona@example.com> {} +0000\ndata <<.\nchange {mark}\n.\n",
            EPOCH + mark
        );
        for (index, parent) in parents.iter().enumerate() {
            let word = if index == 0 { "from" } else { "merge" };
            let _ = writeln!(text, "{word} :{parent}");
        }
        self.write(text.as_bytes())?;
        for (path, content) in files {
            self.write(format!("M 100644 inline {path}\ndata {}\n", content.len()).as_bytes())?;
            self.write(content)?;
            self.write(b"\n")?;
        }
        self.write(b"\n")?;
        Ok(mark)
    }

    /// Adds commits without file changes after `first`, so that there are `count` in all.
    pub fn extend(&mut self, branch: &str, first: u64, count: u64) -> Result<()> {
        let mut last = first;
        for index in 1..count {
            // Every tenth commit is a merge, so that the history is not linear.
            let parents = if index % 10 == 9 { vec![last, last - 7] } else { vec![last] };
            last = self.commit(branch, &parents, &[])?;
        }
        Ok(())
    }

    /// Creates a ref to a commit.
    pub fn create_ref(&mut self, name: &str, mark: u64) -> Result<()> {
        self.write(format!("reset {name}\nfrom :{mark}\n\n").as_bytes())
    }

    /// Waits until git has written the repository.
    pub fn finish(self) -> Result<()> {
        let Self { input, mut child, .. } = self;
        drop(input.into_inner().context("git fast-import")?);
        let status = child.wait().context("git fast-import")?;
        if !status.success() {
            bail!("git fast-import failed ({status})");
        }
        Ok(())
    }
}
