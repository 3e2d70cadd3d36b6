//! The REST part of the row `traffic` on PostgreSQL.

use anyhow::Result;

use crate::harness::postgres::Postgres;
use crate::harness::{Context, Cpu, ServeOptions};
use crate::results::Results;
use crate::rows::traffic;
use crate::seed::traffic::TrafficSeed;

pub fn rows(context: &Context, postgres: &Postgres) -> Result<Results> {
    let seed = TrafficSeed::get(context)?;
    let moved = postgres.move_seed(context, &seed.directory, "traffic")?;
    let start = |name: &str, options| {
        postgres.start(context, &moved, name, ServeOptions { cpu: Cpu::ServerCore, metrics: true, ..options })
    };
    traffic::rest(context, &seed, "PostgreSQL, traffic", &start, None)
}
