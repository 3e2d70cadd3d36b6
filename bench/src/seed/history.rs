//! Histories of any length, as `git fast-import` reads them.

use std::fmt::Write as _;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{ChildStdin, Stdio};

use crate::Result;
use crate::process::{git, succeed};

/// Dates that do not change from run to run.
const EPOCH: u64 = 1_600_000_000;

/// A repository that is being written.
pub struct History {
    input: BufWriter<ChildStdin>,
    child: std::process::Child,
    marks: u64,
}

impl History {
    /// Begins a bare repository in a folder that does not exist yet.
    pub fn begin(folder: &Path) -> Result<Self> {
        succeed(git(Path::new("."), &["init", "-q", "--bare", "-b", "main"]).arg(folder))?;
        let mut command = git(folder, &["-c", "core.fsync=none", "fast-import", "--quiet"]);
        let mut child = command.stdin(Stdio::piped()).spawn().map_err(|error| format!("git fast-import: {error}"))?;
        let input = child.stdin.take().ok_or("the input is a pipe")?;
        Ok(Self { input: BufWriter::with_capacity(1 << 20, input), child, marks: 0 })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.input.write_all(bytes).map_err(|error| format!("git fast-import: {error}"))
    }

    /// Adds a commit on top of others, with these files changed; returns its mark.
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

    /// Many commits without files of their own on top of one, with a merge here and there.
    pub fn chain(&mut self, branch: &str, first: u64, count: u64) -> Result<()> {
        let mut last = first;
        for index in 1..count {
            // Every tenth commit brings an older one in again, so that the history is not a mere line.
            let parents = if index % 10 == 9 { vec![last, last - 7] } else { vec![last] };
            last = self.commit(branch, &parents, &[])?;
        }
        Ok(())
    }

    /// Names a commit.
    pub fn name(&mut self, reference: &str, mark: u64) -> Result<()> {
        self.write(format!("reset {reference}\nfrom :{mark}\n\n").as_bytes())
    }

    /// Ends the repository.
    pub fn finish(self) -> Result<()> {
        let Self { input, mut child, .. } = self;
        drop(input.into_inner().map_err(|error| format!("git fast-import: {error}"))?);
        let status = child.wait().map_err(|error| format!("git fast-import: {error}"))?;
        if status.success() { Ok(()) } else { Err(format!("git fast-import failed ({status})")) }
    }
}
