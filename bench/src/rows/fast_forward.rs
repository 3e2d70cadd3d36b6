//! Is this commit an ancestor of that one? The service's answer to a fast-forward, beside `git merge-base`.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::json;

use super::RowGroup;
use crate::Result;
use crate::bench::Bench;
use crate::figure::{Figure, Target, significant};
use crate::http::Client;
use crate::process::{Running, git};
use crate::report::{Growth, Row, Series};
use crate::seed::histories::{self, Tips};
use crate::servers::Synchronous;
use crate::service::{self, Place};

const REPO: &str = "/repos/acme/history";

pub const FAST_FORWARD: RowGroup = RowGroup {
    name: "fast-forward",
    about: "the test of a fast-forward over a million commits, beside `git merge-base --is-ancestor`",
    run: |bench, report| {
        let mut series: Vec<Series> =
            Case::ALL.iter().map(|case| Series { name: case.name().into(), points: Vec::new() }).collect();
        let sizes = bench.size(vec![500, 2_000], vec![1_000, 10_000, 100_000, 1_000_000]);
        for (index, size) in sizes.iter().enumerate() {
            let history = Opened::new(bench, *size)?;
            for (case, series) in Case::ALL.into_iter().zip(&mut series) {
                let (ours, theirs) = history.measure(bench, case)?;
                series.points.push((*size, Figure::of(&ours).median));
                if index + 1 == sizes.len() {
                    report.add(row(case, *size, &ours, &theirs));
                }
            }
        }
        report.grown(Growth { title: "commits in a history", unit: "ms for a whole request", series });
        Ok(())
    },
};

#[derive(Debug, Clone, Copy)]
enum Case {
    /// From the first commit to the last.
    WholeWay,
    /// From a commit that the last one does not descend from.
    Aside,
    /// From the commit before the last.
    OneStep,
}

impl Case {
    const ALL: [Self; 3] = [Case::WholeWay, Case::Aside, Case::OneStep];

    fn name(self) -> &'static str {
        match self {
            Case::WholeWay => "fast-forward over all commits",
            Case::Aside => "refusal of what is no fast-forward",
            Case::OneStep => "fast-forward by one commit",
        }
    }

    /// The status, and whether git agrees.
    fn expected(self) -> (u16, bool) {
        match self {
            Case::WholeWay | Case::OneStep => (200, true),
            Case::Aside => (422, false),
        }
    }

    /// One step takes git no walk, only a process, so it says nothing about walking.
    fn target(self) -> Target {
        match self {
            Case::WholeWay | Case::Aside => Target::AtLeast(10.0),
            Case::OneStep => Target::None,
        }
    }

    fn start(self, tips: &Tips) -> &str {
        match self {
            Case::WholeWay => &tips.first,
            Case::Aside => &tips.aside,
            Case::OneStep => &tips.before_last,
        }
    }
}

fn row(case: Case, size: u64, ours: &[f64], theirs: &[f64]) -> Row {
    let ratios: Vec<f64> = ours.iter().zip(theirs).map(|(ours, theirs)| theirs / ours).collect();
    Row {
        what: format!("{}, {size} commits", case.name()),
        service: format!("{} ms for the whole request", significant(Figure::of(ours).median)),
        beside: format!("git merge-base --is-ancestor: {} ms", significant(Figure::of(theirs).median)),
        figure: Figure::of(&ratios),
        unit: "× faster",
        target: case.target(),
        remark: String::new(),
    }
}

/// A service on a history, and the same history for git itself.
struct Opened {
    service: Running,
    tips: Tips,
    repository: PathBuf,
}

impl Opened {
    fn new(bench: &Bench, size: u64) -> Result<Self> {
        let seed = histories::get(bench, size)?;
        let service = service::start(bench, &seed.join("data"), Place::Anywhere, Synchronous::Full)?;
        Ok(Self { service, tips: histories::tips(&seed)?, repository: histories::repository(&seed)? })
    }

    /// Milliseconds of both, alternately.
    fn measure(&self, bench: &Bench, case: Case) -> Result<(Vec<f64>, Vec<f64>)> {
        let mut client = self.service.client()?;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        // The first of each only makes both warm.
        for round in 0..=bench.rounds.max(3) {
            let (our, their) = (self.ask_service(&mut client, case)?, self.ask_git(case)?);
            if round > 0 {
                ours.push(our);
                theirs.push(their);
            }
        }
        Ok((ours, theirs))
    }

    fn ask_service(&self, client: &mut Client, case: Case) -> Result<f64> {
        let path = format!("{REPO}/git/refs/heads/moving");
        let back = json!({ "sha": case.start(&self.tips), "force": true });
        client.send("PATCH", &path, &back)?.expect(200)?;
        let begun = Instant::now();
        let reply = client.send("PATCH", &path, &json!({ "sha": self.tips.last }))?;
        let took = begun.elapsed();
        reply.expect(case.expected().0)?;
        Ok(took.as_secs_f64() * 1e3)
    }

    fn ask_git(&self, case: Case) -> Result<f64> {
        let words = ["merge-base", "--is-ancestor", case.start(&self.tips), self.tips.last.as_str()];
        let begun = Instant::now();
        let status = git(&self.repository, &words).status().map_err(|error| error.to_string())?;
        let took = begun.elapsed();
        if status.success() != case.expected().1 {
            return Err(format!("git does not agree: {}", case.name()));
        }
        Ok(took.as_secs_f64() * 1e3)
    }
}
