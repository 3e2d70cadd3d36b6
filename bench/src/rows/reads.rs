//! Reading: the service beside a bare server that sends the very same bytes, and beside itself without a memory.

use super::RowGroup;
use super::compare::{Rounds, Side, alternate, measure};
use crate::Result;
use crate::bench::Bench;
use crate::figure::{Target, significant};
use crate::http::request;
use crate::load::{Exchange, Outcome, Pace, Replay};
use crate::process::Running;
use crate::report::{Latency, Report, Row};
use crate::seed::{self, REFS, World};
use crate::servers::{Answers, Role, Synchronous};
use crate::service::{self, Place};

const CONNECTIONS: usize = 32;
/// How many different things are asked for in turn.
const VARIETY: u64 = 30;
const REPO: &str = "/repos/acme/rocket";
const ANEW: &str = "the service with `--kept-bytes-max 0`, by CPU time";

pub const GET_REF: RowGroup = RowGroup {
    name: "get-ref",
    about: "GET one reference with a token, beside a bare server sending the same bytes",
    run: |bench, report| row(bench, report, "GET one ref", 0.6, refs),
};

pub fn refs(_: &Running) -> Result<Vec<String>> {
    let step = REFS / VARIETY;
    Ok((0..VARIETY).map(|index| format!("{REPO}/git/ref/heads/topic-{:04}", index * step)).collect())
}

pub const GET_COMMENT: RowGroup = RowGroup {
    name: "get-comment",
    about: "GET one review comment with a token, beside a bare server sending the same bytes",
    run: |bench, report| row(bench, report, "GET one comment", 0.6, comments),
};

pub fn comments(service: &Running) -> Result<Vec<String>> {
    let listed = service.client()?.get(&format!("{REPO}/pulls/1/comments"))?.expect(200)?.json()?;
    let ids = listed.as_array().ok_or("comments are a list")?.iter().map(|comment| comment["id"].to_string());
    Ok(ids.map(|id| format!("{REPO}/pulls/comments/{id}")).collect())
}

pub const GET_FIELD: RowGroup = RowGroup {
    name: "get-field",
    about: "GET one project field with a token, beside a bare server sending the same bytes",
    run: |bench, report| row(bench, report, "GET one field", 0.6, fields),
};

pub fn fields(service: &Running) -> Result<Vec<String>> {
    let fields = "/orgs/acme/projectsV2/1/fields";
    let listed = service.client()?.get(fields)?.expect(200)?.json()?;
    let mut ids = listed.as_array().ok_or("fields are a list")?.iter().map(|field| field["id"].to_string());
    ids.next_back().map(|id| vec![format!("{fields}/{id}")]).ok_or("there is no field".into())
}

pub const LIST_COMMENTS: RowGroup = RowGroup {
    name: "list-comments",
    about: "a list of 30 review comments, beside a bare server sending the same bytes",
    run: |bench, report| row(bench, report, "list of 30 comments", 0.5, page),
};

pub fn page(_: &Running) -> Result<Vec<String>> {
    Ok(vec![format!("{REPO}/pulls/1/comments?per_page=30")])
}

fn row(
    bench: &Bench,
    report: &mut Report,
    what: &str,
    target: f64,
    paths: impl Fn(&Running) -> Result<Vec<String>>,
) -> Result<()> {
    let world = World::get(bench)?;
    let service = service::start(bench, &world.data(), Place::OneCore, Synchronous::Full)?;
    let exchanges = look(&service, paths(&service)?)?;
    let copy = seed::copy(&world.folder, &bench.scratch("anew")?)?;
    let forgetful = service::start_forgetful(bench, &copy)?;
    let bare = start_bare(bench, &exchanges)?;
    let [mut first, mut second, mut third] = [(); 3].map(|()| Replay::new(exchanges.clone()));
    let mut sides = [
        Side { server: &service, script: &mut first },
        Side { server: &bare, script: &mut second },
        Side { server: &forgetful, script: &mut third },
    ];
    let rounds = alternate(bench, CONNECTIONS, &mut sides)?;
    let [of_service, of_bare, made_anew] = rounds.as_slice() else { return Err("three servers were measured".into()) };
    let target = Target::AtLeast(target);
    for (how, measured, figure, target, remark) in [
        ("answers for each second of CPU time", of_service, of_service.economy_against(of_bare), target, String::new()),
        ("answers a second", of_service, of_service.throughput_against(of_bare), target, remark(of_bare)),
        ("made anew each time", made_anew, made_anew.economy_against(of_bare), Target::None, ANEW.into()),
    ] {
        report.add(Row {
            what: format!("{what}, {how}"),
            service: measured.shown(),
            beside: format!("bare axum: {}", of_bare.shown()),
            figure,
            unit: "×",
            target,
            remark,
        });
    }
    let pace = of_service.figure(Outcome::per_second).median / 2.0;
    for (name, side) in ["service", "bare axum"].into_iter().zip(&mut sides) {
        report.latencies.push(latency(bench, &format!("{what}, {name}"), side, pace)?);
    }
    Ok(())
}

/// A load generator that is always busy would be the limit itself.
fn remark(bare: &Rounds) -> String {
    let busy = bare.figure(|outcome| outcome.per_second() / outcome.client_ceiling()).median * 100.0;
    let ceiling = bare.figure(Outcome::client_ceiling).median;
    format!(
        "the load generator was {busy:.0} % busy with the bare server; its own ceiling is {}/s",
        significant(ceiling)
    )
}

/// At half of what the service can do, since at all of it only the queue would be measured.
fn latency(bench: &Bench, what: &str, side: &mut Side<'_>, per_second: f64) -> Result<Latency> {
    bench.machine.pin_this_thread();
    let outcome = measure(bench, side, CONNECTIONS, Pace::Open(per_second))?;
    bench.machine.unpin_this_thread();
    let percentiles = [500, 900, 990, 999].map(|permille| outcome.permille(permille));
    Ok(Latency { what: what.into(), per_second, percentiles })
}

/// Asks the service once for each path.
pub fn look(service: &Running, paths: Vec<String>) -> Result<Vec<Exchange>> {
    let mut client = service.client()?;
    let asked = paths.into_iter().map(|path| {
        let reply = client.get(&path)?.expect(200).map_err(|error| format!("GET {path}: {error}"))?;
        Ok(Exchange { request: request("GET", &path, ""), path, reply })
    });
    asked.collect()
}

/// A bare server that gives the same answers, which is checked before it is measured.
fn start_bare(bench: &Bench, exchanges: &[Exchange]) -> Result<Running> {
    let answers = bench.folder.join("answers.json");
    Answers::write(&answers, exchanges)?;
    let bare = service::start_beside(bench, &Role::Bare { answers }, Place::OneCore)?;
    let paths = exchanges.iter().map(|exchange| exchange.path.clone()).collect();
    for (ours, theirs) in exchanges.iter().zip(look(&bare, paths)?) {
        let names = |exchange: &Exchange| {
            let mut names: Vec<String> = exchange.reply.headers.iter().map(|(name, _)| name.clone()).collect();
            names.sort();
            names
        };
        if ours.reply.body != theirs.reply.body || names(ours) != names(&theirs) {
            return Err(format!("the bare server answers {} otherwise than the service", ours.path));
        }
    }
    Ok(bare)
}
