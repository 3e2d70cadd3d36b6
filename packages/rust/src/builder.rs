//! How a server is started.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::process::Process;
use crate::{Error, Plinth};

enum State {
    Text(String),
    File(PathBuf),
}

/// A server that does not run yet.
#[derive(Default)]
#[must_use]
pub struct Builder {
    state: Option<State>,
    flags: Vec<OsString>,
    program: Option<PathBuf>,
    #[cfg(feature = "in-process")]
    is_in_process: bool,
}

impl Builder {
    /// The initial data, as the text of a state file.
    pub fn state(mut self, text: impl Into<String>) -> Self {
        self.state = Some(State::Text(text.into()));
        self
    }

    /// The initial data, as a state file. Paths in it are relative to its directory.
    pub fn state_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.state = Some(State::File(path.into()));
        self
    }

    /// More flags of `plinth serve`, such as `["--explain"]`.
    pub fn flags<F: Into<OsString>>(mut self, flags: impl IntoIterator<Item = F>) -> Self {
        self.flags.extend(flags.into_iter().map(Into::into));
        self
    }

    /// The path of the program, instead of the variable `PLINTH` and `PATH`.
    pub fn program(mut self, path: impl Into<PathBuf>) -> Self {
        self.program = Some(path.into());
        self
    }

    /// Runs the server on threads of this process. No program is necessary then, except `git`.
    #[cfg(feature = "in-process")]
    pub fn in_process(mut self) -> Self {
        self.is_in_process = true;
        self
    }

    /// Returns when the server accepts requests.
    pub fn start(self) -> Result<Plinth, Error> {
        let temporary = tempfile::Builder::new().prefix("plinth-state-").tempdir()?;
        let mut flags: Vec<OsString> =
            ["--ephemeral", "--listen", "127.0.0.1:0", "--log", "warn"].map(OsString::from).into();
        let file = match self.state {
            None => None,
            Some(State::File(path)) => Some(path),
            Some(State::Text(text)) => {
                let path = temporary.path().join("state.yaml");
                std::fs::write(&path, text)?;
                Some(path)
            }
        };
        if let Some(file) = &file {
            flags.extend(["--state".into(), file.into()]);
        }
        flags.extend(self.flags);
        let directory = file.as_deref().and_then(Path::parent).unwrap_or(temporary.path()).to_owned();
        #[cfg(feature = "in-process")]
        if self.is_in_process {
            let (server, ready) = crate::in_process::InProcess::start(flags, temporary)?;
            return Ok(Plinth::of(ready, directory, server));
        }
        let (process, ready) = Process::start(self.program, flags, temporary)?;
        Ok(Plinth::of(ready, directory, process))
    }
}
