//! A workload like real traffic: many repositories and tokens, some popular and most not, reads, writes, pushes and clones.

mod git;
pub mod mix;
pub mod workload;

use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};

use self::mix::{Ids, Operation};
use self::workload::{Recorded, Selection, Traffic};
use super::caches::ALL_CACHES;
use super::compare::{Rounds, Side, alternate, measure};
use super::group::RowGroup;
use crate::harness::{Context, Cpu, ResponseCache, ServeOptions, names, service};
use crate::http::{Client, Recording};
use crate::load::{self, Measurement, Pace};
use crate::results::{Figure, Latency, Results, Row, Target};
use crate::seed;
use crate::seed::traffic::{TrafficSeed, org, repo};
use crate::servers::{Insert, RecordedResponses, Role, Synchronous};
use crate::system::ServerProcess;

const CONNECTIONS: usize = 64;

/// How long a service may take for what it does in the background after its start.
const BACKGROUND_MAX: Duration = Duration::from_secs(120);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

pub const TRAFFIC: RowGroup = RowGroup {
    name: "traffic",
    about: "a workload like real traffic, 64 clients: its REST part compared with bare axum, its git part with `git http-backend`",
    run: |context| {
        let seed = TrafficSeed::get(context)?;
        let directory = context.scratch("traffic")?;
        let start = |name: &str, options| {
            let data = seed::copy_data(&seed.directory, &directory.join(name))?;
            service::start(context, &data, ServeOptions { cpu: Cpu::ServerCore, metrics: true, ..options })
        };
        let start_durable = |responses: PathBuf| {
            let data = seed::copy_data(&seed.directory, &directory.join("minimal-writer"))?;
            let database = data.join(names::DATABASE_FILE);
            let synchronous = Synchronous::Full;
            let role = Role::MinimalWriter { responses, database, synchronous, insert: Insert::ByPath };
            service::start_reference(context, &role, Cpu::ServerCore)
        };
        let mut results = rest(context, &seed, "traffic", &start, Some(&start_durable))?;
        results.extend(git::rows(context, &seed)?);
        Ok(results)
    },
};

/// Starts a service by name, with the data of the seed.
type Start<'a> = &'a dyn Fn(&str, ServeOptions) -> Result<ServerProcess>;

/// Starts a server that sends the responses in a file, and does one durable insert for each request that writes.
type StartDurable<'a> = &'a dyn Fn(PathBuf) -> Result<ServerProcess>;

