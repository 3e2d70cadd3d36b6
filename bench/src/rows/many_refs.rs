//! A million refs: the cost of one, of a hundred, and the memory to list all.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};

use super::compare::Rounds;
use super::group::RowGroup;
use super::growth::{self, SizedRequest};
use crate::harness::{ServeOptions, service};
use crate::http::{Client, Counted, count_in_stream};
use crate::results::{Figure, Results, Row, Target, significant};
use crate::seed::many_refs;
use crate::system::usage::{self, Memory};

/// Different refs, requested in turn, spread over all.
const DISTINCT_REFS: u64 = 50;
const REPO: &str = "/repos/acme/refs";
const MIB: f64 = 1024.0 * 1024.0;

pub const MANY_REFS: RowGroup = RowGroup {
    name: "many-refs",
    about: "GET one ref and a prefix of 100 refs, as a repository grows to a million",
    run: |context| {
        let sizes = context.size(vec![1_000, 5_000], vec![1_000, 10_000, 100_000, 1_000_000]);
        let (smallest, largest) = (sizes[0], sizes[sizes.len() - 1]);
        let services = growth::start(context, sizes, many_refs::get)?;
        let requests = [
            SizedRequest { name: "GET one ref", paths: &ref_paths },
            SizedRequest { name: "a prefix of 100 refs", paths: &prefix_paths },
        ];
        let grown = growth::measure(context, "refs in a repository", &services, &requests)?;
        let mut rows = Vec::new();
        for (request, rounds) in requests.iter().zip(&grown.rounds) {
            rows.push(row(request.name, (smallest, largest), rounds)?);
        }
        Ok(Results { rows, growths: vec![grown.growth], ..Results::default() })
    },
};

fn spread(size: u64) -> impl Iterator<Item = u64> {
    let step = size / DISTINCT_REFS;
    (0..DISTINCT_REFS).map(move |index| index * step + index % step)
}

fn ref_paths(size: u64) -> Vec<String> {
    spread(size).map(|index| format!("{REPO}/git/ref/{}", many_refs::name(index))).collect()
}

fn prefix_paths(size: u64) -> Vec<String> {
    let names = spread(size).map(many_refs::name);
    let groups = names.filter_map(|name| name.rsplit_once('/').map(|(group, _)| group.to_owned()));
    groups.map(|group| format!("{REPO}/git/matching-refs/{group}/")).collect()
}

/// Compares the largest with the smallest, by CPU time of the server.
fn row(name: &str, (smallest, largest): (u64, u64), rounds: &[Rounds]) -> Result<Row> {
    let [small, .., large] = rounds else { bail!("at least two sizes were measured") };
    Ok(Row {
        what: format!("{name}, in a repository of {largest} refs compared with {smallest}"),
        service: large.shown(),
        baseline: format!("{smallest} refs: {}", small.shown()),
        figure: small.efficiency_ratio(large),
        unit: "× the CPU time",
        target: Target::AtMost(1.2),
        note: String::new(),
    })
}

pub const LIST_REFS: RowGroup = RowGroup {
    name: "list-refs",
    about: "memory growth while listing a million refs",
    run: |context| {
        let size = context.size(5_000, 1_000_000);
        let service = service::start(context, &many_refs::get(context, size)?, ServeOptions::default())?;
        // Exclude what the first request of all allocates.
        Client::connect(service.address)?.get(&format!("{REPO}/git/ref/{}", many_refs::name(0)))?.expect(200)?;
        let before = usage::memory(service.pid());
        let (listed, peak, took) = watch_memory(service.pid(), || {
            count_in_stream(service.address, &format!("{REPO}/git/matching-refs/heads"), b"\"ref\":")
        })?;
        if listed.count != size + 1 && listed.count != size {
            bail!("{} refs were listed instead of {size}", listed.count);
        }
        let growth = |value: fn(&Memory) -> u64| value(&peak).saturating_sub(value(&before)) as f64 / MIB;
        let row = |what: &str, figure: f64| Row {
            what: format!("listing {size} refs, {what}"),
            service: format!("{} MB in {} s", significant(listed.bytes as f64 / 1e6), significant(took.as_secs_f64())),
            baseline: format!("before: {} MiB", significant(before.resident as f64 / MIB)),
            figure: Figure::of(&[figure]),
            unit: "MiB more",
            target: Target::AtMost(64.0),
            note: String::new(),
        };
        Ok(Results::of_rows(vec![
            row("private memory", growth(|memory| memory.anonymous)),
            row("resident memory with pages of the database file", growth(|memory| memory.resident)),
        ]))
    },
};

/// Runs `work` and returns the peak memory of a process meanwhile.
fn watch_memory(pid: u32, work: impl FnOnce() -> Result<Counted>) -> Result<(Counted, Memory, Duration)> {
    let is_done = AtomicBool::new(false);
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let mut peak = Memory::default();
            while !is_done.load(Ordering::Relaxed) {
                let now = usage::memory(pid);
                peak.resident = peak.resident.max(now.resident);
                peak.anonymous = peak.anonymous.max(now.anonymous);
                std::thread::sleep(Duration::from_millis(2));
            }
            peak
        });
        let counted = work();
        let took = begun.elapsed();
        is_done.store(true, Ordering::Relaxed);
        let peak = watcher.join().map_err(|_| anyhow!("the watcher panicked")).context("cannot watch memory")?;
        Ok((counted?, peak, took))
    })
}
