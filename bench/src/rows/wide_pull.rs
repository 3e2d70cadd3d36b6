//! A pull request of ten thousand files and comments beside a small one: a page of its comments, and one comment more.

use std::path::Path;

use super::RowGroup;
use super::compare::{Rounds, Side, alternate};
use super::reads::look;
use crate::Result;
use crate::bench::Bench;
use crate::figure::Target;
use crate::load::{Replay, Script};
use crate::process::Running;
use crate::report::{Report, Row};
use crate::seed::{self, wide};
use crate::service;

const CONNECTIONS: usize = 16;
const SMALL: u64 = 10;
/// Every page has this many comments, on either side.
const PER_PAGE: u64 = 10;

pub const WIDE_PULL: RowGroup = RowGroup {
    name: "wide-pull",
    about: "a page of comments and a new comment, on a pull request of 10,000 files and comments beside one of 10",
    run: |bench, report| {
        let large = bench.size(100, 10_000);
        let folder = bench.scratch("wide")?;
        let servers = [start(bench, &folder.join("small"), SMALL)?, start(bench, &folder.join("large"), large)?];
        let page = format!("{}?per_page={PER_PAGE}", wide::COMMENTS);
        let listed = [replay(&servers[0], &page)?, replay(&servers[1], &page)?];
        add(bench, report, "a page of comments", large, &servers, listed)?;
        let made =
            [wide::comments(&wide::get(bench, SMALL)?, SMALL)?, wide::comments(&wide::get(bench, large)?, large)?];
        add(bench, report, "a new comment", large, &servers, made)
    },
};

/// Makes every answer anew, since what is measured is the making; on a copy, since comments are added.
fn start(bench: &Bench, folder: &Path, files: u64) -> Result<Running> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    service::start_forgetful(bench, &seed::copy(&wide::get(bench, files)?, folder)?)
}

fn replay(service: &Running, path: &str) -> Result<Replay> {
    Ok(Replay::new(look(service, vec![path.to_owned()])?))
}

fn add(
    bench: &Bench,
    report: &mut Report,
    what: &str,
    files: u64,
    servers: &[Running; 2],
    mut scripts: [impl Script; 2],
) -> Result<()> {
    let sides = servers.iter().zip(&mut scripts);
    let mut sides: Vec<Side<'_>> = sides.map(|(server, script)| Side { server, script }).collect();
    let rounds = alternate(bench, CONNECTIONS, &mut sides)?;
    let [small, large]: [Rounds; 2] = rounds.try_into().map_err(|_| "two servers were measured")?;
    report.add(Row {
        what: format!("{what}, on a pull request of {files} files and comments beside one of {SMALL}"),
        service: large.shown(),
        beside: format!("{SMALL} files: {}", small.shown()),
        figure: small.economy_against(&large),
        unit: "× the CPU time",
        target: Target::AtMost(1.2),
        remark: String::new(),
    });
    Ok(())
}
