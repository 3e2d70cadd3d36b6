//! Reads: the service with and without its caches, compared with bare axum sending the same bytes.

use std::path::Path;

use anyhow::{Context as _, Result, bail};

use super::caches::ALL_CACHES;
use super::compare::{Rounds, Side, alternate, measure};
use super::group::RowGroup;
use crate::harness::{Context, Cpu, ResponseCache, ServeOptions, names, service};
use crate::http::{Client, Recording, record};
use crate::load::{Measurement, Pace, Replay};
use crate::results::{Latency, Results, Row, Target, significant};
use crate::seed::standard::REFS;
use crate::seed::{self, StandardSeed};
use crate::servers::{RecordedResponses, Role};
use crate::system::ServerProcess;

const CONNECTIONS: usize = 32;
/// Different resources, requested in turn.
const DISTINCT_PATHS: u64 = 30;
const REPO: &str = "/repos/acme/rocket";

/// What a read should reach, compared with bare axum.
#[derive(Debug, Clone, Copy)]
pub struct ReadTargets {
    pub cached: Target,
    pub uncached: Target,
}

const POINT_READ: ReadTargets = ReadTargets { cached: Target::AtLeast(0.6), uncached: Target::AtLeast(0.6) };
const LIST: ReadTargets = ReadTargets { cached: Target::AtLeast(0.5), uncached: Target::AtLeast(0.25) };

pub const GET_REF: RowGroup = RowGroup {
    name: "get-ref",
    about: "GET one ref with a token, compared with bare axum sending the same bytes",
    run: |context| rows(context, "GET one ref", POINT_READ, ref_paths),
};

pub fn ref_paths(_: &ServerProcess) -> Result<Vec<String>> {
    let step = REFS / DISTINCT_PATHS;
    Ok((0..DISTINCT_PATHS).map(|index| format!("{REPO}/git/ref/heads/topic-{:04}", index * step)).collect())
}

pub const GET_COMMENT: RowGroup = RowGroup {
    name: "get-comment",
    about: "GET one review comment with a token, compared with bare axum sending the same bytes",
    run: |context| rows(context, "GET one comment", POINT_READ, comment_paths),
};

pub fn comment_paths(service: &ServerProcess) -> Result<Vec<String>> {
    let ids = list_ids(service, &format!("{REPO}/pulls/1/comments"))?;
    Ok(ids.into_iter().map(|id| format!("{REPO}/pulls/comments/{id}")).collect())
}

pub const GET_FIELD: RowGroup = RowGroup {
    name: "get-field",
    about: "GET one project field with a token, compared with bare axum sending the same bytes",
    run: |context| rows(context, "GET one field", POINT_READ, field_paths),
};

pub fn field_paths(service: &ServerProcess) -> Result<Vec<String>> {
    let fields = "/orgs/acme/projectsV2/1/fields";
    let last = list_ids(service, fields)?.pop().context("the project has no field")?;
    Ok(vec![format!("{fields}/{last}")])
}

pub const LIST_COMMENTS: RowGroup = RowGroup {
    name: "list-comments",
    about: "a list of 30 review comments, compared with bare axum sending the same bytes",
    run: |context| rows(context, "list of 30 comments", LIST, list_path),
};

pub fn list_path(_: &ServerProcess) -> Result<Vec<String>> {
    Ok(vec![format!("{REPO}/pulls/1/comments?per_page=30")])
}

fn list_ids(service: &ServerProcess, path: &str) -> Result<Vec<String>> {
    let listed = Client::connect(service.address)?.get(path)?.expect(200)?.json()?;
    let items = listed.as_array().with_context(|| format!("{path} is not a list"))?;
    Ok(items.iter().map(|item| item["id"].to_string()).collect())
}

fn rows(
    context: &Context,
    what: &str,
    targets: ReadTargets,
    paths: fn(&ServerProcess) -> Result<Vec<String>>,
) -> Result<Results> {
    let seed = StandardSeed::get(context)?;
    let options = ServeOptions { cpu: Cpu::ServerCore, ..ServeOptions::default() };
    let service = service::start(context, &seed.data(), options)?;
    let recordings = record(service.address, paths(&service)?)?;
    compare(context, (what, targets), (&service, recordings), &seed.directory)
}

