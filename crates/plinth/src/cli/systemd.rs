//! What systemd and programs like it do for a service: a socket that is open before it starts, and being told its state.

use listenfd::ListenFd;
use sd_notify::NotifyState;

use plinth_base::error::{Error, Result};

/// The listening socket that was passed on, where there is one (`LISTEN_FDS`).
pub fn passed_listener() -> Result<Option<std::net::TcpListener>> {
    let passed = ListenFd::from_env().take_tcp_listener(0);
    let listener = passed.map_err(|error| Error::BadRequest(format!("the socket that was passed on: {error}")))?;
    if let Some(listener) = &listener {
        listener.set_nonblocking(true)?;
    }
    Ok(listener)
}

/// Reports that requests are served from now on.
pub fn notify_ready() {
    notify(NotifyState::Ready);
}

/// Reports that the service is about to end.
pub fn notify_stopping() {
    notify(NotifyState::Stopping);
}

/// Does nothing where nobody listens (`NOTIFY_SOCKET`).
fn notify(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "could not report the state of the service");
    }
}
