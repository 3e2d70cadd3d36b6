//! Durable writing with 64 clients: the service beside a program that only does one grouped, durable insert, and beside
//! itself without the sync.

use super::RowGroup;
use super::compare::{Rounds, Side, alternate};
use crate::Result;
use crate::bench::Bench;
use crate::figure::{Target, significant};
use crate::load::{Exchange, Made, Outcome};
use crate::process::Running;
use crate::report::{Report, Row};
use crate::seed::{self, MOVING, World, changed_line};
use crate::servers::{Answers, Role, Synchronous, Written};
use crate::service::{self, Place};

const CONNECTIONS: usize = 64;
const REPO: &str = "/repos/acme/rocket";

pub const CREATE_REF: RowGroup = RowGroup {
    name: "create-ref",
    about: "durable creation of references, 64 clients",
    run: |bench, report| row(bench, report, "create a ref", Written::Ref, create_ref),
};

pub fn create_ref(world: &World) -> Made {
    let sha = world.chain[0].clone();
    made("POST", 201, move |number| {
        (format!("{REPO}/git/refs"), format!(r#"{{"ref":"refs/heads/made/{number:08}","sha":"{sha}"}}"#))
    })
}

pub const UPDATE_REF: RowGroup = RowGroup {
    name: "update-ref",
    about: "durable fast-forwards of references, 64 clients",
    run: |bench, report| row(bench, report, "fast-forward a ref", Written::Ref, update_ref),
};

pub fn update_ref(world: &World) -> Made {
    let chain = world.chain.clone();
    made("PATCH", 200, move |number| {
        // Each reference takes its next step when all others have taken theirs.
        let step = usize::try_from(number / MOVING).unwrap_or_default() + 1;
        let body = format!(r#"{{"sha":"{}"}}"#, chain[step % chain.len()]);
        (format!("{REPO}/git/refs/heads/moving-{:04}", number % MOVING), body)
    })
}

pub const CREATE_COMMENT: RowGroup = RowGroup {
    name: "create-comment",
    about: "durable creation of review comments, 64 clients",
    run: |bench, report| row(bench, report, "create a comment", Written::Comment, create_comment),
};

pub fn create_comment(world: &World) -> Made {
    let commit = world.feature.clone();
    made("POST", 201, move |number| {
        let body = format!(
            r#"{{"body":"Remark {number}: is this *right*?","commit_id":"{commit}","path":"src/a.txt","line":{},"side":"RIGHT"}}"#,
            changed_line(usize::try_from(number).unwrap_or_default())
        );
        (format!("{REPO}/pulls/1/comments"), body)
    })
}

pub const UPDATE_COMMENT: RowGroup = RowGroup {
    name: "update-comment",
    about: "durable changes of review comments, 64 clients",
    run: |bench, report| row(bench, report, "update a comment", Written::Comment, update_comment),
};

pub fn update_comment(_: &World) -> Made {
    made("PATCH", 200, |number| {
        let id = number % seed::COMMENTS as u64 + 1;
        (format!("{REPO}/pulls/comments/{id}"), format!(r#"{{"body":"Changed the {number}th time"}}"#))
    })
}

fn made(method: &'static str, status: u16, make: impl Fn(u64) -> (String, String) + 'static) -> Made {
    Made { method, status, make: Box::new(make), next: 0 }
}

fn row(bench: &Bench, report: &mut Report, what: &str, written: Written, script: fn(&World) -> Made) -> Result<()> {
    let world = World::get(bench)?;
    let folder = bench.scratch("writes")?;
    let copy = |name: &str| seed::copy(&world.folder, &folder.join(name));
    let service = |name, synchronous| service::start(bench, &copy(name)?, Place::OneCore, synchronous);
    let (full, normal) = (service("full", Synchronous::Full)?, service("normal", Synchronous::Normal)?);
    let answers = folder.join("answers.json");
    let mut scripts = [(); 5].map(|()| script(&world));
    Answers::write(&answers, &[first_exchange(&full, &mut scripts[0])?])?;
    let limit = |name, synchronous, written| {
        let database = copy(name)?.join("plinth.db");
        let role = Role::Limit { answers: answers.clone(), database, synchronous, written };
        service::start_beside(bench, &role, Place::OneCore)
    };
    let servers = [
        full,
        normal,
        limit("limit", Synchronous::Full, written)?,
        limit("limit-normal", Synchronous::Normal, written)?,
        limit("limit-entry", Synchronous::Full, Written::Entry)?,
    ];
    let mut sides: Vec<Side<'_>> =
        servers.iter().zip(&mut scripts).map(|(server, script)| Side { server, script }).collect();
    let rounds = alternate(bench, CONNECTIONS, &mut sides)?;
    let [full, normal, limit, limit_normal, entry] = rounds.as_slice() else { return Err("five were measured".into()) };
    let remark = remark(full, limit, limit_normal);
    let least = Target::AtLeast(0.4);
    add(report, format!("{what}, beside the limit program"), (full, limit, "limit program"), least, remark);
    let beside = format!("{what}, beside the limit program with a row that has no index");
    add(report, beside, (full, entry, "limit program"), Target::None, String::new());
    let least = Target::AtLeast(0.8);
    add(report, format!("{what}, beside `synchronous=NORMAL`"), (full, normal, "NORMAL"), least, String::new());
    Ok(())
}

fn remark(full: &Rounds, limit: &Rounds, limit_normal: &Rounds) -> String {
    let normal = limit_normal.figure(Outcome::per_second).median;
    let share = limit.throughput_against(limit_normal).median;
    let economy = full.economy_against(limit).median;
    format!(
        "by CPU time alone {economy:.2}; the limit program itself reaches {share:.2} of its {}/s with NORMAL",
        significant(normal)
    )
}

fn add(
    report: &mut Report,
    what: String,
    (service, other, name): (&Rounds, &Rounds, &str),
    target: Target,
    remark: String,
) {
    report.add(Row {
        what,
        service: service.shown(),
        beside: format!("{name}: {}", other.shown()),
        figure: service.throughput_against(other),
        unit: "×",
        target,
        remark,
    });
}

/// What the service answers to the first request; its bytes are what the limit program sends.
fn first_exchange(service: &Running, script: &mut Made) -> Result<Exchange> {
    use crate::load::Script;
    let mut request = Vec::new();
    script.next(&mut request);
    let reply = service.client()?.exchange(&request)?.expect(script.status)?;
    Ok(Exchange { path: String::new(), request, reply })
}
