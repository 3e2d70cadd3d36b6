//! What a connection is doing, and for how long it may go on doing so.

use std::collections::HashMap;
use std::task::Waker;
use std::time::{Duration, Instant};

/// A blocked write makes progress when the client has taken this much, so that a byte now and then does not count.
const WRITE_PROGRESS_BYTES: usize = 16 * 1024;
/// A request body of which nothing has come for this long does not protect its connection from being closed for another.
const BODY_STALLED_AFTER: Duration = Duration::from_secs(1);

/// How long a client may keep the server waiting.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// For the first byte, for the protocol to be known, and for each head once it has begun.
    pub head: Duration,
    /// Between two requests.
    pub idle: Duration,
    /// For the next part of a response to be taken.
    pub write: Duration,
}

/// Which connections are closed first when there are too many. The order of the variants is the order of closing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Waiting {
    /// No request has ever come.
    First,
    /// Between two requests.
    Idle,
    /// A body of which nothing comes, or a response of which nothing is taken.
    Stalled,
}

/// The state of one connection.
#[derive(Debug)]
pub struct Activity {
    in_flight: usize,
    has_served: bool,
    head_begun: bool,
    /// Since when the server waits for a request, or for the rest of its head.
    waiting_since: Instant,
    last_read: Instant,
    reading_body: bool,
    blocked: Option<Blocked>,
    /// HTTP/2 streams whose client has closed its window, with the moment of their last frame.
    stalled_streams: HashMap<u64, Instant>,
    /// To be woken when no request is in flight any more.
    finished: Option<Waker>,
}

#[derive(Debug)]
struct Blocked {
    since: Instant,
    bytes: usize,
}

impl Activity {
    pub fn new(now: Instant) -> Self {
        Self {
            in_flight: 0,
            has_served: false,
            head_begun: false,
            waiting_since: now,
            last_read: now,
            reading_body: false,
            blocked: None,
            stalled_streams: HashMap::new(),
            finished: None,
        }
    }

    /// Some of a head has come, but not all of it.
    pub fn head_began(&mut self, now: Instant) {
        if !self.head_begun {
            self.head_begun = true;
            self.waiting_since = now;
        }
    }

    /// A request is in flight from now on.
    pub fn request_began(&mut self, now: Instant) {
        self.in_flight += 1;
        self.has_served = true;
        self.head_begun = false;
        self.last_read = now;
    }

    /// The response has been passed to the connection as a whole.
    pub fn request_ended(&mut self, now: Instant) {
        self.in_flight = self.in_flight.saturating_sub(1);
        self.waiting_since = now;
        if self.in_flight == 0
            && let Some(waiting) = self.finished.take()
        {
            waiting.wake();
        }
    }

    pub fn is_in_flight(&self) -> bool {
        self.in_flight > 0
    }

    /// Wakes this task when no request is in flight any more.
    pub fn wake_when_finished(&mut self, waker: &Waker) {
        self.finished = Some(waker.clone());
    }

    /// The server waits for the rest of a body.
    pub fn body_awaited(&mut self) {
        self.reading_body = true;
    }

    pub fn body_came(&mut self, now: Instant) {
        self.reading_body = false;
        self.last_read = now;
    }

    pub fn write_blocked(&mut self, now: Instant) {
        self.blocked.get_or_insert(Blocked { since: now, bytes: 0 });
    }

    pub fn wrote(&mut self, bytes: usize, now: Instant) {
        if let Some(blocked) = &mut self.blocked {
            blocked.bytes += bytes;
            if blocked.bytes >= WRITE_PROGRESS_BYTES {
                *blocked = Blocked { since: now, bytes: 0 };
            }
        }
    }

    /// Everything that there was has been written.
    pub fn flushed(&mut self) {
        self.blocked = None;
    }

    pub fn stream_stalled(&mut self, stream: u64, now: Instant) {
        self.stalled_streams.insert(stream, now);
    }

    pub fn stream_moved(&mut self, stream: u64) {
        self.stalled_streams.remove(&stream);
    }

