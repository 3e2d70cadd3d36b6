//! What each cache is worth: the same requests with and without it. One that saves less than a tenth should be removed.

use std::sync::LazyLock;

use anyhow::{Result, bail};

use super::compare::{Side, alternate};
use super::group::RowGroup;
use super::writes;
use crate::harness::{Context, Cpu, ResponseCache, ServeOptions, service};
use crate::load::{Generated, Workload};
use crate::results::{Results, Row, Target};
use crate::seed::{self, StandardSeed};

const CONNECTIONS: usize = 32;
const REPO: &str = "/repos/acme/rocket";
/// Different resources, requested in turn.
const DISTINCT: u64 = 30;
/// How much more CPU time the requests must take without the cache.
const WORTH_MIN: f64 = 1.1;

/// A cache of the service, and requests that use it.
struct Cache {
    name: &'static str,
    what: &'static str,
    workload: fn(&StandardSeed) -> Box<dyn Workload>,
}

/// The response cache has its own rows. It is off here, where it would hide the others.
const CACHES: [Cache; 12] = [
    Cache { name: "callers", what: "GET one ref", workload: |_| Box::new(get_ref()) },
    Cache { name: "repo-access", what: "GET one ref", workload: |_| Box::new(get_ref()) },
    Cache { name: "refs", what: "GET one ref", workload: |_| Box::new(get_ref()) },
    Cache { name: "project-access", what: "GET one field", workload: |_| Box::new(get_field()) },
    Cache { name: "project-fields", what: "GET one field", workload: |_| Box::new(get_field()) },
    Cache { name: "comment-fragments", what: "list of 30 comments", workload: |_| Box::new(list_comments()) },
    Cache { name: "comment-pages", what: "list of 30 comments", workload: |_| Box::new(list_comments()) },
    Cache { name: "pulls", what: "list of 30 comments", workload: |_| Box::new(list_comments()) },
    Cache {
        name: "comment-contexts",
        what: "create a comment",
        workload: |seed| Box::new(writes::create_comment(seed)),
    },
    Cache { name: "comparisons", what: "create a comment", workload: |seed| Box::new(writes::create_comment(seed)) },
    Cache { name: "markdown", what: "list of 30 comments with HTML", workload: |_| Box::new(Full(list_comments())) },
    Cache { name: "objects", what: "GET one commit", workload: |seed| Box::new(get_commit(seed)) },
];

/// The names of all caches but the response cache, as the service takes them. That of indexes has rows of its own.
pub static ALL_CACHES: LazyLock<String> = LazyLock::new(|| {
    let names = CACHES.iter().map(|cache| cache.name).chain(["comment-indexes"]);
    names.collect::<Vec<_>>().join(",")
});

pub const CACHES_WORTH: RowGroup = RowGroup {
    name: "caches",
    about: "CPU time of a request without one of the caches, compared with all of them",
    run: |context| {
        let rows: Result<Vec<Row>> = CACHES.iter().map(|cache| measure(context, cache)).collect();
        Ok(Results::of_rows(rows?))
    },
};

fn measure(context: &Context, cache: &Cache) -> Result<Row> {
    let seed = StandardSeed::get(context)?;
    let directory = context.scratch("caches")?;
    let start = |name: &str, disabled_caches| {
        let data = seed::copy_data(&seed.directory, &directory.join(name))?;
        let response_cache = ResponseCache::Off;
        let options = ServeOptions { cpu: Cpu::ServerCore, response_cache, disabled_caches, ..ServeOptions::default() };
        service::start(context, &data, options)
    };
    let (with, without) = (start("with", None)?, start("without", Some(cache.name))?);
    let (mut first, mut second) = ((cache.workload)(&seed), (cache.workload)(&seed));
    let mut sides = [Side { server: &with, workload: &mut *first }, Side { server: &without, workload: &mut *second }];
    let rounds = alternate(context, CONNECTIONS, &mut sides)?;
    let [with, without] = rounds.as_slice() else { bail!("two servers were measured") };
    Ok(Row {
        what: format!("{} without the cache `{}`", cache.what, cache.name),
        service: without.shown(),
        baseline: format!("with it: {}", with.shown()),
        figure: with.efficiency_ratio(without),
        unit: "× the CPU time",
        target: Target::AtLeast(WORTH_MIN),
        note: String::new(),
    })
}

fn get_ref() -> Generated {
    Generated::new("GET", 200, |number| (format!("{REPO}/git/ref/heads/topic-{:04}", number % DISTINCT), String::new()))
}

/// The project of a new store has the first fields.
fn get_field() -> Generated {
    Generated::new("GET", 200, |_| ("/orgs/acme/projectsV2/1/fields/1".into(), String::new()))
}

fn get_commit(seed: &StandardSeed) -> Generated {
    let commits = seed.main_commits.clone();
    Generated::new("GET", 200, move |number| {
        let index = usize::try_from(number % DISTINCT).unwrap_or_default() % commits.len();
        (format!("{REPO}/git/commits/{}", commits[index]), String::new())
    })
}

fn list_comments() -> Generated {
    Generated::new("GET", 200, |_| (format!("{REPO}/pulls/1/comments?per_page=30"), String::new()))
}

/// The same requests for the media type that contains rendered bodies.
struct Full(Generated);

impl Workload for Full {
    fn write_next(&mut self, out: &mut Vec<u8>) -> u64 {
        let mut request = Vec::new();
        let number = self.0.write_next(&mut request);
        let text = String::from_utf8_lossy(&request).replace("vnd.github+json", "vnd.github.full+json");
        out.extend_from_slice(text.as_bytes());
        number
    }

    fn check(&mut self, number: u64, status: u16, body: &[u8]) -> Result<()> {
        self.0.check(number, status, body)
    }
}
