//! A server inside another program, instead of a process of its own.

use std::ffi::OsString;

use clap::builder::Resettable;
use clap::{Command, CommandFactory, FromArgMatches, Parser};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::Serve;
use crate::config::{ConfigFile, Options};
use plinth_base::error::{Error, Result};

/// What `plinth serve` accepts.
#[derive(Parser)]
#[command(name = "plinth serve")]
struct Flags {
    #[command(flatten)]
    config: ConfigFile,
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    serve: Serve,
}

/// A server on the Tokio runtime that has started it. The log and the signals belong to the program around it. It stops when it
/// is dropped; [`Embedded::stop`] also waits for that.
pub struct Embedded {
    url: String,
    control: Option<(String, String)>,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<Result<()>>,
}

impl Embedded {
    /// Returns when requests are served. The flags are those of `plinth serve`; environment variables change nothing.
    pub async fn start(flags: impl IntoIterator<Item = OsString>) -> Result<Self> {
        let invalid = |error: clap::Error| Error::BadRequest(error.to_string());
        let matches = command().try_get_matches_from(flags).map_err(invalid)?;
        let Flags { config, options, serve } = Flags::from_arg_matches(&matches).map_err(invalid)?;
        let options = options.over(config.read()?);
        options.check_values()?;
        let ready = serve.open(options, &mut std::io::sink()).await?;
        let control = ready.running.control_access().map(|access| (access.url.clone(), access.token.clone()));
        let (stop, stopped) = oneshot::channel();
        let url = ready.url.clone();
        // The sender is dropped or used; both stop the server.
        let serving = tokio::spawn(ready.serve(async { stopped.await.unwrap_or_default() }));
        Ok(Self { url, control, stop, serving })
    }

    /// The base URL for clients.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// With `--control`, the URL of the control interface and its token.
    pub fn control(&self) -> Option<(&str, &str)> {
        self.control.as_ref().map(|(url, token)| (url.as_str(), token.as_str()))
    }

    /// Finishes the requests in flight, and removes the files of an ephemeral server.
    pub async fn stop(self) -> Result<()> {
        // Its receiver is gone if the server has ended, whose result follows.
        self.stop.send(()).ok();
        self.serving.await.map_err(|error| Error::internal(error.to_string()))?
    }
}

/// The flags, without the variables that `plinth serve` reads: those are for another server.
fn command() -> Command {
    Flags::command().no_binary_name(true).mut_args(|argument| argument.env(Resettable::Reset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environment_does_not_change_an_embedded_server() {
        let variables = |command: Command| command.get_arguments().filter(|flag| flag.get_env().is_some()).count();
        assert_eq!(variables(command()), 0);
        assert!(variables(Flags::command()) > 10);
    }
}
