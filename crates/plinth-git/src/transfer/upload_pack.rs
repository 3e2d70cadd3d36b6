//! Serves fetches: git builds the packs from the client's wants alone.

use std::fmt::Write as _;
use std::fs;
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::sync::Arc;

use crate::child::{GitChild, GitCommand, Limits};
use crate::repository::{self, Repository};
use plinth_base::error::{Error, Result};
use plinth_base::ids::{RefName, Sha};

/// The versions of the protocol that we speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    V0,
    V2,
}

/// One round of `git upload-pack`. Dropping the child kills it.
pub struct UploadPack {
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub child: UploadPackChild,
}

/// The process behind the pipes, and the directory with the refs that it sees.
pub struct UploadPackChild {
    child: GitChild,
    _refs: Option<tempfile::TempDir>,
    /// Its packs stay on disk until the end.
    _repository: Arc<Repository>,
}

impl UploadPackChild {
    /// Waits for the end. Both pipes must be closed by then.
    pub fn wait(self) -> Result<()> {
        let exit = self.child.wait()?;
        match (exit.success, exit.timed_out) {
            (true, _) => Ok(()),
            (false, true) => Err(Error::Unavailable("The fetch took too long.".into())),
            // Git has reported it to the client; most often the client disconnected or wanted a missing object.
            (false, false) => Err(Error::BadRequest("The fetch could not be served.".into())),
        }
    }
}

impl Repository {
    /// Starts one stateless round. The caller must check the wants: any object of the repository may be fetched.
    ///
    /// Git reads refs only for a shallow fetch that excludes a ref, or that deepens a shallow clone: it then sees `refs`.
    pub fn upload_pack(
        self: &Arc<Self>,
        protocol: Protocol,
        limits: Limits,
        refs: &[(RefName, Sha)],
    ) -> Result<UploadPack> {
        let with_refs = if refs.is_empty() { None } else { Some(self.with_refs(refs)?) };
        let directory = with_refs.as_ref().map_or(self.directory.as_path(), tempfile::TempDir::path);
        let command = GitCommand::new(directory, "upload-pack", limits)
            .env("GIT_OBJECT_DIRECTORY", self.objects_directory())
            .setting("uploadpack.allowAnySHA1InWant=true")
            .setting("uploadpack.allowFilter=true")
            // Requests with other filters are rejected earlier; git rejects them as well.
            .setting("uploadpackfilter.allow=false")
            .setting("uploadpackfilter.blob:none.allow=true")
            .setting("uploadpackfilter.blob:limit.allow=true")
            .setting("uploadpackfilter.tree.allow=true")
            .setting("uploadpackfilter.tree.maxDepth=16")
            .args(["--stateless-rpc", "--strict"])
            .args([directory])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let command = match protocol {
            Protocol::V0 => command,
            Protocol::V2 => command.env("GIT_PROTOCOL", "version=2"),
        };
        let mut child = command.spawn()?;
        Ok(UploadPack {
            stdin: child.take_stdin(),
            stdout: child.take_stdout(),
            child: UploadPackChild { child, _refs: with_refs, _repository: self.clone() },
        })
    }

    /// A temporary repository directory that has these refs.
    fn with_refs(&self, refs: &[(RefName, Sha)]) -> Result<tempfile::TempDir> {
        let directory = tempfile::tempdir_in(self.quarantine_directory())?;
        repository::write_skeleton(directory.path())?;
        let mut packed = String::with_capacity(refs.len() * 64);
        for (name, sha) in refs {
            writeln!(packed, "{sha} {name}").expect("writing to a string never fails");
        }
        fs::write(directory.path().join("packed-refs"), packed)?;
        Ok(directory)
    }
}
