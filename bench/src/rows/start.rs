//! From starting the program to its first answer, and the memory that it has then.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::RowGroup;
use crate::Result;
use crate::bench::Bench;
use crate::figure::{Figure, Target, significant};
use crate::process::Running;
use crate::report::{Report, Row};
use crate::seed::refs;
use crate::service;
use crate::usage::{self, Memory};

/// In which a service that has just started comes to rest.
const REST: Duration = Duration::from_millis(300);

pub const START: RowGroup = RowGroup {
    name: "start",
    about: "start to first answer, empty and with a million refs; idle memory",
    run: |bench, report| {
        let refs = bench.size(5_000, 1_000_000);
        let large = refs::get(bench, refs)?;
        let folder = bench.scratch("start")?;
        let empty = |round: usize| folder.join(format!("empty-{round}"));
        starts(bench, report, "empty, its store made new", empty)?;
        starts(bench, report, "empty, its store there already", |_| folder.join("empty-0"))?;
        starts(bench, report, &format!("with {refs} refs"), |_| large.clone())
    },
};

fn starts(bench: &Bench, report: &mut Report, what: &str, data: impl Fn(usize) -> std::path::PathBuf) -> Result<()> {
    let (mut times, mut memories) = (Vec::new(), Vec::new());
    for round in 0..bench.rounds.max(3) {
        let (time, memory) = start(bench, &data(round))?;
        times.push(time);
        memories.push(memory);
    }
    let time = Figure::of(&times);
    report.add(Row {
        what: format!("start to first answer, {what}"),
        service: format!("{} ms", significant(time.median)),
        beside: "–".into(),
        figure: time,
        unit: "ms",
        target: Target::AtMost(100.0),
        remark: String::new(),
    });
    let of = |part: fn(&Memory) -> u64| {
        Figure::of(&memories.iter().map(|memory| part(memory) as f64 / 1e6).collect::<Vec<_>>())
    };
    let resident = of(|memory| memory.resident);
    report.add(Row {
        what: format!("idle memory, {what}"),
        service: format!("{} MB resident", significant(resident.median)),
        beside: format!("of which its own: {} MB", significant(of(|memory| memory.anonymous).median)),
        figure: resident,
        unit: "MB",
        target: Target::AtMost(30.0),
        remark: String::new(),
    });
    Ok(())
}

fn start(bench: &Bench, data: &Path) -> Result<(f64, Memory)> {
    let mut command = Command::new(&bench.plinth);
    service::serving(&mut command, data);
    let begun = Instant::now();
    let service = Running::start(&mut command, &bench.log("plinth"), service::read_ready)?;
    // An empty store knows no token.
    service.client()?.exchange(b"GET /meta HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")?.expect(200)?;
    let took = begun.elapsed();
    std::thread::sleep(REST);
    let memory = usage::memory(service.pid());
    service.stop()?;
    Ok((took.as_secs_f64() * 1e3, memory))
}
