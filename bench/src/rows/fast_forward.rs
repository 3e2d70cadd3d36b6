//! Ancestor checks: a fast-forward through the API compared with `git merge-base --is-ancestor`.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, ensure};
use serde_json::json;

use super::group::RowGroup;
use crate::harness::{Context, ServeOptions, service};
use crate::http::Client;
use crate::results::{Figure, Growth, Results, Row, Series, Target, significant};
use crate::seed::long_history::{self, Commits};
use crate::system::{ServerProcess, git};

const REPO: &str = "/repos/acme/history";

pub const FAST_FORWARD: RowGroup = RowGroup {
    name: "fast-forward",
    about: "the ancestor check over a million commits, compared with `git merge-base --is-ancestor`",
    run: |context| {
        let mut series: Vec<Series> =
            Case::ALL.iter().map(|case| Series { name: case.name().into(), points: Vec::new() }).collect();
        let mut rows = Vec::new();
        let sizes = context.size(vec![500, 2_000], vec![1_000, 10_000, 100_000, 1_000_000]);
        for (index, size) in sizes.iter().enumerate() {
            let history = History::start(context, *size)?;
            for (case, series) in Case::ALL.into_iter().zip(&mut series) {
                let times = history.measure(context, case)?;
                series.points.push((*size, Figure::of(&times.service).median));
                if index + 1 == sizes.len() {
                    rows.push(row(case, *size, &times));
                }
            }
        }
        let growth = Growth { title: "commits in a history", unit: "ms per request", series };
        Ok(Results { rows, growths: vec![growth], ..Results::default() })
    },
};

#[derive(Debug, Clone, Copy)]
enum Case {
    /// From the first commit to the last.
    AllCommits,
    /// From a commit that is no ancestor of the last.
    Diverged,
    /// From the parent of the last commit.
    OneCommit,
}

impl Case {
    const ALL: [Self; 3] = [Case::AllCommits, Case::Diverged, Case::OneCommit];

    fn name(self) -> &'static str {
        match self {
            Case::AllCommits => "fast-forward over all commits",
            Case::Diverged => "rejected update from a diverged commit",
            Case::OneCommit => "fast-forward by one commit",
        }
    }

    /// The status, and whether git finds an ancestor.
    fn expected(self) -> (u16, bool) {
        match self {
            Case::AllCommits | Case::OneCommit => (200, true),
            Case::Diverged => (422, false),
        }
    }

    /// For one commit git walks nothing and only starts a process, so that ratio has no target.
    fn target(self) -> Target {
        match self {
            Case::AllCommits | Case::Diverged => Target::AtLeast(10.0),
            Case::OneCommit => Target::None,
        }
    }

    fn start(self, commits: &Commits) -> &str {
        match self {
            Case::AllCommits => &commits.first,
            Case::Diverged => &commits.diverged,
            Case::OneCommit => &commits.before_last,
        }
    }
}

/// Milliseconds, one per round.
#[derive(Default)]
struct Times {
    service: Vec<f64>,
    git: Vec<f64>,
}

fn row(case: Case, size: u64, times: &Times) -> Row {
    let ratios: Vec<f64> = times.service.iter().zip(&times.git).map(|(service, git)| git / service).collect();
    Row {
        what: format!("{}, {size} commits", case.name()),
        service: format!("{} ms per request", significant(Figure::of(&times.service).median)),
        baseline: format!("git merge-base --is-ancestor: {} ms", significant(Figure::of(&times.git).median)),
        figure: Figure::of(&ratios),
        unit: "× faster",
        target: case.target(),
        note: String::new(),
    }
}

/// A service on a history, and the same repository for git.
struct History {
    service: ServerProcess,
    commits: Commits,
    repository: PathBuf,
}

impl History {
    fn start(context: &Context, size: u64) -> Result<Self> {
        let seed = long_history::get(context, size)?;
        let service = service::start(context, &seed.join("data"), ServeOptions::default())?;
        Ok(Self { service, commits: long_history::commits(&seed)?, repository: long_history::repository(&seed)? })
    }

    /// Measures both alternately.
    fn measure(&self, context: &Context, case: Case) -> Result<Times> {
        let mut client = Client::connect(self.service.address)?;
        let mut times = Times::default();
        // The first round is a warm-up.
        for round in 0..=context.rounds.max(3) {
            let (service, git) = (self.time_service(&mut client, case)?, self.time_git(case)?);
            if round > 0 {
                times.service.push(service);
                times.git.push(git);
            }
        }
        Ok(times)
    }

    fn time_service(&self, client: &mut Client, case: Case) -> Result<f64> {
        let path = format!("{REPO}/git/refs/heads/moving");
        let reset = json!({ "sha": case.start(&self.commits), "force": true });
        client.send("PATCH", &path, &reset)?.expect(200)?;
        let begun = Instant::now();
        let response = client.send("PATCH", &path, &json!({ "sha": self.commits.last }))?;
        let took = begun.elapsed();
        response.expect(case.expected().0)?;
        Ok(took.as_secs_f64() * 1e3)
    }

    fn time_git(&self, case: Case) -> Result<f64> {
        let arguments = ["merge-base", "--is-ancestor", case.start(&self.commits), self.commits.last.as_str()];
        let begun = Instant::now();
        let status = git(&self.repository, &arguments).status()?;
        let took = begun.elapsed();
        ensure!(status.success() == case.expected().1, "unexpected result of git: {}", case.name());
        Ok(took.as_secs_f64() * 1e3)
    }
}
