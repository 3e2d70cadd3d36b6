//! Throughput on one core and on more. A load generator has a thread for each core of the server, and where the machine has enough of
//! them, cores of its own. Otherwise both share cores, and the CPU time per request is compared: locks that threads spin on or
//! wake each other for are in it, but time in which the server waits although there is work is not; that is in the utilization.

use anyhow::{Context as _, Result};

use super::compare::in_turn;
use super::group::RowGroup;
use super::{reads, writes};
use crate::harness::{Context, Cpu, ResponseCache, ServeOptions, service};
use crate::http::{Recording, record};
use crate::load::{self, Load, Measurement, Pace, Processes, Replay, Workload};
use crate::results::{Figure, Results, Row, Target, significant};
use crate::seed::{self, StandardSeed};
use crate::servers::{RecordedResponses, Role};
use crate::system::ServerProcess;

pub const CORES: RowGroup = RowGroup {
    name: "cores",
    about: "reads and writes on 2, 4 … cores, compared with so many times one core",
    run: rows,
};

/// Of each thread of the load generator.
const CONNECTIONS: usize = 32;
const WRITE_CONNECTIONS: usize = 64;
/// Of linear growth.
const READ_RATIO_MIN: f64 = 0.8;

/// A server on some of the cores.
struct Pinned {
    cores: usize,
    server: ServerProcess,
}

/// What one server did in one round.
#[derive(Clone, Copy)]
struct Sample {
    per_second: f64,
    server_micros: f64,
    /// The part of the server's cores that it used.
    utilization: f64,
}

fn rows(context: &Context) -> Result<Results> {
    let machine = &context.machine;
    if machine.first_cores(2).is_none() {
        return Ok(Results {
            skipped: vec!["more cores: there is one core, or no `taskset`".into()],
            ..Results::default()
        });
    }
    let counts: Vec<usize> = std::iter::successors(Some(1), |count| Some(count * 2))
        .take_while(|count| *count <= machine.core_count())
        .collect();
    let seed = StandardSeed::get(context)?;
    let mut rows = Vec::new();
    for (what, cache, paths) in [
        ("GET one ref, uncached", ResponseCache::Off, reads::ref_paths as fn(&ServerProcess) -> Result<Vec<String>>),
        ("list of 30 comments, uncached", ResponseCache::Off, reads::list_path),
        ("GET one ref, cached", ResponseCache::On, reads::ref_paths),
    ] {
        let mut servers = start(context, &seed, &counts, cache)?;
        let first = &servers[0].server;
        let recordings = record(first.address, paths(first)?)?;
        servers.extend(start_bare(context, &counts, &recordings)?);
        let samples = measure(context, &servers, |pinned| {
            Ok((0..pinned.cores).map(|_| Replay::new(recordings.clone())).collect())
        })?;
        let (of_service, of_bare) = samples.split_at(counts.len());
        rows.extend(compare(context, what, Target::AtLeast(READ_RATIO_MIN), &counts, of_service));
        rows.extend(compare(context, &format!("{what}, sent by bare axum"), Target::None, &counts, of_bare));
    }
    let servers = start(context, &seed, &counts, ResponseCache::On)?;
    let mut workloads: Vec<_> = counts.iter().map(|_| writes::create_ref(&seed)).collect();
    let mut samples = vec![Vec::new(); counts.len()];
    in_turn(context.rounds, counts.len(), |index| {
        let pinned = &servers[index];
        machine.pin_off_first(pinned.cores);
        let load = load(context, pinned, WRITE_CONNECTIONS);
        let measured = context.disturbances.measure(|| load::run(&load, &mut workloads[index]));
        machine.unpin_this_thread();
        samples[index].push(Sample::of(pinned.cores, &[measured?])?);
        Ok(())
    })?;
    // One thread writes; what surrounds it is divided.
    rows.extend(compare(context, "create a ref", Target::None, &counts, &samples));
    Ok(Results::of_rows(rows))
}

fn start(
    context: &Context,
    seed: &StandardSeed,
    counts: &[usize],
    response_cache: ResponseCache,
) -> Result<Vec<Pinned>> {
    let start = |cores: &usize| {
        let data = seed::copy_data(&seed.directory, &context.scratch(&format!("cores-{cores}"))?)?;
        let options = ServeOptions { cpu: Cpu::FirstCores(*cores), response_cache, ..ServeOptions::default() };
        Ok(Pinned { cores: *cores, server: service::start(context, &data, options)? })
    };
    counts.iter().map(start).collect()
}

