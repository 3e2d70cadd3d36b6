//! The time from process start to first response, and the memory when idle.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::group::RowGroup;
use crate::harness::{Context, service};
use crate::http::Client;
use crate::results::{Figure, Results, Row, Target, significant};
use crate::seed::many_refs;
use crate::system::usage::{self, Memory};

/// After this time a service that has just started is idle.
const SETTLE: Duration = Duration::from_millis(300);

pub const START: RowGroup = RowGroup {
    name: "start",
    about: "time to first response, with an empty store and a million refs; idle memory",
    run: |context| {
        let refs = context.size(5_000, 1_000_000);
        let large = many_refs::get(context, refs)?;
        let directory = context.scratch("start")?;
        let empty = |round: usize| directory.join(format!("empty-{round}"));
        let mut rows = measure(context, "new store", empty)?;
        rows.extend(measure(context, "existing empty store", |_| empty(0))?);
        rows.extend(measure(context, &format!("store with {refs} refs"), |_| large.clone())?);
        Ok(Results::of_rows(rows))
    },
};

fn measure(context: &Context, what: &str, data: impl Fn(usize) -> PathBuf) -> Result<Vec<Row>> {
    let (mut times, mut memories) = (Vec::new(), Vec::new());
    for round in 0..context.rounds.max(3) {
        let (time, memory) = start(context, &data(round))?;
        times.push(time);
        memories.push(memory);
    }
    let time = Figure::of(&times);
    let megabytes = |value: fn(&Memory) -> u64| {
        Figure::of(&memories.iter().map(|memory| value(memory) as f64 / 1e6).collect::<Vec<_>>())
    };
    let resident = megabytes(|memory| memory.resident);
    let private = megabytes(|memory| memory.anonymous);
    Ok(vec![
        Row {
            what: format!("start to first response, {what}"),
            service: format!("{} ms", significant(time.median)),
            baseline: "–".into(),
            figure: time,
            unit: "ms",
            target: Target::AtMost(100.0),
            note: String::new(),
        },
        Row {
            what: format!("idle memory, {what}"),
            service: format!("{} MB resident", significant(resident.median)),
            baseline: format!("of which private: {} MB", significant(private.median)),
            figure: resident,
            unit: "MB",
            target: Target::AtMost(30.0),
            note: String::new(),
        },
    ])
}

fn start(context: &Context, data: &Path) -> Result<(f64, Memory)> {
    let mut command = Command::new(&context.plinth);
    service::serve_arguments(&mut command, data);
    let begun = Instant::now();
    let service = service::start_command(context, &mut command)?;
    // Without a token, since an empty store has none.
    Client::connect(service.address)?.send_raw(b"GET /meta HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")?.expect(200)?;
    let took = begun.elapsed();
    std::thread::sleep(SETTLE);
    let memory = usage::memory(service.pid());
    service.stop()?;
    Ok((took.as_secs_f64() * 1e3, memory))
}
