//! Durable writes on PostgreSQL.

use anyhow::{Result, bail};

use super::measured::alternate;
use crate::harness::postgres::{Moved, Postgres};
use crate::harness::{Context, Cpu, ServeOptions, service};
use crate::load::Generated;
use crate::results::{Results, Row, Target};
use crate::rows::compare::Side;
use crate::rows::writes::{create_comment, create_ref, record_first};
use crate::seed::StandardSeed;
use crate::servers::{Insert, RecordedResponses, Role};

const CONNECTIONS: usize = 64;
/// Compared with bare axum and one insert.
const TARGET: Target = Target::AtLeast(0.5);

pub fn rows(context: &Context, postgres: &Postgres) -> Result<Results> {
    if !postgres.is_durable()? && !context.quick {
        let reason = "the given PostgreSQL has fsync=off, so no write on it is durable";
        return Ok(Results { skipped: vec![reason.into()], ..Results::default() });
    }
    let seed = StandardSeed::get(context)?;
    let moved = postgres.move_seed(context, &seed.directory, "standard")?;
    let target = (context, postgres, &moved);
    let mut results = row(target, "create a ref", Insert::Ref, || create_ref(&seed))?;
    results.extend(row(target, "create a comment", Insert::Comment, || create_comment(&seed))?);
    Ok(results)
}

fn row(
    (context, postgres, moved): (&Context, &Postgres, &Moved),
    what: &str,
    insert: Insert,
    workload: impl Fn() -> Generated,
) -> Result<Results> {
    let options = ServeOptions { cpu: Cpu::ServerCore, ..ServeOptions::default() };
    let service = postgres.start(context, moved, "service", options)?;
    let [mut of_service, mut of_writer] = [workload(), workload()];
    let responses = context.directory.join("postgres-responses.json");
    RecordedResponses::write(&responses, &[record_first(&service, &mut of_service)?])?;
    let role = Role::PostgresWriter { responses, url: postgres.copy(moved, "writer")?, insert };
    let writer = service::start_reference(context, &role, Cpu::ServerCore)?;
    let mut sides =
        [Side { server: &service, workload: &mut of_service }, Side { server: &writer, workload: &mut of_writer }];
    let measured = alternate(context, postgres, CONNECTIONS, &mut sides)?;
    let [service, writer] = measured.as_slice() else { bail!("two servers were measured") };
    Ok(Results::of_rows(vec![Row {
        what: format!("PostgreSQL, {what}, compared with one insert"),
        service: service.shown(),
        baseline: format!("one insert: {}", writer.shown()),
        figure: service.rounds.throughput_ratio(&writer.rounds),
        unit: "×",
        target: TARGET,
        note: format!(
            "{:.2} by CPU time of the server; all writes are to one repository",
            service.rounds.efficiency_ratio(&writer.rounds).median
        ),
    }]))
}
