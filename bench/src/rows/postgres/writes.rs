//! Durable writes on PostgreSQL: all clients in one repository, where writes take turns, and spread over many.

use anyhow::{Result, bail};

use super::measured::alternate;
use crate::harness::postgres::{Moved, Postgres};
use crate::harness::{Context, Cpu, ServeOptions, service};
use crate::load::Generated;
use crate::results::{Results, Row, Target};
use crate::rows::compare::Side;
use crate::rows::writes::{create_comment, create_ref, record_first};
use crate::seed::{SpreadSeed, StandardSeed};
use crate::servers::{Insert, RecordedResponses, Role};

const CONNECTIONS: usize = 64;
/// Compared with bare axum and one insert.
const TARGET: Target = Target::AtLeast(0.5);

/// What one row measures.
struct Case<'a> {
    context: &'a Context,
    postgres: &'a Postgres,
    moved: &'a Moved,
    insert: Insert,
    repositories: u32,
}

pub fn rows(context: &Context, postgres: &Postgres) -> Result<Results> {
    if !postgres.is_durable()? && !context.quick {
        let reason = "the given PostgreSQL has fsync=off, so no write on it is durable";
        return Ok(Results { skipped: vec![reason.into()], ..Results::default() });
    }
    let seed = StandardSeed::get(context)?;
    let moved = postgres.move_seed(context, &seed.directory, "standard")?;
    let one = |insert| Case { context, postgres, moved: &moved, insert, repositories: 1 };
    let mut results = row(&one(Insert::Ref), "create a ref", || create_ref(&seed))?;
    results.extend(row(&one(Insert::Comment), "create a comment", || create_comment(&seed))?);
    let seed = SpreadSeed::get(context)?;
    let moved = postgres.move_seed(context, &seed.directory, "spread")?;
    let repositories = u32::try_from(seed.repositories)?;
    let many = |insert| Case { context, postgres, moved: &moved, insert, repositories };
    let new = |what: &str| format!("create a {what} in one of {repositories} repositories");
    results.extend(row(&many(Insert::Ref), &new("ref"), || Generated::new("POST", 201, seed.new_ref()))?);
    results.extend(row(&many(Insert::Comment), &new("comment"), || Generated::new("POST", 201, seed.new_comment()))?);
    Ok(results)
}

fn row(case: &Case<'_>, what: &str, workload: impl Fn() -> Generated) -> Result<Results> {
    let Case { context, postgres, moved, insert, repositories } = *case;
    let options = ServeOptions { cpu: Cpu::ServerCore, ..ServeOptions::default() };
    let service = postgres.start(context, moved, "service", options)?;
    let [mut of_service, mut of_writer] = [workload(), workload()];
    let responses = context.directory.join("postgres-responses.json");
    RecordedResponses::write(&responses, &[record_first(&service, &mut of_service)?])?;
    let role = Role::PostgresWriter { responses, url: postgres.copy(moved, "writer")?, insert, repositories };
    let writer = service::start_reference(context, &role, Cpu::ServerCore)?;
    let mut sides =
        [Side { server: &service, workload: &mut of_service }, Side { server: &writer, workload: &mut of_writer }];
    let measured = alternate(context, postgres, CONNECTIONS, &mut sides)?;
    let [service, writer] = measured.as_slice() else { bail!("two servers were measured") };
    let note = if repositories == 1 { "; all writes are to one repository" } else { "" };
    Ok(Results::of_rows(vec![Row {
        what: format!("PostgreSQL, {what}, compared with one insert"),
        service: service.shown(),
        baseline: format!("one insert: {}", writer.shown()),
        figure: service.rounds.throughput_ratio(&writer.rounds),
        unit: "×",
        target: TARGET,
        note: format!("{:.2} by CPU time of the server{note}", service.rounds.efficiency_ratio(&writer.rounds).median),
    }]))
}
