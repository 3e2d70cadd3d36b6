//! Durable writes with 64 clients: the service compared with the minimal writer, and with itself without waiting for the
//! disk.

use std::path::Path;

use anyhow::{Result, bail};

use super::compare::{Rounds, Side, alternate};
use super::group::RowGroup;
use crate::harness::{Context, Cpu, ServeOptions, names, service};
use crate::http::{Client, Recording};
use crate::load::{Generated, Measurement, Workload};
use crate::results::{Results, Row, Target, significant};
use crate::seed::standard::{COMMENTS, MOVING_REFS, changed_line};
use crate::seed::{self, StandardSeed};
use crate::servers::{Insert, RecordedResponses, Role, Synchronous};
use crate::system::ServerProcess;

const CONNECTIONS: usize = 64;
const REPO: &str = "/repos/acme/rocket";

pub const CREATE_REF: RowGroup = RowGroup {
    name: "create-ref",
    about: "durable creation of refs, 64 clients",
    run: |context| rows(context, "create a ref", Insert::Ref, create_ref),
};

pub fn create_ref(seed: &StandardSeed) -> Generated {
    let sha = seed.main_commits[0].clone();
    Generated::new("POST", 201, move |number| {
        (format!("{REPO}/git/refs"), format!(r#"{{"ref":"refs/heads/created/{number:08}","sha":"{sha}"}}"#))
    })
}

pub const UPDATE_REF: RowGroup = RowGroup {
    name: "update-ref",
    about: "durable fast-forwards of refs, 64 clients",
    run: |context| rows(context, "fast-forward a ref", Insert::Ref, update_ref),
};

pub fn update_ref(seed: &StandardSeed) -> Generated {
    let commits = seed.main_commits.clone();
    Generated::new("PATCH", 200, move |number| {
        // All refs move one commit before any moves the next.
        let step = usize::try_from(number / MOVING_REFS).unwrap_or_default() + 1;
        let body = format!(r#"{{"sha":"{}"}}"#, commits[step % commits.len()]);
        (format!("{REPO}/git/refs/heads/moving-{:04}", number % MOVING_REFS), body)
    })
}

pub const CREATE_COMMENT: RowGroup = RowGroup {
    name: "create-comment",
    about: "durable creation of review comments, 64 clients",
    run: |context| rows(context, "create a comment", Insert::Comment, create_comment),
};

pub fn create_comment(seed: &StandardSeed) -> Generated {
    let commit = seed.feature.clone();
    Generated::new("POST", 201, move |number| {
        let body = format!(
            r#"{{"body":"Comment {number}: is this *right*?","commit_id":"{commit}","path":"src/a.txt","line":{},"side":"RIGHT"}}"#,
            changed_line(usize::try_from(number).unwrap_or_default())
        );
        (format!("{REPO}/pulls/1/comments"), body)
    })
}

pub const UPDATE_COMMENT: RowGroup = RowGroup {
    name: "update-comment",
    about: "durable updates of review comments, 64 clients",
    run: |context| rows(context, "update a comment", Insert::Comment, update_comment),
};

pub fn update_comment(_: &StandardSeed) -> Generated {
    Generated::new("PATCH", 200, |number| {
        let id = number % COMMENTS as u64 + 1;
        (format!("{REPO}/pulls/comments/{id}"), format!(r#"{{"body":"Changed the {number}th time"}}"#))
    })
}

fn rows(context: &Context, what: &str, insert: Insert, workload: fn(&StandardSeed) -> Generated) -> Result<Results> {
    let seed = StandardSeed::get(context)?;
    let directory = context.scratch("writes")?;
    let mut workloads = [(); 5].map(|()| workload(&seed));
    let servers = start(context, &seed, &directory, insert, &mut workloads[0])?;
    let sides = servers.iter().zip(&mut workloads);
    let mut sides: Vec<Side<'_>> = sides.map(|(server, workload)| Side { server, workload }).collect();
    let rounds = alternate(context, CONNECTIONS, &mut sides)?;
    let [full, normal, minimal, minimal_normal, minimal_entry] = rounds.as_slice() else {
        bail!("five servers were measured")
    };
    let row = |baseline: &str, (name, other): (&str, &Rounds), target, note| Row {
        what: format!("{what}, compared with {baseline}"),
        service: full.shown(),
        baseline: format!("{name}: {}", other.shown()),
        figure: full.throughput_ratio(other),
        unit: "×",
        target,
        note,
    };
    let note = note(full, minimal, minimal_normal);
    let without_index = "the minimal writer on a table without indexes";
    Ok(Results::of_rows(vec![
        row("the minimal writer", ("minimal writer", minimal), Target::AtLeast(0.4), note),
        row(without_index, ("minimal writer", minimal_entry), Target::None, String::new()),
        row("`synchronous=NORMAL`", ("NORMAL", normal), Target::AtLeast(0.8), String::new()),
    ]))
}

/// The service with both settings of `synchronous`, the minimal writer with both, and the minimal writer without indexes.
fn start(
    context: &Context,
    seed: &StandardSeed,
    directory: &Path,
    insert: Insert,
    workload: &mut Generated,
) -> Result<[ServerProcess; 5]> {
    let copy = |name: &str| seed::copy_data(&seed.directory, &directory.join(name));
    let service = |name, synchronous| {
        let options = ServeOptions { cpu: Cpu::ServerCore, synchronous, ..ServeOptions::default() };
        service::start(context, &copy(name)?, options)
    };
    let (full, normal) = (service("full", Synchronous::Full)?, service("normal", Synchronous::Normal)?);
    let responses = directory.join("responses.json");
    RecordedResponses::write(&responses, &[record_first(&full, workload)?])?;
    let minimal = |name, synchronous, insert| {
        let database = copy(name)?.join(names::DATABASE_FILE);
        let role = Role::MinimalWriter { responses: responses.clone(), database, synchronous, insert };
        service::start_reference(context, &role, Cpu::ServerCore)
    };
    Ok([
        full,
        normal,
        minimal("minimal", Synchronous::Full, insert)?,
        minimal("minimal-normal", Synchronous::Normal, insert)?,
        minimal("minimal-entry", Synchronous::Full, Insert::Entry)?,
    ])
}

fn note(full: &Rounds, minimal: &Rounds, minimal_normal: &Rounds) -> String {
    let normal = significant(minimal_normal.figure(Measurement::per_second).median);
    let share = minimal.throughput_ratio(minimal_normal).median;
    let efficiency = full.efficiency_ratio(minimal).median;
    format!("{efficiency:.2} by CPU time; the minimal writer reaches {share:.2} of its own {normal}/s with NORMAL")
}

/// Sends the first request to the service; the minimal writer sends the same response.
pub fn record_first(service: &ServerProcess, workload: &mut Generated) -> Result<Recording> {
    let mut request = Vec::new();
    workload.write_next(&mut request);
    let response = Client::connect(service.address)?.send_raw(&request)?.expect(workload.status)?;
    Ok(Recording { path: String::new(), request, response })
}
