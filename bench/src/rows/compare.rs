//! Servers measured alternately, so that what the machine does meanwhile meets all of them.

use crate::Result;
use crate::bench::Bench;
use crate::figure::{Figure, significant};
use crate::load::{self, Load, Outcome, Pace, Script};
use crate::process::Running;

/// One of the servers, with what it is asked.
pub struct Side<'a> {
    pub server: &'a Running,
    pub script: &'a mut dyn Script,
}

/// The outcomes of one server, round by round.
pub struct Rounds(pub Vec<Outcome>);

/// Measures throughput, in rounds; every second one goes through the servers in reverse.
pub fn alternate(bench: &Bench, connections: usize, sides: &mut [Side<'_>]) -> Result<Vec<Rounds>> {
    bench.machine.pin_this_thread();
    let mut rounds: Vec<Rounds> = sides.iter().map(|_| Rounds(Vec::new())).collect();
    for round in 0..bench.rounds {
        let mut order: Vec<usize> = (0..sides.len()).collect();
        if round % 2 == 1 {
            order.reverse();
        }
        for index in order {
            rounds[index].0.push(measure(bench, &mut sides[index], connections, Pace::Closed)?);
        }
    }
    bench.machine.unpin_this_thread();
    Ok(rounds)
}

/// One measurement of one server.
pub fn measure(bench: &Bench, side: &mut Side<'_>, connections: usize, pace: Pace) -> Result<Outcome> {
    let Side { server, script } = side;
    let load = Load { address: server.address, pid: server.pid(), connections, duration: bench.duration, pace };
    load::run(&load, *script)
}

impl Rounds {
    pub fn figure(&self, of: impl Fn(&Outcome) -> f64) -> Figure {
        Figure::of(&self.0.iter().map(of).collect::<Vec<_>>())
    }

    /// Throughput as a part of that of the other, round by round.
    pub fn throughput_against(&self, other: &Rounds) -> Figure {
        self.against(other, Outcome::per_second)
    }

    /// As throughput, but by CPU time alone: what the other server needs for an answer as a part of what this one needs.
    pub fn economy_against(&self, other: &Rounds) -> Figure {
        other.against(self, Outcome::server_micros)
    }

    fn against(&self, other: &Rounds, of: fn(&Outcome) -> f64) -> Figure {
        Figure::of(&self.0.iter().zip(&other.0).map(|(one, other)| of(one) / of(other)).collect::<Vec<_>>())
    }

    /// Throughput and CPU time, for people.
    pub fn shown(&self) -> String {
        let per_second = self.figure(Outcome::per_second).median;
        let micros = self.figure(Outcome::server_micros).median;
        format!("{}/s, {} µs CPU", significant(per_second), significant(micros))
    }
}