/// The REST part, compared with bare axum and with itself without the response cache, and without any cache.
pub fn rest(
    context: &Context,
    seed: &TrafficSeed,
    what: &str,
    start: Start<'_>,
    start_durable: Option<StartDurable<'_>>,
) -> Result<Results> {
    let service = start("service", ServeOptions::default())?;
    let without_responses = ServeOptions { response_cache: ResponseCache::Off, ..ServeOptions::default() };
    let uncached = start("uncached", without_responses)?;
    let without_caches = ServeOptions { disabled_caches: Some(&ALL_CACHES), ..without_responses };
    let plain = start("plain", without_caches)?;
    for server in [&service, &uncached, &plain] {
        wait_for_pulls(server, seed)?;
    }
    let operations = Rc::new(mix::operations(seed, &find_ids(&service, seed)?, context.size(300, 50_000)));
    let mut of_service = Traffic::recording(operations.clone());
    // The services begin with the same data, and have warm caches when they are measured.
    load::fill(service.address, CONNECTIONS, &mut of_service, operations.len())?;
    let recorded = Rc::new(of_service.finish_recording().context("the responses were recorded")?);
    let mut of_uncached = Traffic::new(operations.clone());
    load::fill(uncached.address, CONNECTIONS, &mut of_uncached, operations.len())?;
    let mut of_plain = Traffic::new(operations.clone());
    load::fill(plain.address, CONNECTIONS, &mut of_plain, operations.len())?;
    let responses = write_responses(context, &recorded)?;
    let bare = service::start_reference(context, &Role::Bare { responses: responses.clone() }, Cpu::ServerCore)?;
    let mut of_bare = Traffic::repeated(operations.clone(), recorded.clone());
    let durable = start_durable.map(|start| start(responses)).transpose()?;
    let mut of_durable = Traffic::repeated(operations.clone(), recorded.clone());
    let before = (service::cache_hit_counts(&service)?, of_service.reads());
    let mut sides = vec![
        Side { server: &service, workload: &mut of_service },
        Side { server: &bare, workload: &mut of_bare },
        Side { server: &uncached, workload: &mut of_uncached },
        Side { server: &plain, workload: &mut of_plain },
    ];
    sides.extend(durable.as_ref().map(|server| Side { server, workload: &mut of_durable }));
    let rounds = alternate(context, CONNECTIONS, &mut sides)?;
    let latencies = latencies(context, what, &mut sides, rounds[0].figure(Measurement::per_second).median / 2.0)?;
    let reads = (of_service.reads() - before.1).max(1) as f64;
    let after = service::cache_hit_counts(&service)?;
    let hit_ratios = [0, 1, 2, 3, 4].map(|cache| (after[cache] - before.0[cache]) as f64 / reads);
    let mut rows = rows(what, &rounds, hit_ratios, (&operations, &recorded))?;
    let mut parts = [(&service, &mut of_service), (&bare, &mut of_bare)];
    // The difference from the mix is what its writes cost, and what they cost reads.
    rows.extend(part(context, format!("{what}, REST part without its writes"), &mut parts, Selection::Reads)?);
    for kind in mix::kinds() {
        rows.extend(part(context, format!("{what}, {kind} alone"), &mut parts, Selection::Kind(kind))?);
    }
    Ok(Results { rows, latencies, ..Results::default() })
}

fn rows(
    name: &str,
    rounds: &[Rounds],
    hit_ratios: [f64; 5],
    (operations, recorded): (&[Operation], &Recorded),
) -> Result<Vec<Row>> {
    let [service, bare, uncached, plain, durable @ ..] = rounds else { bail!("four servers were measured") };
    let row = |what: &str, measured: &Rounds, baseline: String, figure, target| Row {
        what: format!("{name}, REST part{what}"),
        service: measured.shown(),
        baseline,
        figure,
        unit: "×",
        target,
        note: String::new(),
    };
    let of_bare = || format!("bare axum: {}", bare.shown());
    let share = |what: &str, ratio: f64| Row {
        unit: "of the reads",
        ..row(what, service, "–".into(), Figure::of(&[ratio]), Target::None)
    };
    let not_modified = recorded.not_modified_share() * 100.0;
    let note = format!("{} different requests in turn, of which {not_modified:.0} % get 304", operations.len());
    let with_durable_writes = durable.first().map(|durable| Row {
        note: format!("that program reaches {:.2} of bare axum", durable.efficiency_ratio(bare).median),
        ..row(
            ", compared with bare axum and one durable insert for each write",
            service,
            format!("minimal writer: {}", durable.shown()),
            service.efficiency_ratio(durable),
            Target::None,
        )
    });
    let mut rows = vec![
        Row { note, ..row("", service, of_bare(), service.efficiency_ratio(bare), Target::AtLeast(0.5)) },
        row(", uncached", uncached, of_bare(), uncached.efficiency_ratio(bare), Target::None),
        row(
            ", compared with the response cache off",
            service,
            format!("uncached: {}", uncached.shown()),
            service.efficiency_ratio(uncached),
            Target::AtLeast(2.0),
        ),
        row(
            ", compared with all caches off",
            service,
            format!("without caches: {}", plain.shown()),
            service.efficiency_ratio(plain),
            Target::None,
        ),
        share(", response cache hits", hit_ratios[0]),
        share(", shared bodies", hit_ratios[1]),
        share(", single refs in the cache", hit_ratios[2]),
        share(", single comments in the cache", hit_ratios[3]),
        share(", pages of comments whose comments are in the cache", hit_ratios[4]),
    ];
    rows.splice(1..1, with_durable_writes);
    Ok(rows)
}

