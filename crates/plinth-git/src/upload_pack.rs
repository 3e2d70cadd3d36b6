//! Serving fetches: git builds the packs, and is told by the client's wants alone what to put in.

use std::fmt::Write as _;
use std::fs;
use std::process::{ChildStdin, ChildStdout, Stdio};

use super::child::{GitChild, GitCommand, Limits};
use super::repository::{self, Repository};
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

/// The process behind the pipes, and the names that were put before it.
pub struct UploadPackChild {
    child: GitChild,
    _names: Option<tempfile::TempDir>,
}

impl UploadPackChild {
    /// Waits for the end. Both pipes must be closed by then.
    pub fn wait(self) -> Result<()> {
        let ending = self.child.wait()?;
        match (ending.success, ending.timed_out) {
            (true, _) => Ok(()),
            (false, true) => Err(Error::Unavailable("The fetch took too long.".into())),
            // Git has told the client; most often the client went away or asked for what is not here.
            (false, false) => Err(Error::BadRequest("The fetch could not be served.".into())),
        }
    }
}

impl Repository {
    /// Starts one stateless round. Whether the wants may be had is for the caller to know: any object here may be asked for.
    ///
    /// Git looks for names itself where a history is cut off at one, or deepened from where it was cut off before:
    /// `names` are all that it then finds.
    pub fn upload_pack(&self, protocol: Protocol, limits: Limits, names: &[(RefName, Sha)]) -> Result<UploadPack> {
        let named = if names.is_empty() { None } else { Some(self.with_names(names)?) };
        let directory = named.as_ref().map_or(self.directory.as_path(), tempfile::TempDir::path);
        let command = GitCommand::new(directory, "upload-pack", limits)
            .env("GIT_OBJECT_DIRECTORY", self.objects_directory())
            .setting("uploadpack.allowAnySHA1InWant=true")
            .setting("uploadpack.allowFilter=true")
            // Requests with other filters are refused before they come here; git refuses them as well.
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
            child: UploadPackChild { child, _names: named },
        })
    }

    /// A directory that git takes for this repository with these names in it.
    fn with_names(&self, names: &[(RefName, Sha)]) -> Result<tempfile::TempDir> {
        let directory = tempfile::tempdir_in(self.quarantine_directory())?;
        repository::write_skeleton(directory.path())?;
        let mut packed = String::with_capacity(names.len() * 64);
        for (name, sha) in names {
            writeln!(packed, "{sha} {name}").expect("a string takes all text");
        }
        fs::write(directory.path().join("packed-refs"), packed)?;
        Ok(directory)
    }
}
