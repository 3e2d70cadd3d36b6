//! Sends a workload over many connections and measures the responses.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use mio::{Events, Poll, Token};

use super::connection::Connection;
use super::measurement::Measurement;
use super::workload::Workload;
use crate::system::usage;

/// The part of a measurement's duration that passes before it counts.
const WARM_UP: f64 = 0.2;
/// A busy machine may return no response in a short round; wait for this many.
const RESPONSES_MIN: usize = 20;
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);
/// The longest poll while no request is due.
const POLL_TIMEOUT: Duration = Duration::from_millis(5);
/// The kernel's timer is coarser than the time between two requests, so the last bit of a wait is a busy loop.
const TIMER_GRANULARITY: Duration = Duration::from_millis(2);

/// How to load a server.
pub struct Load {
    /// The servers; connections are divided among them.
    pub addresses: Vec<SocketAddr>,
    pub processes: Processes,
    pub connections: usize,
    pub duration: Duration,
    pub pace: Pace,
}

/// The processes whose CPU time is measured.
#[derive(Debug, Clone, Default)]
pub struct Processes {
    pub servers: Vec<u32>,
    /// PostgreSQL, whose children serve connections.
    pub database: Option<u32>,
}

#[derive(Debug, Clone, Copy)]
pub enum Pace {
    /// Each connection sends its next request as soon as it has the response.
    Closed,
    /// Requests are due at fixed times, this many per second.
    Open(f64),
}

/// Measures a server; fails on an unexpected response.
pub fn run(load: &Load, workload: &mut dyn Workload) -> Result<Measurement> {
    Generator::new(load)?.run(workload).with_context(|| format!("{:?}", load.addresses))
}

/// Sends this many requests as fast as they complete, to fill a store.
pub fn fill(address: SocketAddr, connections: usize, workload: &mut dyn Workload, count: usize) -> Result<()> {
    let (addresses, processes) = (vec![address], Processes::default());
    let load = Load { addresses, processes, connections, duration: Duration::ZERO, pace: Pace::Closed };
    let mut generator = Generator::new(&load)?;
    let mut events = Events::with_capacity(1024);
    let mut sent = 0;
    while generator.measured.count() < count {
        while sent < count
            && let Some(index) = generator.idle.pop_front()
        {
            generator.connections[index].send(generator.poll.registry(), workload, Instant::now())?;
            sent += 1;
        }
        generator.receive(&mut events, workload, POLL_TIMEOUT)?;
    }
    Ok(())
}

struct Generator<'a> {
    load: &'a Load,
    poll: Poll,
    connections: Vec<Connection>,
    /// The one that is free for longest first, so that all servers get the same number of requests.
    idle: VecDeque<usize>,
    /// Due times of the requests that no connection was free to send.
    waiting: VecDeque<Instant>,
    begun: Instant,
    due_count: u64,
    measured: Measurement,
}

impl<'a> Generator<'a> {
    fn new(load: &'a Load) -> Result<Self> {
        let poll = Poll::new()?;
        let address = |index: usize| load.addresses[index % load.addresses.len()];
        let connections =
            (0..load.connections).map(|index| Connection::open(address(index), poll.registry(), Token(index)));
        Ok(Self {
            load,
            connections: connections.collect::<Result<_>>()?,
            poll,
            idle: (0..load.connections).collect(),
            waiting: VecDeque::new(),
            begun: Instant::now(),
            due_count: 0,
            measured: Measurement::default(),
        })
    }