    /// Why the connection must be closed by now, if it must.
    pub fn overdue(&self, now: Instant, timeouts: &Timeouts) -> Option<&'static str> {
        let is_over = |since: Instant, limit: Duration| now.saturating_duration_since(since) >= limit;
        if self.blocked.as_ref().is_some_and(|blocked| is_over(blocked.since, timeouts.write)) {
            return Some("its client does not read");
        }
        if self.stalled_streams.values().any(|since| is_over(*since, timeouts.write)) {
            return Some("its client has closed the window of a stream");
        }
        let limit = if self.has_served && !self.head_begun { timeouts.idle } else { timeouts.head };
        (self.in_flight == 0 && is_over(self.waiting_since, limit)).then_some("no request came")
    }

    /// Whether the server only waits for this client, and since when.
    pub fn waiting(&self, now: Instant) -> Option<(Waiting, Instant)> {
        if let Some(blocked) = &self.blocked {
            return Some((Waiting::Stalled, blocked.since));
        }
        if self.in_flight == 0 {
            let kind = if self.has_served { Waiting::Idle } else { Waiting::First };
            return Some((kind, self.waiting_since));
        }
        let is_stalled = self.reading_body && now.saturating_duration_since(self.last_read) >= BODY_STALLED_AFTER;
        is_stalled.then_some((Waiting::Stalled, self.last_read))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUTS: Timeouts =
        Timeouts { head: Duration::from_secs(10), idle: Duration::from_secs(75), write: Duration::from_secs(60) };

    fn after(start: Instant, seconds: u64) -> Instant {
        start + Duration::from_secs(seconds)
    }

    #[test]
    fn the_first_request_has_less_time_than_the_next_one() {
        let start = Instant::now();
        let mut activity = Activity::new(start);
        assert_eq!(activity.overdue(after(start, 9), &TIMEOUTS), None);
        assert!(activity.overdue(after(start, 10), &TIMEOUTS).is_some());
        activity.request_began(after(start, 5));
        assert_eq!(activity.overdue(after(start, 500), &TIMEOUTS), None, "a request in flight has timeouts of its own");
        activity.request_ended(after(start, 500));
        assert_eq!(activity.overdue(after(start, 574), &TIMEOUTS), None);
        assert!(activity.overdue(after(start, 575), &TIMEOUTS).is_some());
        activity.head_began(after(start, 560));
        activity.head_began(after(start, 565));
        assert_eq!(activity.overdue(after(start, 569), &TIMEOUTS), None);
        assert!(activity.overdue(after(start, 570), &TIMEOUTS).is_some(), "each byte does not begin the time anew");
    }

    #[test]
    fn a_reader_that_takes_a_byte_now_and_then_makes_no_progress() {
        let start = Instant::now();
        let mut activity = Activity::new(start);
        activity.request_began(start);
        activity.write_blocked(start);
        for second in 1..60 {
            activity.wrote(1, after(start, second));
            assert_eq!(activity.overdue(after(start, second), &TIMEOUTS), None);
        }
        assert!(activity.overdue(after(start, 60), &TIMEOUTS).is_some());
        activity.wrote(WRITE_PROGRESS_BYTES, after(start, 59));
        assert_eq!(activity.overdue(after(start, 60), &TIMEOUTS), None);
        activity.flushed();
        assert_eq!(activity.overdue(after(start, 500), &TIMEOUTS), None);
    }

    #[test]
    fn a_stalled_stream_is_noticed_beside_one_that_moves() {
        let start = Instant::now();
        let mut activity = Activity::new(start);
        activity.request_began(start);
        activity.stream_stalled(1, start);
        activity.stream_stalled(2, after(start, 50));
        activity.stream_moved(2);
        assert!(activity.overdue(after(start, 60), &TIMEOUTS).is_some());
        activity.stream_moved(1);
        assert_eq!(activity.overdue(after(start, 60), &TIMEOUTS), None);
    }

    #[test]
    fn work_is_never_waiting_and_silence_is_the_first_to_go() {
        let start = Instant::now();
        let mut activity = Activity::new(start);
        assert_eq!(activity.waiting(start), Some((Waiting::First, start)));
        activity.request_began(start);
        assert_eq!(activity.waiting(after(start, 5)), None);
        activity.body_awaited();
        assert_eq!(activity.waiting(start), None, "a body that is coming is not stalled");
        assert_eq!(activity.waiting(after(start, 5)), Some((Waiting::Stalled, start)));
        activity.body_came(after(start, 5));
        activity.request_ended(after(start, 6));
        assert_eq!(activity.waiting(after(start, 7)), Some((Waiting::Idle, after(start, 6))));
        assert!(Waiting::First < Waiting::Idle && Waiting::Idle < Waiting::Stalled);
    }
}
