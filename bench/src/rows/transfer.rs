//! Clone and push of a large repository, beside git's own server program.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::json;

use super::RowGroup;
use crate::Result;
use crate::bench::Bench;
use crate::figure::{Figure, Target, significant};
use crate::process::{Running, git, succeed};
use crate::report::Row;
use crate::seed::{self, large};
use crate::servers::{Role, Synchronous};
use crate::service::{self, Place};

pub const CLONE: RowGroup = RowGroup {
    name: "clone",
    about: "clone of a repository of 100 MB, beside `git http-backend`",
    run: |bench, report| {
        let pair = Pair::new(bench)?;
        let clone = |url: &str, round: usize| {
            let target = pair.folder.join(format!("clone-{round}"));
            let took = timed(git(Path::new("."), &["clone", "-q", "--bare", url]).arg(&target))?;
            check_head(&pair.seed, &target)?;
            std::fs::remove_dir_all(&target).map_err(|error| error.to_string())?;
            Ok(took)
        };
        let mut times = (Vec::new(), Vec::new());
        for round in 0..rounds(bench) {
            let ours = || clone(&pair.service_url("large"), round);
            let theirs = || clone(&pair.backend_url("large"), round);
            alternate(round, &mut times, ours, theirs)?;
        }
        report.add(row("clone of 100 MB", &times, "git http-backend"));
        Ok(())
    },
};

pub const PUSH: RowGroup = RowGroup {
    name: "push",
    about: "push of a repository of 100 MB, beside `git http-backend`",
    run: |bench, report| {
        let pair = Pair::new(bench)?;
        let mut plain = (Vec::new(), Vec::new());
        let mut checked = (Vec::new(), Vec::new());
        let source = pair.seed.join("source.git");
        let push = |url: &str| timed(&mut git(&source, &["push", "-q", url, "main:refs/heads/main"]));
        for round in 0..rounds(bench) {
            for (times, check) in [(&mut plain, "false"), (&mut checked, "true")] {
                let name = format!("pushed-{check}-{round}");
                pair.make_repository(&name, check)?;
                alternate(round, times, || push(&pair.service_url(&name)), || push(&pair.backend_url(&name)))?;
            }
        }
        report.add(row("push of 100 MB", &plain, "git http-backend, which checks no object"));
        report.add(row("push of 100 MB, objects checked", &checked, "git http-backend with receive.fsckObjects"));
        Ok(())
    },
};

/// Each round takes seconds, so there are fewer.
fn rounds(bench: &Bench) -> usize {
    bench.rounds.min(5)
}

type Times = (Vec<f64>, Vec<f64>);

/// Every second round begins with the other one.
fn alternate(
    round: usize,
    times: &mut Times,
    ours: impl Fn() -> Result<f64>,
    theirs: impl Fn() -> Result<f64>,
) -> Result<()> {
    if round.is_multiple_of(2) {
        times.0.push(ours()?);
        times.1.push(theirs()?);
    } else {
        times.1.push(theirs()?);
        times.0.push(ours()?);
    }
    Ok(())
}

fn row(what: &str, (ours, theirs): &Times, beside: &str) -> Row {
    let ratios: Vec<f64> = ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect();
    Row {
        what: what.into(),
        service: format!("{} s", significant(Figure::of(ours).median)),
        beside: format!("{beside}: {} s", significant(Figure::of(theirs).median)),
        figure: Figure::of(&ratios),
        unit: "× the time",
        target: Target::AtMost(1.1),
        remark: String::new(),
    }
}

/// Both servers, with the same repository.
struct Pair {
    seed: PathBuf,
    folder: PathBuf,
    repositories: PathBuf,
    service: Running,
    backend: Running,
}

impl Pair {
    fn new(bench: &Bench) -> Result<Self> {
        let seed = large::get(bench)?;
        let folder = bench.scratch("transfer")?;
        let data = seed::copy(&seed, &folder)?;
        let repositories = folder.join("repositories");
        std::fs::create_dir_all(&repositories).map_err(|error| error.to_string())?;
        let mut copy = std::process::Command::new("cp");
        succeed(copy.arg("-r").arg(seed.join("source.git")).arg(repositories.join("large.git")))?;
        let role = Role::Backend { repositories: repositories.clone() };
        Ok(Self {
            service: service::start(bench, &data, Place::Anywhere, Synchronous::Full)?,
            backend: service::start_beside(bench, &role, Place::Anywhere)?,
            seed,
            folder,
            repositories,
        })
    }

    fn service_url(&self, name: &str) -> String {
        format!("http://x:ghp_bench@{}/acme/{name}.git", self.service.address)
    }

    fn backend_url(&self, name: &str) -> String {
        format!("http://{}/{name}.git", self.backend.address)
    }

    /// An empty repository in both.
    fn make_repository(&self, name: &str, check_objects: &str) -> Result<()> {
        self.service.client()?.send("POST", "/orgs/acme/repos", &json!({ "name": name }))?.expect(201)?;
        let folder = self.repositories.join(format!("{name}.git"));
        succeed(git(Path::new("."), &["init", "-q", "--bare", "-b", "main"]).arg(&folder))?;
        succeed(&mut git(&folder, &["config", "http.receivepack", "true"]))?;
        succeed(&mut git(&folder, &["config", "receive.fsckObjects", check_objects]))?;
        Ok(())
    }
}

fn timed(command: &mut std::process::Command) -> Result<f64> {
    let begun = Instant::now();
    succeed(command)?;
    Ok(begun.elapsed().as_secs_f64())
}

fn check_head(seed: &Path, clone: &Path) -> Result<()> {
    let head = |folder: &Path| succeed(&mut git(folder, &["rev-parse", "main"]));
    if head(&seed.join("source.git"))? == head(clone)? { Ok(()) } else { Err("a clone has another head".into()) }
}
