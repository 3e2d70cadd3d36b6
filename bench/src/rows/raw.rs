//! SQLite alone, in a loop: what the reads and writes of the service lean on.

use std::path::Path;
use std::time::{Duration, Instant};

use super::RowGroup;
use crate::bench::Bench;
use crate::figure::{Figure, Target, significant};
use crate::report::Row;
use crate::seed::{self, World};
use crate::servers::{Synchronous, Written, open_database};

const ROWS: i64 = 1000;
/// Inserts that share a commit in the grouped loop, as they would from 64 clients.
const GROUP: u32 = 64;

pub const RAW: RowGroup = RowGroup {
    name: "raw-sqlite",
    about: "SQLite alone: a point query, inserts with one commit and with many, of refs and comments, too",
    run: |bench, report| {
        let folder = bench.scratch("raw")?;
        bench.machine.pin_this_thread();
        let told = |error: rusqlite::Error| format!("SQLite: {error}");
        report.add(row("a point query", reads(bench, &folder).map_err(told)?));
        for (what, group) in [("an insert with a commit of its own", 1), ("an insert, 64 to a commit", GROUP)] {
            let database = folder.join(format!("writes-{group}.db"));
            report.add(row(what, grouped(bench, &database, group, Written::Entry).map_err(told)?));
        }
        let store = seed::copy(&World::get(bench)?.folder, &folder)?.join("plinth.db");
        bench.machine.pin_this_thread();
        for (what, written) in [("a ref", Written::Ref), ("a comment", Written::Comment)] {
            let micros = grouped(bench, &store, GROUP, written).map_err(told)?;
            report.add(row(&format!("an insert of {what} into a store of the service, 64 to a commit"), micros));
        }
        bench.machine.unpin_this_thread();
        Ok(())
    },
};

fn row(what: &str, micros: Figure) -> Row {
    Row {
        what: format!("SQLite alone: {what}"),
        service: "–".into(),
        beside: format!("{}/s", significant(1e6 / micros.median)),
        figure: micros,
        unit: "µs",
        target: Target::None,
        remark: String::new(),
    }
}

fn reads(bench: &Bench, folder: &Path) -> rusqlite::Result<Figure> {
    let connection = open_database(&folder.join("reads.db"), Synchronous::Full)?;
    connection.execute_batch(
        "create table ref (repo_id integer, name text, target blob, primary key (repo_id, name)) without rowid",
    )?;
    for index in 0..ROWS {
        let mut insert = connection.prepare_cached("insert into ref values (1, ?1, ?2)")?;
        insert.execute((format!("refs/heads/topic-{index:04}"), [7_u8; 20]))?;
    }
    let names: Vec<String> = (0..ROWS).map(|index| format!("refs/heads/topic-{index:04}")).collect();
    let mut query = connection.prepare("select target from ref where repo_id = ?1 and name = ?2")?;
    each_round(bench, |until| {
        let mut count = 0_u32;
        while Instant::now() < until {
            for name in &names {
                query.query_row((1, name), |row| row.get_ref(0)?.as_blob().map(<[u8]>::len).map_err(Into::into))?;
                count += 1;
            }
        }
        Ok(count)
    })
}

fn grouped(bench: &Bench, database: &Path, group: u32, written: Written) -> rusqlite::Result<Figure> {
    let connection = open_database(database, Synchronous::Full)?;
    let mut number = 0;
    each_round(bench, |until| {
        let mut count = 0_u32;
        while Instant::now() < until {
            connection.prepare_cached("begin immediate")?.execute([])?;
            for _ in 0..group {
                written.write(&connection, number, &[b'7'; 100])?;
                number += 1;
            }
            connection.prepare_cached("commit")?.execute([])?;
            count += group;
        }
        Ok(count)
    })
}

/// Microseconds for each of what `work` counts, round by round.
fn each_round(bench: &Bench, mut work: impl FnMut(Instant) -> rusqlite::Result<u32>) -> rusqlite::Result<Figure> {
    let mut micros = Vec::new();
    for _ in 0..bench.rounds {
        let begun = Instant::now();
        let count = work(begun + bench.duration.min(Duration::from_millis(300)))?;
        micros.push(begun.elapsed().as_secs_f64() * 1e6 / f64::from(count));
    }
    Ok(Figure::of(&micros))
}
