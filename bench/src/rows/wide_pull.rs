//! A pull request of ten thousand files and comments compared with a small one: a page of comments, and a new comment.

use std::path::Path;

use anyhow::Result;

use super::compare::{Side, alternate, in_turn};
use super::group::RowGroup;
use crate::harness::{Context, service};
use crate::http::record;
use crate::load::{self, Generated, Replay, Workload};
use crate::results::{Figure, Results, Row, Target, significant};
use crate::seed::{self, wide_pull};
use crate::system::{ServerProcess, usage};

const CONNECTIONS: usize = 16;
const SMALL: u64 = 10;
/// The same for both pull requests.
const PER_PAGE: u64 = 10;

pub const WIDE_PULL: RowGroup = RowGroup {
    name: "wide-pull",
    about: "a page of comments and a new comment, on a pull request of 10,000 files and comments compared with 10",
    run: |context| {
        let large = context.size(100, 10_000);
        let directory = context.scratch("wide")?;
        let servers =
            [start(context, &directory.join("small"), SMALL)?, start(context, &directory.join("large"), large)?];
        let page = format!("{}?per_page={PER_PAGE}", wide_pull::COMMENTS);
        let replay = |server: &ServerProcess| record(server.address, vec![page.clone()]).map(Replay::new);
        let lists = [replay(&servers[0])?, replay(&servers[1])?];
        let mut creates = [new_comments(context, SMALL)?, new_comments(context, large)?];
        // One on each file, so that every file was compared. The server that opened a pull request has compared its files to
        // count their lines.
        for (server, workload) in servers.iter().zip(&mut creates) {
            load::fill(server.address, CONNECTIONS, workload, usize::try_from(large)?)?;
        }
        Ok(Results::of_rows(vec![
            row(context, "page of comments", large, &servers, lists)?,
            row(context, "create a comment", large, &servers, creates)?,
            first_comments(context, &directory, large)?,
        ]))
    },
};

/// Without the response cache, to measure the cost of computing responses; on a copy, since comments are added.
fn start(context: &Context, directory: &Path, files: u64) -> Result<ServerProcess> {
    service::start_uncached(context, &seed::copy_data(&wide_pull::get(context, files)?, directory)?)
}

fn new_comments(context: &Context, files: u64) -> Result<Generated> {
    wide_pull::new_comments(&wide_pull::get(context, files)?, files)
}

/// As many comments as the large pull request has files, by servers that were just started: each file of it is compared for
/// the first time.
fn first_comments(context: &Context, directory: &Path, large: u64) -> Result<Row> {
    let mut micros = [Vec::new(), Vec::new()];
    // Each round starts two servers.
    in_turn(context.size(1, context.rounds), 2, |index| {
        let files = [SMALL, large][index];
        let name = format!("first-{files}-{}", micros[index].len());
        let server = start(context, &directory.join(name), files)?;
        let before = usage::cpu(server.pid());
        load::fill(server.address, CONNECTIONS, &mut new_comments(context, files)?, usize::try_from(large)?)?;
        let used = usage::cpu(server.pid()).saturating_sub(before);
        micros[index].push(used.as_secs_f64() * 1e6 / large as f64);
        server.stop()
    })?;
    let [of_small, of_large] = &micros;
    let ratios: Vec<f64> = of_small.iter().zip(of_large).map(|(small, large)| large / small).collect();
    let shown = |micros: &[f64]| format!("{} µs CPU", significant(Figure::of(micros).median));
    Ok(Row {
        what: format!(
            "first comment on each file after a start, on a pull request of {large} files compared with {SMALL}"
        ),
        service: shown(of_large),
        baseline: format!("{SMALL} files: {}", shown(of_small)),
        figure: Figure::of(&ratios),
        unit: "× the CPU time",
        target: Target::AtMost(1.2),
        note: String::new(),
    })
}

fn row(
    context: &Context,
    what: &str,
    files: u64,
    servers: &[ServerProcess; 2],
    mut workloads: [impl Workload; 2],
) -> Result<Row> {
    let sides = servers.iter().zip(&mut workloads);
    let mut sides: Vec<Side<'_>> = sides.map(|(server, workload)| Side { server, workload }).collect();
    let rounds = alternate(context, CONNECTIONS, &mut sides)?;
    let (small, large) = (&rounds[0], &rounds[1]);
    Ok(Row {
        what: format!("{what}, on a pull request of {files} files and comments compared with {SMALL}"),
        service: large.shown(),
        baseline: format!("{SMALL} files: {}", small.shown()),
        figure: small.efficiency_ratio(large),
        unit: "× the CPU time",
        target: Target::AtMost(1.2),
        note: String::new(),
    })
}
