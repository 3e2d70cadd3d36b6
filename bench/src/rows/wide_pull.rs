//! A pull request of ten thousand files and comments compared with a small one: a page of comments, and a new comment.

use std::path::Path;

use anyhow::Result;

use super::compare::{Side, alternate};
use super::group::RowGroup;
use crate::harness::{Context, service};
use crate::http::record;
use crate::load::{Replay, Workload};
use crate::results::{Results, Row, Target};
use crate::seed::{self, wide_pull};
use crate::system::ServerProcess;

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
        let new_comments = |files| wide_pull::new_comments(&wide_pull::get(context, files)?, files);
        let creates = [new_comments(SMALL)?, new_comments(large)?];
        Ok(Results::of_rows(vec![
            row(context, "page of comments", large, &servers, lists)?,
            row(context, "create a comment", large, &servers, creates)?,
        ]))
    },
};

/// Without the response cache, to measure the cost of computing responses; on a copy, since comments are added.
fn start(context: &Context, directory: &Path, files: u64) -> Result<ServerProcess> {
    service::start_uncached(context, &seed::copy_data(&wide_pull::get(context, files)?, directory)?)
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
