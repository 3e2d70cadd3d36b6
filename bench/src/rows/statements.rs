//! How many statements the store runs for one request, counted exactly: one more is noticed on any machine, however little
//! time it takes.

use super::RowGroup;
use super::{reads, writes};
use crate::Result;
use crate::figure::{Figure, Target};
use crate::http::{Client, request};
use crate::load::{Made, Script};
use crate::process::Running;
use crate::report::{Report, Row};
use crate::seed::{self, World};
use crate::service;

const REQUESTS: u64 = 20;
/// What the service does for itself now and then counts, too, and a kept answer is made anew with the next second. Both
/// only ever add, so the least of these is right.
const TURNS: usize = 5;
const COUNTER: &str = "plinth_store_statements_total ";

type Paths = fn(&Running) -> Result<Vec<String>>;
type Requests = fn(&World) -> Made;

/// What is read, and the statements that it takes to make the answer.
const READS: [(&str, Paths, u64); 4] = [
    ("GET one ref", reads::refs, 2),
    ("GET one comment", reads::comments, 2),
    ("GET one field", reads::fields, 3),
    ("list of 30 comments", reads::page, 5),
];
/// What is changed, and the statements that it takes.
const WRITES: [(&str, Requests, u64); 4] = [
    ("create a ref", writes::create_ref, 6),
    ("fast-forward a ref", writes::update_ref, 5),
    ("create a comment", writes::create_comment, 6),
    ("update a comment", writes::update_comment, 2),
];

pub const STATEMENTS: RowGroup = RowGroup {
    name: "statements",
    about: "statements of the store for one request, counted",
    run: |bench, report| {
        let world = World::get(bench)?;
        let folder = bench.scratch("statements")?;
        let copy = |name: &str| seed::copy(&world.folder, &folder.join(name));
        let service = service::start_counted(bench, &copy("usual")?, &[])?;
        let forgetful = service::start_counted(bench, &copy("anew")?, &["--kept-bytes-max", "0"])?;
        for (what, paths, most) in READS {
            let path = paths(&service)?.into_iter().next().ok_or("there is nothing to read")?;
            let mut next = || request("GET", &path, "");
            add(report, format!("{what}, given again"), turns(&service, &mut next)?, 0);
            add(report, format!("{what}, made anew each time"), turns(&forgetful, &mut next)?, most);
        }
        for (what, script, most) in WRITES {
            let mut script = script(&world);
            let mut next = || {
                let mut request = Vec::new();
                script.next(&mut request);
                request
            };
            add(report, what.into(), turns(&service, &mut next)?, most);
        }
        Ok(())
    },
};

fn turns(service: &Running, next: &mut impl FnMut() -> Vec<u8>) -> Result<Figure> {
    let counted: Result<Vec<f64>> = (0..TURNS).map(|_| count(service, next)).collect();
    Ok(Figure::of(&[counted?.into_iter().fold(f64::INFINITY, f64::min)]))
}

/// The statements for each of some requests, one after another.
fn count(service: &Running, next: &mut impl FnMut() -> Vec<u8>) -> Result<f64> {
    let mut client = service.client()?;
    let before = statements(service)?;
    for _ in 0..REQUESTS {
        let reply = client.exchange(&next())?;
        if reply.status >= 300 {
            return Err(format!("answered with {}: {}", reply.status, String::from_utf8_lossy(&reply.body)));
        }
    }
    Ok((statements(service)? - before) as f64 / REQUESTS as f64)
}

fn statements(service: &Running) -> Result<u64> {
    let address = service::read_metrics(&service.said).ok_or("the service did not say where its metrics are")?;
    let page = Client::connect(address)?.get("/metrics")?.expect(200)?;
    let text = String::from_utf8_lossy(&page.body).into_owned();
    let number = text.lines().find_map(|line| line.strip_prefix(COUNTER));
    number.and_then(|number| number.parse().ok()).ok_or(format!("the metrics have no line `{COUNTER}`"))
}

fn add(report: &mut Report, what: String, figure: Figure, most: u64) {
    report.add(Row {
        what: format!("statements of the store: {what}"),
        service: format!("{} for each request", figure.median),
        beside: "–".into(),
        figure,
        unit: "for each request",
        target: Target::Count(most),
        remark: String::new(),
    });
}
