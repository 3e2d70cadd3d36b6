//! The server on threads of this process.

use std::ffi::OsString;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use plinth::Embedded;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use crate::Error;
use crate::process::Ready;

/// Ends the server when it is dropped.
pub struct InProcess {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    /// Contains the state file, unless that is the user's own.
    _temporary: TempDir,
}

impl InProcess {
    /// Returns when the server is ready. It has a runtime of its own: that of a test may have one thread, which waits for
    /// the server, or end before it.
    pub fn start(flags: Vec<OsString>, temporary: TempDir) -> Result<(Self, Ready), Error> {
        let runtime = Runtime::new()?;
        let (stop, stopped) = oneshot::channel();
        let (sender, receiver) = mpsc::channel();
        let run = move || runtime.block_on(run(flags, sender, stopped));
        let thread = thread::Builder::new().name("plinth".into()).spawn(run)?;
        let server = Self { stop: Some(stop), thread: Some(thread), _temporary: temporary };
        // Without a message, the thread has panicked.
        let ready = receiver.recv().unwrap_or(Err(Error::NotReady))?;
        Ok((server, ready))
    }
}

async fn run(flags: Vec<OsString>, ready: mpsc::Sender<Result<Ready, Error>>, stopped: oneshot::Receiver<()>) {
    let started = Embedded::start(flags).await.map_err(|error| Error::Start(error.to_string()));
    let server = match started {
        Ok(server) => server,
        Err(error) => {
            // Somebody waits for it.
            ready.send(Err(error)).ok();
            return;
        }
    };
    let (control_url, control_token) = server.control().map(|(url, token)| (url.to_owned(), token.to_owned())).unzip();
    ready.send(Ok(Ready { url: server.url().to_owned(), control_url, control_token })).ok();
    stopped.await.ok();
    server.stop().await.ok();
}

impl Drop for InProcess {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}
