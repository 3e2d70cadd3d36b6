//! Measures servers alternately, so that disturbances of the machine affect all of them.

use anyhow::Result;

use crate::harness::Context;
use crate::load::{self, Load, Measurement, Pace, Processes, Workload};
use crate::results::{Figure, significant};
use crate::system::ServerProcess;

/// One of the servers, with its workload.
pub struct Side<'a> {
    pub server: &'a ServerProcess,
    pub workload: &'a mut dyn Workload,
}

/// The measurements of one server, one per round.
pub struct Rounds(pub Vec<Measurement>);

/// Measures throughput in rounds; every second round takes the servers in reverse order.
pub fn alternate(context: &Context, connections: usize, sides: &mut [Side<'_>]) -> Result<Vec<Rounds>> {
    context.machine.pin_this_thread();
    let mut rounds: Vec<Rounds> = sides.iter().map(|_| Rounds(Vec::new())).collect();
    in_turn(context.rounds, sides.len(), |index| {
        let side = &mut sides[index];
        let measured = context.disturbances.measure(|| measure(context, side, connections, Pace::Closed))?;
        rounds[index].0.push(measured);
        Ok(())
    })?;
    context.machine.unpin_this_thread();
    Ok(rounds)
}

/// Calls `run` with each index in each round, in every second round backwards.
pub fn in_turn(rounds: usize, count: usize, mut run: impl FnMut(usize) -> Result<()>) -> Result<()> {
    for round in 0..rounds {
        let mut order: Vec<usize> = (0..count).collect();
        if round % 2 == 1 {
            order.reverse();
        }
        order.into_iter().try_for_each(&mut run)?;
    }
    Ok(())
}

/// Measures one server once.
pub fn measure(context: &Context, side: &mut Side<'_>, connections: usize, pace: Pace) -> Result<Measurement> {
    let Side { server, workload } = side;
    let processes = Processes { servers: vec![server.pid()], database: None };
    let load = Load { addresses: vec![server.address], processes, connections, duration: context.duration, pace };
    load::run(&load, *workload)
}

impl Rounds {
    pub fn figure(&self, value: impl Fn(&Measurement) -> f64) -> Figure {
        Figure::of(&self.0.iter().map(value).collect::<Vec<_>>())
    }

    /// The ratio of throughputs, round by round.
    pub fn throughput_ratio(&self, baseline: &Rounds) -> Figure {
        self.ratio(baseline, Measurement::per_second)
    }

    /// The ratio of responses per CPU second, round by round.
    pub fn efficiency_ratio(&self, baseline: &Rounds) -> Figure {
        baseline.ratio(self, Measurement::server_micros)
    }

    fn ratio(&self, other: &Rounds, value: fn(&Measurement) -> f64) -> Figure {
        Figure::of(&self.0.iter().zip(&other.0).map(|(one, other)| value(one) / value(other)).collect::<Vec<_>>())
    }

    /// Throughput and CPU time as text.
    pub fn shown(&self) -> String {
        let per_second = self.figure(Measurement::per_second).median;
        let micros = self.figure(Measurement::server_micros).median;
        format!("{}/s, {} µs CPU", significant(per_second), significant(micros))
    }
}
