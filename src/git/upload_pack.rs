//! Serving fetches: git builds the packs, and is told by the client's wants alone what to put in.

use std::process::{ChildStdin, ChildStdout, Stdio};

use super::child::{GitChild, GitCommand, Limits};
use super::repository::Repository;
use crate::error::{Error, Result};

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

/// The process behind the pipes.
pub struct UploadPackChild(GitChild);

impl UploadPackChild {
    /// Waits for the end. Both pipes must be closed by then.
    pub fn wait(self) -> Result<()> {
        let ending = self.0.wait()?;
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
    pub fn upload_pack(&self, protocol: Protocol, limits: Limits) -> Result<UploadPack> {
        let command = GitCommand::new(&self.directory, "upload-pack", limits)
            .setting("uploadpack.allowAnySHA1InWant=true")
            .setting("uploadpack.allowFilter=true")
            .args(["--stateless-rpc", "--strict"])
            .args([&self.directory])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let command = match protocol {
            Protocol::V0 => command,
            Protocol::V2 => command.env("GIT_PROTOCOL", "version=2"),
        };
        let mut child = command.spawn()?;
        Ok(UploadPack { stdin: child.take_stdin(), stdout: child.take_stdout(), child: UploadPackChild(child) })
    }
}
