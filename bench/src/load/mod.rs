//! The load generator: one thread, many connections, one request at a time on each.
//!
//! For throughput each connection sends its next request when it has its answer. For latency requests are due at
//! fixed times whether or not the server keeps up, and are timed from when they were due: a server that stops for a
//! moment is charged with everyone who waited meanwhile.

mod connection;
mod outcome;
mod script;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use connection::Connection;
use mio::{Events, Poll, Token};
pub use outcome::Outcome;
pub use script::{Exchange, Made, Replay, Script};

use crate::{Result, usage};

/// Of each measurement, before it counts.
const WARM_UP: f64 = 0.2;
/// A busy machine may not get to any answer in a short time, and a number of none is not a number.
const ANSWERS_MIN: usize = 20;
/// How long answers are waited for.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long one look at the sockets may take where nothing is due.
const LOOK: Duration = Duration::from_millis(5);
/// The kernel's timer is coarser than the time between two requests, so the last bit of a wait is spent looking.
const TIMER_GRAIN: Duration = Duration::from_millis(2);

/// What to do to a server.
pub struct Load {
    pub address: SocketAddr,
    /// Whose CPU time is counted.
    pub pid: u32,
    pub connections: usize,
    pub duration: Duration,
    pub pace: Pace,
}

#[derive(Debug, Clone, Copy)]
pub enum Pace {
    /// As soon as the answer to the one before is there.
    Closed,
    /// At fixed times, so many in a second.
    Open(f64),
}

/// Loads a server; an answer that is not the expected one ends the run.
pub fn run(load: &Load, script: &mut dyn Script) -> Result<Outcome> {
    Runner::new(load)?.run(script).map_err(|error| format!("{}: {error}", load.address))
}

/// Makes so many requests, as fast as they are answered: a way to fill a store.
pub fn send(load: &Load, script: &mut dyn Script, count: usize) -> Result<()> {
    let mut runner = Runner::new(load)?;
    let mut events = Events::with_capacity(1024);
    let mut sent = 0;
    while runner.measured.count() < count {
        while sent < count
            && let Some(index) = runner.idle.pop()
        {
            runner.connections[index].send(script, Instant::now())?;
            sent += 1;
        }
        runner.take_answers(&mut events, script, LOOK)?;
    }
    Ok(())
}

struct Runner<'a> {
    load: &'a Load,
    poll: Poll,
    connections: Vec<Connection>,
    idle: Vec<usize>,
    /// When the requests that nobody could send yet were due.
    waiting: VecDeque<Instant>,
    begun: Instant,
    due_count: u64,
    measured: Outcome,
}

impl<'a> Runner<'a> {
    fn new(load: &'a Load) -> Result<Self> {
        let poll = Poll::new().map_err(|error| error.to_string())?;
        let connections =
            (0..load.connections).map(|index| Connection::open(load.address, poll.registry(), Token(index)));
        Ok(Self {
            load,
            connections: connections.collect::<Result<_>>()?,
            poll,
            idle: (0..load.connections).collect(),
            waiting: VecDeque::new(),
            begun: Instant::now(),
            due_count: 0,
            measured: Outcome::default(),
        })
    }

    fn run(mut self, script: &mut dyn Script) -> Result<Outcome> {
        let mut events = Events::with_capacity(1024);
        let warm_until = self.begun + self.load.duration.mul_f64(WARM_UP);
        let end = warm_until + self.load.duration;
        let mut books: Option<Books> = None;
        loop {
            let now = Instant::now();
            if books.is_none() && now >= warm_until {
                books = Some(Books::open(self.load.pid));
                self.measured = Outcome::default();
            }
            if now >= end && (self.measured.count() >= ANSWERS_MIN || now >= end + PATIENCE) {
                break;
            }
            self.send_due(now, script)?;
            let timeout = self.time_to_wait(now);
            self.take_answers(&mut events, script, timeout)?;
        }
        let mut measured = std::mem::take(&mut self.measured);
        books.ok_or("nothing was measured")?.close(self.load.pid, &mut measured);
        self.finish(&mut events, script)?;
        if measured.count() == 0 {
            return Err("no answer came while it was measured".into());
        }
        Ok(measured)
    }

    fn send_due(&mut self, now: Instant, script: &mut dyn Script) -> Result<()> {
        match self.load.pace {
            Pace::Closed => {
                while let Some(index) = self.idle.pop() {
                    self.connections[index].send(script, now)?;
                }
            }
            Pace::Open(per_second) => {
                while self.due(per_second) <= now {
                    self.waiting.push_back(self.due(per_second));
                    self.due_count += 1;
                }
                while let (Some(due), Some(index)) = (self.waiting.front(), self.idle.last()) {
                    self.connections[*index].send(script, *due)?;
                    self.waiting.pop_front();
                    self.idle.pop();
                }
            }
        }
        Ok(())
    }

    fn due(&self, per_second: f64) -> Instant {
        self.begun + Duration::from_secs_f64(self.due_count as f64 / per_second)
    }

    fn time_to_wait(&self, now: Instant) -> Duration {
        match self.load.pace {
            Pace::Closed => LOOK,
            Pace::Open(per_second) => {
                self.due(per_second).saturating_duration_since(now).saturating_sub(TIMER_GRAIN).min(LOOK)
            }
        }
    }

    fn take_answers(&mut self, events: &mut Events, script: &mut dyn Script, timeout: Duration) -> Result<()> {
        match self.poll.poll(events, Some(timeout)) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => return Ok(()),
            other => other.map_err(|error| error.to_string())?,
        }
        for event in events.iter() {
            let index = event.token().0;
            if let Some(since) = self.connections[index].advance(script)? {
                self.measured.add(since.elapsed());
                self.idle.push(index);
            }
        }
        Ok(())
    }

    /// Answers that are still under way belong to nobody's measurement, but a change half made would spoil the next.
    fn finish(&mut self, events: &mut Events, script: &mut dyn Script) -> Result<()> {
        let limit = Instant::now() + PATIENCE;
        while self.idle.len() < self.connections.len() {
            if Instant::now() > limit {
                return Err("an answer did not come".into());
            }
            self.take_answers(events, script, TIMER_GRAIN)?;
        }
        Ok(())
    }
}

/// What both sides had used when the measurement began.
struct Books {
    begun: Instant,
    server_cpu: Duration,
    client_cpu: Duration,
}

impl Books {
    fn open(pid: u32) -> Self {
        Self { begun: Instant::now(), server_cpu: usage::cpu(pid), client_cpu: usage::own_cpu() }
    }

    fn close(self, pid: u32, outcome: &mut Outcome) {
        outcome.elapsed = self.begun.elapsed();
        outcome.server_cpu = usage::cpu(pid).saturating_sub(self.server_cpu);
        outcome.client_cpu = usage::own_cpu().saturating_sub(self.client_cpu);
    }
}