    fn run(mut self, workload: &mut dyn Workload) -> Result<Measurement> {
        let mut events = Events::with_capacity(1024);
        let warm_until = self.begun + self.load.duration.mul_f64(WARM_UP);
        let end = warm_until + self.load.duration;
        let mut start: Option<Snapshot> = None;
        loop {
            let now = Instant::now();
            if start.is_none() && now >= warm_until {
                start = Some(Snapshot::take(&self.load.processes));
                self.measured = Measurement::default();
            }
            if now >= end && (self.measured.count() >= RESPONSES_MIN || now >= end + RESPONSE_TIMEOUT) {
                break;
            }
            self.send_due(now, workload)?;
            let timeout = self.poll_timeout(now);
            self.receive(&mut events, workload, timeout)?;
        }
        let mut measured = std::mem::take(&mut self.measured);
        start.context("the warm-up did not end")?.finish(&self.load.processes, &mut measured);
        self.drain(&mut events, workload)?;
        if measured.count() == 0 {
            bail!("no response arrived during the measurement");
        }
        Ok(measured)
    }

    fn send_due(&mut self, now: Instant, workload: &mut dyn Workload) -> Result<()> {
        match self.load.pace {
            Pace::Closed => {
                while let Some(index) = self.idle.pop_front() {
                    self.connections[index].send(self.poll.registry(), workload, now)?;
                }
            }
            Pace::Open(per_second) => {
                while self.due(per_second) <= now {
                    self.waiting.push_back(self.due(per_second));
                    self.due_count += 1;
                }
                while let (Some(due), Some(index)) = (self.waiting.front(), self.idle.front()) {
                    self.connections[*index].send(self.poll.registry(), workload, *due)?;
                    self.waiting.pop_front();
                    self.idle.pop_front();
                }
            }
        }
        Ok(())
    }

    fn due(&self, per_second: f64) -> Instant {
        self.begun + Duration::from_secs_f64(self.due_count as f64 / per_second)
    }

    fn poll_timeout(&self, now: Instant) -> Duration {
        match self.load.pace {
            Pace::Closed => POLL_TIMEOUT,
            Pace::Open(per_second) => {
                let until_due = self.due(per_second).saturating_duration_since(now);
                until_due.saturating_sub(TIMER_GRANULARITY).min(POLL_TIMEOUT)
            }
        }
    }

    fn receive(&mut self, events: &mut Events, workload: &mut dyn Workload, timeout: Duration) -> Result<()> {
        match self.poll.poll(events, Some(timeout)) {
            Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(()),
            other => other?,
        }
        for event in events.iter() {
            let index = event.token().0;
            if let Some(since) = self.connections[index].advance(workload)? {
                self.measured.add(since.elapsed());
                self.idle.push_back(index);
            }
        }
        Ok(())
    }

    /// Waits for the responses to pending requests: they are not measured, but an unfinished write would disturb the
    /// next measurement.
    fn drain(&mut self, events: &mut Events, workload: &mut dyn Workload) -> Result<()> {
        let deadline = Instant::now() + RESPONSE_TIMEOUT;
        while self.idle.len() < self.connections.len() {
            if Instant::now() > deadline {
                bail!("a response did not arrive within {} s", RESPONSE_TIMEOUT.as_secs());
            }
            self.receive(events, workload, TIMER_GRANULARITY)?;
        }
        Ok(())
    }
}

/// Time and CPU usage of all sides at the start of a measurement.
struct Snapshot {
    taken: Instant,
    usage: Usage,
}

struct Usage {
    servers: Duration,
    database: Duration,
    client: Duration,
}

impl Usage {
    fn now(processes: &Processes) -> Self {
        Self {
            servers: processes.servers.iter().map(|pid| usage::cpu(*pid)).sum(),
            database: processes.database.map_or(Duration::ZERO, usage::tree_cpu),
            client: usage::own_cpu(),
        }
    }
}

impl Snapshot {
    fn take(processes: &Processes) -> Self {
        Self { taken: Instant::now(), usage: Usage::now(processes) }
    }

    fn finish(self, processes: &Processes, measurement: &mut Measurement) {
        measurement.elapsed = self.taken.elapsed();
        let end = Usage::now(processes);
        measurement.server_cpu = end.servers.saturating_sub(self.usage.servers);
        measurement.database_cpu = end.database.saturating_sub(self.usage.database);
        measurement.client_cpu = end.client.saturating_sub(self.usage.client);
    }
}
