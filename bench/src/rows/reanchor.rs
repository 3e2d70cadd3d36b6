//! A push that moves the lines of a thousand comments.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};

use super::group::RowGroup;
use crate::harness::{Context, ServeOptions, service};
use crate::http::Client;
use crate::results::{Figure, Results, Row, Target, significant};
use crate::seed::{self, reanchor};
use crate::system::{ServerProcess, git, output_of};

const REPO: &str = "/repos/acme/anchors";
const PER_PAGE: usize = 100;

pub const RE_ANCHOR: RowGroup = RowGroup {
    name: "re-anchor",
    about: "a push that moves 1,000 comments: its duration and its git processes",
    run: |context| {
        let comments = context.size(60, 1000);
        let (times, processes) = measure(context, comments)?;
        let (times_of_one, processes_of_one) = measure(context, 1)?;
        Ok(Results::of_rows(vec![
            Row {
                what: format!("push that re-anchors {comments} comments, until all are listed at their new lines"),
                service: format!("{} ms", significant(Figure::of(&times).median)),
                baseline: format!("with 1 comment: {} ms", significant(Figure::of(&times_of_one).median)),
                figure: Figure::of(&times),
                unit: "ms",
                target: Target::AtMost(500.0),
                note: "includes the time of the git client".into(),
            },
            Row {
                what: format!("git processes of a push that re-anchors {comments} comments"),
                service: format!("{processes}"),
                baseline: format!("with 1 comment: {processes_of_one}"),
                figure: Figure::of(&[processes as f64 / processes_of_one.max(1) as f64]),
                unit: "× as many",
                target: Target::AtMost(1.0),
                note: String::new(),
            },
        ]))
    },
};

/// Milliseconds of several pushes, and the git processes that the service starts for one more.
fn measure(context: &Context, comments: usize) -> Result<(Vec<f64>, usize)> {
    let seed = reanchor::get(context, comments)?;
    let directory = context.scratch("reanchor")?;
    let data = seed::copy_data(&seed, &directory)?;
    let mut times = Vec::new();
    let rounds = context.rounds.clamp(2, reanchor::STEPS - 1);
    let service = service::start(context, &data, ServeOptions::default())?;
    for step in 1..=rounds {
        times.push(push(&service, &seed, step, comments)?);
    }
    service.stop()?;
    let counter = GitCounter::new(&directory)?;
    let service = counter.start_service(context, &data)?;
    push(&service, &seed, rounds + 1, comments)?;
    service.stop()?;
    Ok((times, counter.count()?))
}

/// Pushes a step and lists the comments, each of which must have moved with its line.
fn push(service: &ServerProcess, seed: &Path, step: usize, comments: usize) -> Result<f64> {
    let mut client = Client::connect(service.address)?;
    let url = format!("http://x:ghp_bench@{}/acme/anchors.git", service.address);
    let refspec = format!("step-{step}:refs/heads/feature");
    let begun = Instant::now();
    output_of(&mut git(&seed.join("steps.git"), &["push", "-q", &url, &refspec]))?;
    let lines = list_lines(&mut client, comments)?;
    let took = begun.elapsed().as_secs_f64() * 1e3;
    let original: usize = (0..comments).map(|index| index % reanchor::LINES + 1).sum();
    if lines.iter().sum::<u64>() != (original + step * comments) as u64 {
        bail!("comments are not at the lines that step {step} moved them to");
    }
    Ok(took)
}

fn list_lines(client: &mut Client, comments: usize) -> Result<Vec<u64>> {
    let mut lines = Vec::new();
    for page in 1..=comments.div_ceil(PER_PAGE) {
        let path = format!("{REPO}/pulls/1/comments?per_page={PER_PAGE}&page={page}");
        let listed = client.get(&path)?.expect(200)?.json()?;
        let listed = listed.as_array().context("comments are a list")?.iter();
        lines.extend(listed.filter_map(|comment| comment["line"].as_u64()));
    }
    Ok(lines)
}

/// A wrapper script named `git`, first in the service's path, that writes a line for each start.
struct GitCounter {
    bin: PathBuf,
    list: PathBuf,
}

impl GitCounter {
    fn new(directory: &Path) -> Result<Self> {
        let (bin, list) = (directory.join("bin"), directory.join("started.txt"));
        let real = output_of(Command::new("sh").args(["-c", "command -v git"]))?;
        let script = format!("#!/bin/sh\necho \"$*\" >> '{}'\nexec '{}' \"$@\"\n", list.display(), real.trim());
        let write = || {
            fs::create_dir_all(&bin)?;
            fs::write(bin.join("git"), script)?;
            fs::set_permissions(bin.join("git"), fs::Permissions::from_mode(0o755))?;
            fs::write(&list, "")
        };
        write().with_context(|| bin.display().to_string())?;
        Ok(Self { bin, list })
    }

    fn start_service(&self, context: &Context, data: &Path) -> Result<ServerProcess> {
        let mut command = Command::new(&context.plinth);
        service::serve_arguments(&mut command, data);
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", self.bin.display()));
        service::start_command(context, &mut command)
    }

    fn count(&self) -> Result<usize> {
        Ok(fs::read_to_string(&self.list).with_context(|| self.list.display().to_string())?.lines().count())
    }
}
