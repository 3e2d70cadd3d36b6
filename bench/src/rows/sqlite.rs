//! SQLite alone, in a loop: what the service's reads and writes are built on.

use std::path::Path;
use std::time::{Duration, Instant};

use super::group::RowGroup;
use crate::harness::{Context, names};
use crate::results::{Figure, Results, Row, Target, significant};
use crate::seed::{self, StandardSeed};
use crate::servers::{Insert, Synchronous, open_database};

const ROWS: i64 = 1000;
/// Inserts per commit in the grouped loop, as from 64 clients.
const GROUP: u32 = 64;

pub const RAW_SQLITE: RowGroup = RowGroup {
    name: "raw-sqlite",
    about: "SQLite alone: a point query, and inserts one or 64 per commit, also of refs and comments",
    run: |context| {
        let directory = context.scratch("sqlite")?;
        context.machine.pin_this_thread();
        let mut rows = vec![row("point query", read(context, &directory)?)];
        for (what, group) in [("insert, one per commit", 1), ("insert, 64 per commit", GROUP)] {
            let database = directory.join(format!("writes-{group}.db"));
            rows.push(row(what, write(context, &database, group, Insert::Entry)?));
        }
        let seed = StandardSeed::get(context)?;
        let store = seed::copy_data(&seed.directory, &directory)?.join(names::DATABASE_FILE);
        // Creating the seed unpins.
        context.machine.pin_this_thread();
        for (what, insert) in [("a ref", Insert::Ref), ("a comment", Insert::Comment)] {
            let what = format!("insert of {what} into the service's database, 64 per commit");
            rows.push(row(&what, write(context, &store, GROUP, insert)?));
        }
        context.machine.unpin_this_thread();
        Ok(Results::of_rows(rows))
    },
};

fn row(what: &str, micros: Figure) -> Row {
    Row {
        what: format!("SQLite alone: {what}"),
        service: "–".into(),
        baseline: format!("{}/s", significant(1e6 / micros.median)),
        figure: micros,
        unit: "µs",
        target: Target::None,
        note: String::new(),
    }
}

fn read(context: &Context, directory: &Path) -> rusqlite::Result<Figure> {
    let connection = open_database(&directory.join("reads.db"), Synchronous::Full)?;
    connection.execute_batch(
        "create table ref (repo_id integer, name text, target blob, primary key (repo_id, name)) without rowid",
    )?;
    let names: Vec<String> = (0..ROWS).map(|index| format!("refs/heads/topic-{index:04}")).collect();
    for name in &names {
        connection.prepare_cached("insert into ref values (1, ?1, ?2)")?.execute((name, [7_u8; 20]))?;
    }
    let mut query = connection.prepare("select target from ref where repo_id = ?1 and name = ?2")?;
    each_round(context, |until| {
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

fn write(context: &Context, database: &Path, group: u32, insert: Insert) -> rusqlite::Result<Figure> {
    let connection = open_database(database, Synchronous::Full)?;
    let mut number = 0;
    each_round(context, |until| {
        let mut count = 0_u32;
        while Instant::now() < until {
            connection.prepare_cached("begin immediate")?.execute([])?;
            for _ in 0..group {
                insert.execute(&connection, number, &[b'7'; 100])?;
                number += 1;
            }
            connection.prepare_cached("commit")?.execute([])?;
            count += group;
        }
        Ok(count)
    })
}

/// Microseconds per unit of work; `work` runs until the given time and returns its count.
fn each_round(context: &Context, mut work: impl FnMut(Instant) -> rusqlite::Result<u32>) -> rusqlite::Result<Figure> {
    let mut micros = Vec::new();
    for _ in 0..context.rounds {
        let begun = Instant::now();
        let count = work(begun + context.duration.min(Duration::from_millis(300)))?;
        micros.push(begun.elapsed().as_secs_f64() * 1e6 / f64::from(count));
    }
    Ok(Figure::of(&micros))
}
