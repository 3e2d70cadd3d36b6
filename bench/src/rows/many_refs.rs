//! A million references: what one costs, what a hundred of them cost, and what all of them take to list.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::RowGroup;
use super::compare::Rounds;
use super::growth::{Asked, Sized, grow};
use crate::Result;
use crate::figure::{Figure, Target, significant};
use crate::http::{Counted, count_in_stream};
use crate::report::Row;
use crate::seed::refs;
use crate::servers::Synchronous;
use crate::service::{self, Place};
use crate::usage::{self, Memory};

/// Different things that are asked for in turn, spread over all.
const VARIETY: u64 = 50;
const REPO: &str = "/repos/acme/refs";
const MIB: f64 = 1024.0 * 1024.0;

pub const MANY_REFS: RowGroup = RowGroup {
    name: "many-refs",
    about: "GET one ref and a prefix of 100 refs, as a repository grows to a million",
    run: |bench, report| {
        let sizes = bench.size(vec![1_000, 5_000], vec![1_000, 10_000, 100_000, 1_000_000]);
        let start = |size: u64| {
            let service = service::start_forgetful(bench, &refs::get(bench, size)?)?;
            Ok(Sized { size, service })
        };
        let services = sizes.into_iter().map(start).collect::<Result<Vec<Sized>>>()?;
        let spread = |size: u64| (0..VARIETY).map(move |index| index * (size / VARIETY) + index % (size / VARIETY));
        let one = |sized: &Sized| {
            Ok(spread(sized.size).map(|index| format!("{REPO}/git/ref/{}", refs::name(index))).collect())
        };
        let prefix = |sized: &Sized| {
            let groups =
                spread(sized.size).map(|index| refs::name(index).rsplit_once('/').map(|(group, _)| group.to_owned()));
            Ok(groups.flatten().map(|group| format!("{REPO}/git/matching-refs/{group}/")).collect())
        };
        let asked =
            [Asked { name: "GET one ref", paths: &one }, Asked { name: "a prefix of 100 refs", paths: &prefix }];
        let measured = grow(bench, report, "references in a repository", &services, &asked)?;
        for (request, rounds) in asked.iter().zip(&measured) {
            report.add(ends(request.name, &services, rounds)?);
        }
        Ok(())
    },
};

/// The largest beside the smallest, by CPU time of the server.
fn ends(name: &str, services: &[Sized], rounds: &[Rounds]) -> Result<Row> {
    let (Some(small), Some(large), Some(largest)) = (rounds.first(), rounds.last(), services.last()) else {
        return Err("nothing was measured".into());
    };
    Ok(Row {
        what: format!("{name}, in a repository of {} beside one of 1,000", largest.size),
        service: large.shown(),
        beside: format!("1,000 refs: {}", small.shown()),
        figure: small.economy_against(large),
        unit: "× the CPU time",
        target: Target::AtMost(1.2),
        remark: String::new(),
    })
}

pub const LIST_REFS: RowGroup = RowGroup {
    name: "list-refs",
    about: "listing a million references: how far memory grows",
    run: |bench, report| {
        let size = bench.size(5_000, 1_000_000);
        let service = service::start(bench, &refs::get(bench, size)?, Place::Anywhere, Synchronous::Full)?;
        // What the first request of all brings in is not the listing's.
        service.client()?.get(&format!("{REPO}/git/ref/{}", refs::name(0)))?.expect(200)?;
        let before = usage::memory(service.pid());
        let (listed, most, took) = watch(service.pid(), || {
            count_in_stream(service.address, &format!("{REPO}/git/matching-refs/heads"), b"\"ref\":")
        })?;
        if listed.count != size + 1 && listed.count != size {
            return Err(format!("{} references were listed instead of {size}", listed.count));
        }
        let grown = |of: fn(&Memory) -> u64| of(&most).saturating_sub(of(&before)) as f64 / MIB;
        let service = format!("{} MB in {} s", significant(listed.bytes as f64 / 1e6), significant(took.as_secs_f64()));
        for (what, figure) in [
            ("memory of its own", grown(|memory| memory.anonymous)),
            ("all pages in view, also those of the database file", grown(|memory| memory.resident)),
        ] {
            report.add(Row {
                what: format!("listing {size} refs, {what}"),
                service: service.clone(),
                beside: format!("before: {} MiB", significant(before.resident as f64 / MIB)),
                figure: Figure::of(&[figure]),
                unit: "MiB more",
                target: Target::AtMost(64.0),
                remark: String::new(),
            });
        }
        Ok(())
    },
};

/// Does something and tells the most memory that a process had meanwhile.
fn watch(pid: u32, work: impl FnOnce() -> Result<Counted>) -> Result<(Counted, Memory, Duration)> {
    let is_done = AtomicBool::new(false);
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let watching = scope.spawn(|| {
            let mut most = Memory::default();
            while !is_done.load(Ordering::Relaxed) {
                let now = usage::memory(pid);
                most.resident = most.resident.max(now.resident);
                most.anonymous = most.anonymous.max(now.anonymous);
                std::thread::sleep(Duration::from_millis(2));
            }
            most
        });
        let done = work();
        let took = begun.elapsed();
        is_done.store(true, Ordering::Relaxed);
        let most = watching.join().map_err(|_| "watching memory failed")?;
        Ok((done?, most, took))
    })
}
