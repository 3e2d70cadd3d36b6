//! Kills a process group on timeout.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::process::{Pid, Signal};

/// A thread that waits for the timeout or for the exit of the child, whichever comes first.
pub(crate) struct Watchdog {
    stop: mpsc::Sender<()>,
    thread: JoinHandle<()>,
    timed_out: Arc<AtomicBool>,
}

impl Watchdog {
    pub(crate) fn start(group: Pid, time: Duration) -> Self {
        let (stop, stopped) = mpsc::channel::<()>();
        let timed_out = Arc::new(AtomicBool::new(false));
        let set_timed_out = timed_out.clone();
        let thread = thread::spawn(move || {
            if stopped.recv_timeout(time) == Err(mpsc::RecvTimeoutError::Timeout) {
                set_timed_out.store(true, Ordering::Release);
                let _ = rustix::process::kill_process_group(group, Signal::KILL);
            }
        });
        Self { stop, thread, timed_out }
    }

    /// Returns whether the child was killed.
    pub(crate) fn stop(self) -> bool {
        drop(self.stop);
        let _ = self.thread.join();
        self.timed_out.load(Ordering::Acquire)
    }
}
