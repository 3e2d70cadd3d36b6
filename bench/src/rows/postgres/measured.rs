//! Measures servers alternately, and what PostgreSQL does for each.

use anyhow::Result;

use crate::harness::Context;
use crate::harness::postgres::Postgres;
use crate::load::{Measurement, Pace};
use crate::results::{Figure, significant};
use crate::rows::compare::{Rounds, Side, in_turn, measure};

/// The measurements of one server, and the CPU time of PostgreSQL per response in each round, in microseconds.
pub struct Measured {
    pub rounds: Rounds,
    database_micros: Vec<f64>,
}

impl Measured {
    /// Throughput and CPU time as text.
    pub fn shown(&self) -> String {
        let database = significant(Figure::of(&self.database_micros).median);
        format!("{}, and {database} µs of PostgreSQL", self.rounds.shown())
    }
}

/// As [`alternate`](crate::rows::compare::alternate).
pub fn alternate(
    context: &Context,
    postgres: &Postgres,
    connections: usize,
    sides: &mut [Side<'_>],
) -> Result<Vec<Measured>> {
    context.machine.pin_this_thread();
    let new = || Measured { rounds: Rounds(Vec::new()), database_micros: Vec::new() };
    let mut measured: Vec<Measured> = sides.iter().map(|_| new()).collect();
    in_turn(context.rounds, sides.len(), |index| {
        let side = &mut sides[index];
        let (one, database_micros) = context.disturbances.measure(|| {
            let before = postgres.cpu();
            let one = measure(context, side, connections, Pace::Closed)?;
            let database_micros = database_micros(postgres, before, &one);
            Ok((one, database_micros))
        })?;
        measured[index].database_micros.push(database_micros);
        measured[index].rounds.0.push(one);
        Ok(())
    })?;
    context.machine.unpin_this_thread();
    Ok(measured)
}

fn database_micros(postgres: &Postgres, before: std::time::Duration, one: &Measurement) -> f64 {
    postgres.cpu().saturating_sub(before).as_secs_f64() * 1e6 / one.count().max(1) as f64
}