/// Servers that send the same bytes. How they grow says how much of a loss is due to the machine and the load generator.
fn start_bare(context: &Context, counts: &[usize], recordings: &[Recording]) -> Result<Vec<Pinned>> {
    let responses = context.scratch("cores-bare")?.join("responses.json");
    RecordedResponses::write(&responses, recordings)?;
    let role = Role::Bare { responses };
    let start = |cores: &usize| {
        let server = service::start_reference(context, &role, Cpu::FirstCores(*cores))?;
        Ok(Pinned { cores: *cores, server })
    };
    counts.iter().map(start).collect()
}

/// Measures every server in every round, with the workloads of its threads.
fn measure<W: Workload + Send>(
    context: &Context,
    servers: &[Pinned],
    workloads: impl Fn(&Pinned) -> Result<Vec<W>>,
) -> Result<Vec<Vec<Sample>>> {
    let mut samples = vec![Vec::new(); servers.len()];
    in_turn(context.rounds, servers.len(), |index| {
        let pinned = &servers[index];
        let mut workloads = workloads(pinned)?;
        context.machine.pin_off_first(pinned.cores);
        let load = load(context, pinned, CONNECTIONS);
        let measured: Result<Vec<Measurement>> = context.disturbances.measure(|| {
            std::thread::scope(|scope| {
                let load = &load;
                let threads: Vec<_> =
                    workloads.iter_mut().map(|workload| scope.spawn(move || load::run(load, workload))).collect();
                threads.into_iter().map(|thread| thread.join().expect("a load generator does not panic")).collect()
            })
        });
        context.machine.unpin_this_thread();
        samples[index].push(Sample::of(pinned.cores, &measured?)?);
        Ok(())
    })?;
    Ok(samples)
}

fn load(context: &Context, pinned: &Pinned, connections: usize) -> Load {
    Load {
        addresses: vec![pinned.server.address],
        processes: Processes { servers: vec![pinned.server.pid()], database: None },
        connections,
        duration: context.duration,
        pace: Pace::Closed,
    }
}

impl Sample {
    /// `measured` by the threads of a load generator at the same time.
    fn of(cores: usize, measured: &[Measurement]) -> Result<Self> {
        let first = measured.first().context("there is a load generator")?;
        let per_second = measured.iter().map(Measurement::per_second).sum();
        let used = first.server_cpu.as_secs_f64() / first.elapsed.as_secs_f64();
        Ok(Self { per_second, server_micros: used * 1e6 / per_second, utilization: used / cores as f64 })
    }
}

/// A row for each number of cores but one.
fn compare(context: &Context, what: &str, target: Target, counts: &[usize], samples: &[Vec<Sample>]) -> Vec<Row> {
    let median = |samples: &[Sample], value: fn(&Sample) -> f64| {
        Figure::of(&samples.iter().map(value).collect::<Vec<_>>()).median
    };
    let shown = |samples: &[Sample]| {
        let (rate, micros) = (median(samples, |one| one.per_second), median(samples, |one| one.server_micros));
        format!("{}/s, {} µs CPU", significant(rate), significant(micros))
    };
    let one = &samples[0];
    let row = |(cores, samples): (&usize, &Vec<Sample>)| {
        let has_own_cores = context.machine.core_count() >= 2 * cores;
        let pairs = samples.iter().zip(one);
        let ratios: Vec<f64> = match has_own_cores {
            true => pairs.map(|(many, one)| many.per_second / (one.per_second * *cores as f64)).collect(),
            false => pairs.map(|(many, one)| one.server_micros / many.server_micros).collect(),
        };
        let utilization = median(samples, |one| one.utilization) * 100.0;
        let note = match has_own_cores {
            true => format!("{utilization:.0} % of these cores were used"),
            false => format!(
                "responses per CPU second, since the load generator shares the cores; {utilization:.0} % were the server's"
            ),
        };
        Row {
            what: format!("{what}, {cores} cores, compared with {cores} times one core"),
            service: format!("{cores} cores: {}", shown(samples)),
            baseline: format!("one core: {}", shown(one)),
            figure: Figure::of(&ratios),
            unit: "×",
            target,
            note,
        }
    };
    counts.iter().zip(samples).skip(1).map(row).collect()
}
