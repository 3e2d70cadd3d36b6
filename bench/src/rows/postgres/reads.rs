//! GET one ref on PostgreSQL.

use anyhow::{Result, bail};

use super::measured::{Measured, alternate};
use crate::harness::postgres::Postgres;
use crate::harness::{Context, Cpu, ResponseCache, ServeOptions, service};
use crate::http::record;
use crate::load::Replay;
use crate::results::{Results, Row, Target};
use crate::rows::compare::Side;
use crate::rows::reads::ref_paths;
use crate::seed::StandardSeed;
use crate::servers::{RecordedResponses, Role};

const CONNECTIONS: usize = 64;
/// Compared with bare axum and one query.
const TARGET: Target = Target::AtLeast(0.6);

pub fn rows(context: &Context, postgres: &Postgres) -> Result<Results> {
    let seed = StandardSeed::get(context)?;
    let moved = postgres.move_seed(context, &seed.directory, "standard")?;
    let start = |name, response_cache| {
        let options = ServeOptions { cpu: Cpu::ServerCore, response_cache, ..ServeOptions::default() };
        postgres.start(context, &moved, name, options)
    };
    let (cached, uncached) = (start("cached", ResponseCache::On)?, start("uncached", ResponseCache::Off)?);
    let recordings = record(cached.address, ref_paths(&cached)?)?;
    let responses = context.directory.join("postgres-responses.json");
    RecordedResponses::write(&responses, &recordings)?;
    let role = Role::PostgresReader { responses, url: postgres.copy(&moved, "reader")? };
    let reader = service::start_reference(context, &role, Cpu::ServerCore)?;
    let [mut first, mut second, mut third] = [(); 3].map(|()| Replay::new(recordings.clone()));
    let mut sides = [
        Side { server: &cached, workload: &mut first },
        Side { server: &uncached, workload: &mut second },
        Side { server: &reader, workload: &mut third },
    ];
    let measured = alternate(context, postgres, CONNECTIONS, &mut sides)?;
    let [cached, uncached, reader] = measured.as_slice() else { bail!("three servers were measured") };
    let row = |how: &str, measured: &Measured| Row {
        what: format!("PostgreSQL, GET one ref, {how}, compared with one query"),
        service: measured.shown(),
        baseline: format!("one query: {}", reader.shown()),
        figure: measured.rounds.throughput_ratio(&reader.rounds),
        unit: "×",
        target: TARGET,
        note: format!("{:.2} by CPU time of the server", measured.rounds.efficiency_ratio(&reader.rounds).median),
    };
    Ok(Results::of_rows(vec![row("uncached", uncached), row("cached", cached)]))
}
