//! A push that moves the lines under a thousand comments.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::RowGroup;
use crate::Result;
use crate::bench::Bench;
use crate::figure::{Figure, Target, significant};
use crate::http::Client;
use crate::process::{Running, git, succeed};
use crate::report::Row;
use crate::seed::{self, anchors};
use crate::service;

const REPO: &str = "/repos/acme/anchors";
const PER_PAGE: usize = 100;

pub const RE_ANCHOR: RowGroup = RowGroup {
    name: "re-anchor",
    about: "a push that moves 1,000 comments: its time, and the processes it takes",
    run: |bench, report| {
        let many = bench.size(60, 1000);
        let (ours, processes) = pushes(bench, many)?;
        let (few, few_processes) = pushes(bench, 1)?;
        report.add(Row {
            what: format!("a push that re-anchors {many} comments, until all are read in their new places"),
            service: format!("{} ms", significant(Figure::of(&ours).median)),
            beside: format!("with 1 comment: {} ms", significant(Figure::of(&few).median)),
            figure: Figure::of(&ours),
            unit: "ms",
            target: Target::AtMost(500.0),
            remark: "the git client's own time is part of it".into(),
        });
        report.add(Row {
            what: format!("processes for a push that re-anchors {many} comments"),
            service: format!("{processes}"),
            beside: format!("with 1 comment: {few_processes}"),
            figure: Figure::of(&[processes as f64 / few_processes.max(1) as f64]),
            unit: "× as many",
            target: Target::AtMost(1.0),
            remark: String::new(),
        });
        Ok(())
    },
};

/// Milliseconds of several pushes, and the processes that the service started for the last of them.
fn pushes(bench: &Bench, comments: usize) -> Result<(Vec<f64>, usize)> {
    let seed = anchors::get(bench, comments)?;
    let folder = bench.scratch("anchors")?;
    let data = seed::copy(&seed, &folder)?;
    let mut times = Vec::new();
    let rounds = bench.rounds.clamp(2, anchors::STEPS - 1);
    let service = service::start(bench, &data, service::Place::Anywhere, crate::servers::Synchronous::Full)?;
    for step in 1..=rounds {
        times.push(push(&service, &seed, step, comments)?);
    }
    service.stop()?;
    let counter = Counter::new(&folder)?;
    let counted = counter.start(bench, &data)?;
    push(&counted, &seed, rounds + 1, comments)?;
    counted.stop()?;
    Ok((times, counter.count()))
}

/// Pushes a step and reads every comment, each of which must have moved with its line.
fn push(service: &Running, seed: &Path, step: usize, comments: usize) -> Result<f64> {
    let mut client = service.client()?;
    let url = format!("http://x:ghp_bench@{}/acme/anchors.git", service.address);
    let refspec = format!("step-{step}:refs/heads/feature");
    let begun = Instant::now();
    succeed(&mut git(&seed.join("steps.git"), &["push", "-q", &url, &refspec]))?;
    let lines = read_lines(&mut client, comments)?;
    let took = begun.elapsed().as_secs_f64() * 1e3;
    let original: u64 = (0..comments as u64).map(|index| index % 50 + 1).sum();
    if lines.iter().sum::<u64>() != original + (step * comments) as u64 {
        return Err(format!("comments are not where step {step} has moved their lines"));
    }
    Ok(took)
}

fn read_lines(client: &mut Client, comments: usize) -> Result<Vec<u64>> {
    let mut lines = Vec::new();
    for page in 1..=comments.div_ceil(PER_PAGE) {
        let listed =
            client.get(&format!("{REPO}/pulls/1/comments?per_page={PER_PAGE}&page={page}"))?.expect(200)?.json()?;
        let listed = listed.as_array().ok_or("comments are a list")?.iter();
        lines.extend(listed.filter_map(|comment| comment["line"].as_u64()));
    }
    Ok(lines)
}

/// A `git` that writes a line for each time it is started, found before the real one.
struct Counter {
    programs: PathBuf,
    list: PathBuf,
}

impl Counter {
    fn new(folder: &Path) -> Result<Self> {
        let (programs, list) = (folder.join("programs"), folder.join("started.txt"));
        let real = succeed(Command::new("sh").args(["-c", "command -v git"]))?;
        let script = format!("#!/bin/sh\necho \"$*\" >> '{}'\nexec '{}' \"$@\"\n", list.display(), real.trim());
        let written = || {
            std::fs::create_dir_all(&programs)?;
            std::fs::write(programs.join("git"), script)?;
            std::fs::set_permissions(programs.join("git"), std::fs::Permissions::from_mode(0o755))?;
            std::fs::write(&list, "")
        };
        written().map_err(|error| format!("{}: {error}", programs.display()))?;
        Ok(Self { programs, list })
    }

    fn start(&self, bench: &Bench, data: &Path) -> Result<Running> {
        let mut command = Command::new(&bench.plinth);
        service::serving(&mut command, data);
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", self.programs.display()));
        Running::start(&mut command, &bench.log("plinth"), service::read_ready)
    }

    fn count(&self) -> usize {
        std::fs::read_to_string(&self.list).unwrap_or_default().lines().count()
    }
}
