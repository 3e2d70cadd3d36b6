//! systemd: socket activation and readiness notification.

use listenfd::ListenFd;
use sd_notify::NotifyState;

use plinth_base::error::{Error, Result};

/// The listening socket that systemd passed, if there is one (`LISTEN_FDS`).
pub fn passed_listener() -> Result<Option<std::net::TcpListener>> {
    let passed = ListenFd::from_env().take_tcp_listener(0);
    let listener = passed.map_err(|error| Error::BadRequest(format!("the socket of LISTEN_FDS: {error}")))?;
    if let Some(listener) = &listener {
        listener.set_nonblocking(true)?;
    }
    Ok(listener)
}

/// Reports that requests are served from now on.
pub fn notify_ready() {
    notify(NotifyState::Ready);
}

/// Reports that the service is stopping.
pub fn notify_stopping() {
    notify(NotifyState::Stopping);
}

/// Does nothing unless `NOTIFY_SOCKET` is set.
fn notify(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "could not report the state of the service");
    }
}
