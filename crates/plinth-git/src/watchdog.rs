//! Ends a group of processes when its time is over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::process::{Pid, Signal};

/// One thread that waits for the end of the time or for the end of the child, whichever comes first.
pub(super) struct Watchdog {
    stop: mpsc::Sender<()>,
    thread: JoinHandle<()>,
    bit: Arc<AtomicBool>,
}

impl Watchdog {
    pub(super) fn start(group: Pid, time: Duration) -> Self {
        let (stop, stopped) = mpsc::channel::<()>();
        let bit = Arc::new(AtomicBool::new(false));
        let set_bit = bit.clone();
        let thread = thread::spawn(move || {
            if stopped.recv_timeout(time) == Err(mpsc::RecvTimeoutError::Timeout) {
                set_bit.store(true, Ordering::Release);
                let _ = rustix::process::kill_process_group(group, Signal::KILL);
            }
        });
        Self { stop, thread, bit }
    }

    /// Tells whether it had to bite.
    pub(super) fn stop(self) -> bool {
        drop(self.stop);
        let _ = self.thread.join();
        self.bit.load(Ordering::Acquire)
    }
}