/// A part of the requests by themselves, if there are any: other requests neither invalidate what they have cached nor displace them from
/// the processor's caches.
fn part(
    context: &Context,
    what: String,
    servers: &mut [(&ServerProcess, &mut Traffic); 2],
    selection: Selection,
) -> Result<Option<Row>> {
    let mut exists = true;
    let mut sides = servers.each_mut().map(|(server, workload)| {
        exists &= workload.select(selection);
        Side { server, workload: &mut **workload }
    });
    if !exists {
        return Ok(None);
    }
    let rounds = alternate(context, CONNECTIONS, &mut sides)?;
    let (service, bare) = (&rounds[0], &rounds[1]);
    Ok(Some(Row {
        what,
        service: service.shown(),
        baseline: format!("bare axum: {}", bare.shown()),
        figure: service.efficiency_ratio(bare),
        unit: "×",
        target: Target::None,
        note: String::new(),
    }))
}

/// At half of the service's throughput, for both: at full throughput only the queue would be measured.
fn latencies(context: &Context, what: &str, sides: &mut [Side<'_>], per_second: f64) -> Result<Vec<Latency>> {
    context.machine.pin_this_thread();
    let mut latencies = Vec::new();
    for (name, side) in ["service", "bare axum"].into_iter().zip(sides) {
        let measured = measure(context, side, CONNECTIONS, Pace::Open(per_second))?;
        let percentiles = [500, 900, 990, 999].map(|permille| measured.permille(permille));
        latencies.push(Latency { what: format!("{what}, REST part, {name}"), per_second, percentiles });
    }
    context.machine.unpin_this_thread();
    Ok(latencies)
}

fn write_responses(context: &Context, recorded: &Recorded) -> Result<PathBuf> {
    let file = context.directory.join("traffic-responses.json");
    let responses: Vec<Recording> = recorded.responses.values().cloned().collect();
    RecordedResponses::write(&file, &responses)?;
    Ok(file)
}

/// After an import, merges are tried and diffs are counted in the background. Until then, requests pay for that themselves.
fn wait_for_pulls(service: &ServerProcess, seed: &TrafficSeed) -> Result<()> {
    let mut client = Client::connect(service.address)?;
    let until = Instant::now() + BACKGROUND_MAX;
    for (org_index, repo_index) in seed.sizes.repos() {
        let path = format!("/repos/{}/{}/pulls/1", org(org_index), repo(repo_index));
        while client.get(&path)?.expect(200)?.json()?["mergeable"].is_null() {
            ensure!(Instant::now() < until, "{path} was not refreshed in time");
            std::thread::sleep(POLL_INTERVAL);
        }
    }
    Ok(())
}

/// Asks the service for the ids that requests contain.
fn find_ids(service: &ServerProcess, seed: &TrafficSeed) -> Result<Ids> {
    let mut client = Client::connect(service.address)?;
    let mut ids_at = |path: String| -> Result<Vec<i64>> {
        let listed = client.get(&path)?.expect(200)?.json()?;
        let items = listed.as_array().with_context(|| format!("{path} is not a list"))?;
        items.iter().map(|item| item["id"].as_i64().context("an id is a number")).collect()
    };
    let mut first_comments = Vec::new();
    for (org_index, repo_index) in seed.sizes.repos() {
        let path = format!("/repos/{}/{}/pulls/1/comments?per_page=1", org(org_index), repo(repo_index));
        first_comments.push(*ids_at(path)?.first().context("a pull request has no comment")?);
    }
    let fields = (0..seed.sizes.orgs).map(|index| ids_at(format!("/orgs/{}/projectsV2/1/fields", org(index))));
    Ok(Ids { fields: fields.collect::<Result<_>>()?, first_comments })
}