/// Compares a service, also without the response cache and without any cache, with bare axum. `seed` has the data of the service.
pub fn compare(
    context: &Context,
    (what, targets): (&str, ReadTargets),
    (service, recordings): (&ServerProcess, Vec<Recording>),
    seed: &Path,
) -> Result<Results> {
    let directory = context.scratch("uncached")?;
    let copy = |name: &str| seed::copy_data(seed, &directory.join(name));
    let uncached = service::start_uncached(context, &copy("uncached")?)?;
    let options = ServeOptions {
        cpu: Cpu::ServerCore,
        response_cache: ResponseCache::Off,
        disabled_caches: Some(&ALL_CACHES),
        ..ServeOptions::default()
    };
    let plain = service::start(context, &copy("plain")?, options)?;
    let bare = start_bare(context, &recordings)?;
    let [mut first, mut second, mut third, mut fourth] = [(); 4].map(|()| Replay::new(recordings.clone()));
    let mut sides = [
        Side { server: service, workload: &mut first },
        Side { server: &bare, workload: &mut second },
        Side { server: &uncached, workload: &mut third },
        Side { server: &plain, workload: &mut fourth },
    ];
    let rounds = alternate(context, CONNECTIONS, &mut sides)?;
    let pace = rounds[0].figure(Measurement::per_second).median / 2.0;
    let mut latencies = Vec::new();
    for (name, side) in ["service", "bare axum"].into_iter().zip(&mut sides) {
        latencies.push(latency(context, &format!("{what}, cached, {name}"), side, pace)?);
    }
    Ok(Results { rows: ratios(what, targets, &rounds)?, latencies, ..Results::default() })
}

fn ratios(what: &str, targets: ReadTargets, rounds: &[Rounds]) -> Result<Vec<Row>> {
    let [service, bare, uncached, plain] = rounds else { bail!("four servers were measured") };
    let row = |how: &str, measured: &Rounds, figure, target, note| Row {
        what: format!("{what}, {how}"),
        service: measured.shown(),
        baseline: format!("bare axum: {}", bare.shown()),
        figure,
        unit: "×",
        target,
        note,
    };
    let uncached_note = format!("the service with `{} 0`", names::RESPONSE_CACHE_BYTES);
    let all_off =
        format!("the service with `{} 0` and all of `{}`", names::RESPONSE_CACHE_BYTES, names::DISABLED_CACHES);
    let ReadTargets { cached: target, uncached: without } = targets;
    Ok(vec![
        row("uncached, responses per CPU second", uncached, uncached.efficiency_ratio(bare), without, uncached_note),
        row("without any cache, responses per CPU second", plain, plain.efficiency_ratio(bare), Target::None, all_off),
        row("cached, responses per CPU second", service, service.efficiency_ratio(bare), target, String::new()),
        row("cached, responses per second", service, service.throughput_ratio(bare), target, generator_note(bare)),
    ])
}

/// A load generator that is always busy would be the bottleneck.
fn generator_note(bare: &Rounds) -> String {
    let busy = bare.figure(|round| round.per_second() / round.client_capacity()).median * 100.0;
    let capacity = significant(bare.figure(Measurement::client_capacity).median);
    format!("the load generator was {busy:.0} % busy with bare axum; its capacity is {capacity}/s")
}

/// Measures at half of the service's throughput: at full throughput only the queue would be measured.
fn latency(context: &Context, what: &str, side: &mut Side<'_>, per_second: f64) -> Result<Latency> {
    context.machine.pin_this_thread();
    let measured = measure(context, side, CONNECTIONS, Pace::Open(per_second))?;
    context.machine.unpin_this_thread();
    let percentiles = [500, 900, 990, 999].map(|permille| measured.permille(permille));
    Ok(Latency { what: what.into(), per_second, percentiles })
}

/// Starts bare axum and checks that it sends the same responses.
fn start_bare(context: &Context, recordings: &[Recording]) -> Result<ServerProcess> {
    let responses = context.directory.join("responses.json");
    RecordedResponses::write(&responses, recordings)?;
    let bare = service::start_reference(context, &Role::Bare { responses }, Cpu::ServerCore)?;
    let paths = recordings.iter().map(|recording| recording.path.clone()).collect();
    for (service, bare) in recordings.iter().zip(record(bare.address, paths)?) {
        if service.response.body != bare.response.body || header_names(service) != header_names(&bare) {
            bail!("bare axum and the service return different responses to {}", service.path);
        }
    }
    Ok(bare)
}

fn header_names(recording: &Recording) -> Vec<&str> {
    let mut names: Vec<&str> = recording.response.headers.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names
}
