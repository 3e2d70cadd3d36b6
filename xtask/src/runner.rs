//! Runs steps, some of them concurrently, and prints their outcomes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::arguments::{Faults, Options};
use crate::outcome::Outcome;
use crate::postgres::{Cluster, Source};
use crate::process;
use crate::reaper::Reaper;
use crate::step::{Context, Need, Step};
use crate::tally::Tally;
use crate::workspace;

/// How often the progress of a long step is printed.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(60);
/// Small machines gain nothing from more.
const CONCURRENT_MAX: usize = 2;

/// Runs the selected steps and prints the summary; the last line is `N passed, N failed`.
pub fn run(steps: Vec<Step>, options: &Options) -> Result<ExitCode, String> {
    let selected = select(steps, options)?;
    if options.list {
        for step in &selected {
            println!("{:<22} {}", step.name, step.about);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let started = Instant::now();
    let reports = Run::new(&selected, options)?.run();
    print_summary(&selected, &reports, started.elapsed());
    let failed = reports.values().any(|report| matches!(report.outcome, Outcome::Failed { .. }));
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The steps that `--only` and `--skip` select, in order, with those that they need.
fn select(steps: Vec<Step>, options: &Options) -> Result<Vec<Step>, String> {
    for name in options.only.iter().chain(&options.skip) {
        if !steps.iter().any(|step| step.name == name) {
            return Err(format!("no step is named `{name}`; see --list"));
        }
    }
    let mut wanted: BTreeSet<String> = options.only.iter().cloned().collect();
    // A step is listed after those it needs, so one pass from the end finds them all.
    for step in steps.iter().rev().filter(|_| !options.only.is_empty()) {
        if wanted.contains(step.name) {
            wanted.extend(step.needed_steps().map(String::from));
        }
    }
    let is_wanted = |step: &Step| options.only.is_empty() || wanted.contains(step.name);
    let is_skipped = |step: &Step| options.skip.iter().any(|name| name == step.name);
    let selected: Vec<bool> = steps.iter().map(|step| is_wanted(step) && !is_skipped(step)).collect();
    Ok(steps.into_iter().zip(selected).filter_map(|(step, selected)| selected.then_some(step)).collect())
}

struct Report {
    outcome: Outcome,
    took: Duration,
}

type Reports = BTreeMap<&'static str, Report>;

struct Run<'a> {
    steps: &'a [Step],
    waiting: Vec<&'a Step>,
    running: Vec<(&'a Step, Instant)>,
    reports: Reports,
    logs: PathBuf,
    deadline: Instant,
    reaper: Arc<Reaper>,
    postgres: Arc<OnceLock<Cluster>>,
    postgres_from: Option<Source>,
    faults: Faults,
    fuzz_seconds: u64,
}

enum Readiness {
    Ready,
    NotYet,
    Never(String),
}

impl<'a> Run<'a> {
    fn new(steps: &'a [Step], options: &Options) -> Result<Self, String> {
        let logs = workspace::target().join("xtask");
        fs::create_dir_all(&logs).map_err(|error| format!("{}: {error}", logs.display()))?;
        // Responses of an earlier run must not be checked again.
        let _ = fs::remove_dir_all(workspace::recorded_responses());
        Ok(Self {
            steps,
            waiting: steps.iter().collect(),
            running: Vec::new(),
            reports: Reports::new(),
            logs,
            deadline: Instant::now() + options.limit,
            reaper: Arc::new(Reaper::start()?),
            postgres: Arc::default(),
            postgres_from: options.postgres_from,
            faults: options.faults,
            fuzz_seconds: options.fuzz_seconds,
        })
    }

    fn run(mut self) -> Reports {
        let (sender, finished) = mpsc::channel();
        std::thread::scope(|scope| {
            while self.reports.len() < self.steps.len() {
                self.start_ready(|step, context| {
                    let sender = sender.clone();
                    scope.spawn(move || sender.send((step.name, run_step(step, &context))));
                });
                if self.running.is_empty() {
                    continue;
                }
                match finished.recv_timeout(PROGRESS_INTERVAL) {
                    Ok((name, outcome)) => self.finish(name, outcome),
                    Err(RecvTimeoutError::Timeout) => self.show_running(),
                    Err(RecvTimeoutError::Disconnected) => unreachable!("this function owns a sender"),
                }
            }
        });
        self.reports
    }

    fn start_ready(&mut self, mut spawn: impl FnMut(&'a Step, Context)) {
        for step in std::mem::take(&mut self.waiting) {
            match self.readiness(step) {
                Readiness::NotYet => self.waiting.push(step),
                Readiness::Never(reason) => self.report(step.name, Outcome::Skipped { reason }, Duration::ZERO),
                Readiness::Ready => {
                    println!("   run   {}", step.name);
                    let context = self.context(step);
                    self.running.push((step, Instant::now()));
                    spawn(step, context);
                }
            }
        }
    }

    fn readiness(&self, step: &Step) -> Readiness {
        for needed in step.needed_steps() {
            match self.reports.get(needed).map(|report| &report.outcome) {
                Some(Outcome::Passed { .. }) => {}
                Some(Outcome::Failed { .. }) => return Readiness::Never(format!("needs {needed}, which failed")),
                Some(Outcome::Skipped { .. }) => return Readiness::Never(format!("needs {needed}, which was skipped")),
                None if self.steps.iter().any(|step| step.name == needed) => return Readiness::NotYet,
                None => return Readiness::Never(format!("needs {needed}, which is not selected")),
            }
        }
        if step.needs(Need::Earlier) && !earlier(self.steps, step).all(|other| self.reports.contains_key(other.name)) {
            return Readiness::NotYet;
        }
        let cargo_is_locked = step.needs(Need::Cargo) && self.running.iter().any(|(step, _)| step.needs(Need::Cargo));
        if cargo_is_locked || self.running.len() >= CONCURRENT_MAX { Readiness::NotYet } else { Readiness::Ready }
    }

    fn context(&self, step: &Step) -> Context {
        let log = self.logs.join(format!("{}.log", step.name));
        let _ = fs::write(&log, "");
        Context {
            reaper: self.reaper.clone(),
            log,
            deadline: self.deadline.min(Instant::now() + step.limit),
            postgres: self.postgres.clone(),
            postgres_from: self.postgres_from,
            faults: self.faults,
            fuzz_seconds: self.fuzz_seconds,
        }
    }

    fn finish(&mut self, name: &'static str, outcome: Outcome) {
        let index = self.running.iter().position(|(step, _)| step.name == name).expect("only running steps finish");
        let (_, started) = self.running.remove(index);
        if let Outcome::Failed { .. } = outcome {
            self.show_log(name);
        }
        self.report(name, outcome, started.elapsed());
    }

    fn report(&mut self, name: &'static str, outcome: Outcome, took: Duration) {
        println!("{:>6}   {name}  {:.1} s  {}", outcome.word(), took.as_secs_f64(), outcome.detail());
        self.reports.insert(name, Report { outcome, took });
    }

    fn show_log(&self, name: &str) {
        let log = self.logs.join(format!("{name}.log"));
        let text = fs::read(&log).unwrap_or_default();
        println!("\n----- output of {name}, also in {}", log.display());
        println!("{}", String::from_utf8_lossy(&text).trim_end());
        println!("----- end of {name}\n");
    }

    fn show_running(&self) {
        for (step, started) in &self.running {
            let line = process::last_line(&self.logs.join(format!("{}.log", step.name))).unwrap_or_default();
            println!("     …   {}  {} s  {line}", step.name, started.elapsed().as_secs());
        }
    }
}

/// The steps that are listed before this one.
fn earlier<'a>(steps: &'a [Step], step: &Step) -> impl Iterator<Item = &'a Step> {
    steps.iter().take_while(move |other| other.name != step.name)
}

/// A step that panics has failed; the others continue.
fn run_step(step: &Step, context: &Context) -> Outcome {
    if Instant::now() >= context.deadline {
        return Outcome::failed("not started: the run has reached its time limit");
    }
    let run = std::panic::AssertUnwindSafe(|| (step.run)(context));
    std::panic::catch_unwind(run).unwrap_or_else(|_| Outcome::failed("xtask itself panicked"))
}

fn print_summary(steps: &[Step], reports: &Reports, took: Duration) {
    let mut sum = Tally::default();
    println!("\n{:<24}{:<10}{:>8}", "step", "result", "seconds");
    for step in steps {
        let Report { outcome, took } = &reports[step.name];
        let line = format!("{:<24}{:<10}{:>8.1}   {}", step.name, outcome.word(), took.as_secs_f64(), outcome.detail());
        println!("{}", line.trim_end());
        sum += outcome.tally();
    }
    println!("{:<24}{:<10}{:>8.1}\n\n{sum}", "all", "", took.as_secs_f64());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(name: &'static str, needs: &'static [Need], run: fn(&Context) -> Outcome) -> Step {
        Step { name, about: "", needs, limit: Duration::from_secs(1), run }
    }

    fn three() -> Vec<Step> {
        let pass = |_: &Context| Outcome::passed();
        vec![
            step("format", &[], pass),
            step("postgres", &[], pass),
            step("tests", &[Need::Cargo, Need::Step("postgres")], pass),
        ]
    }

    fn names(options: &Options) -> Result<Vec<&'static str>, String> {
        Ok(select(three(), options)?.iter().map(|step| step.name).collect())
    }

    #[test]
    fn only_selects_needed_steps() {
        let options = Options { only: vec!["tests".into()], ..Options::default() };
        assert_eq!(names(&options), Ok(vec!["postgres", "tests"]));
    }

    #[test]
    fn skip_removes_a_step() {
        let options = Options { skip: vec!["format".into()], ..Options::default() };
        assert_eq!(names(&options), Ok(vec!["postgres", "tests"]));
    }

    #[test]
    fn earlier_steps_are_listed_before() {
        let steps = three();
        let names = |step| earlier(&steps, step).map(|step| step.name).collect::<Vec<_>>();
        assert_eq!(names(&steps[0]), Vec::<&str>::new());
        assert_eq!(names(&steps[2]), ["format", "postgres"]);
    }

    #[test]
    fn unknown_step_is_rejected() {
        let options = Options { skip: vec!["formta".into()], ..Options::default() };
        assert!(names(&options).is_err_and(|text| text.contains("formta")));
    }
}
