//! SQL statements per request, counted exactly: one more is noticed on any machine, however little time it takes.

use anyhow::{Context as _, Result, bail};

use super::group::RowGroup;
use super::{reads, writes};
use crate::harness::{ResponseCache, ServeOptions, service};
use crate::http::{Client, request};
use crate::load::{Generated, Workload};
use crate::results::{Figure, Results, Row, Target};
use crate::seed::{self, StandardSeed};
use crate::system::ServerProcess;

const REQUESTS: u64 = 20;
/// Periodic work of the service is counted, too, and a cached response is computed again in the next second. Both only
/// add statements, so the lowest of several counts is right.
const ATTEMPTS: usize = 5;

type Paths = fn(&ServerProcess) -> Result<Vec<String>>;
type Requests = fn(&StandardSeed) -> Generated;

/// Reads, and the statements of each without the response cache.
const READS: [(&str, Paths, u64); 4] = [
    ("GET one ref", reads::ref_paths, 1),
    ("GET one comment", reads::comment_paths, 0),
    ("GET one field", reads::field_paths, 0),
    ("list of 30 comments", reads::list_path, 0),
];
/// Writes, and the statements of each.
const WRITES: [(&str, Requests, u64); 4] = [
    ("create a ref", writes::create_ref, 4),
    ("fast-forward a ref", writes::update_ref, 5),
    ("create a comment", writes::create_comment, 6),
    ("update a comment", writes::update_comment, 2),
];

pub const STATEMENTS: RowGroup = RowGroup {
    name: "statements",
    about: "SQL statements per request, counted",
    run: |context| {
        let seed = StandardSeed::get(context)?;
        let directory = context.scratch("statements")?;
        let start = |name: &str, response_cache| {
            let data = seed::copy_data(&seed.directory, &directory.join(name))?;
            let options = ServeOptions { response_cache, metrics: true, ..ServeOptions::default() };
            service::start(context, &data, options)
        };
        let (cached, uncached) = (start("cached", ResponseCache::On)?, start("uncached", ResponseCache::Off)?);
        let mut rows = Vec::new();
        for (what, paths, most) in READS {
            let path = paths(&cached)?.into_iter().next().context("no path to read")?;
            let mut next = || request("GET", &path, "");
            rows.push(row(&format!("{what}, cached"), lowest_count(&cached, &mut next)?, 0));
            rows.push(row(&format!("{what}, uncached"), lowest_count(&uncached, &mut next)?, most));
        }
        for (what, workload, most) in WRITES {
            let mut workload = workload(&seed);
            let mut next = || {
                let mut request = Vec::new();
                workload.write_next(&mut request);
                request
            };
            rows.push(row(what, lowest_count(&cached, &mut next)?, most));
        }
        Ok(Results::of_rows(rows))
    },
};

fn lowest_count(service: &ServerProcess, next: &mut impl FnMut() -> Vec<u8>) -> Result<f64> {
    let counts: Result<Vec<f64>> = (0..ATTEMPTS).map(|_| count(service, next)).collect();
    Ok(counts?.into_iter().fold(f64::INFINITY, f64::min))
}

/// The statements per request of several requests, one after another.
fn count(service: &ServerProcess, next: &mut impl FnMut() -> Vec<u8>) -> Result<f64> {
    let mut client = Client::connect(service.address)?;
    let before = service::statement_count(service)?;
    for _ in 0..REQUESTS {
        let response = client.send_raw(&next())?;
        if response.status >= 300 {
            bail!("status {}: {}", response.status, String::from_utf8_lossy(&response.body));
        }
    }
    Ok((service::statement_count(service)? - before) as f64 / REQUESTS as f64)
}

fn row(what: &str, count: f64, most: u64) -> Row {
    Row {
        what: format!("SQL statements: {what}"),
        service: format!("{count} per request"),
        baseline: "–".into(),
        figure: Figure::of(&[count]),
        unit: "per request",
        target: Target::Count(most),
        note: String::new(),
    }
}
