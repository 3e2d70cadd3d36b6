//! Fuzzing with libFuzzer, one step per target of the crate `plinth-fuzz`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::outcome::Outcome;
use crate::process::{self, first_line};
use crate::step::{Context, Need, Step, minutes};
use crate::tally::Tally;
use crate::workspace::{cargo, command, target};

/// What cargo-fuzz sets for a build without a sanitizer, all of it stable. `--cfg fuzzing` is left out: some crates change what
/// they do with it, and the tested code should be the shipped code.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
                     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
                     -Cllvm-args=-sanitizer-coverage-trace-compares -Cllvm-args=-simplifycfg-branch-fold-threshold=0";
/// Memory of the whole process. An input that needs more is a finding.
const MEMORY_MB: u32 = 512;
/// An input that takes longer is a finding. The targets themselves limit CPU time to a second; this ends an input that waits, and is
/// long enough for a busy machine.
const INPUT_SECONDS: u32 = 120;
/// Inputs do not become longer: what is expensive shows with less.
const INPUT_BYTES_MAX: u32 = 16 * 1024;
/// The time in which a planted defect must be found. It takes seconds, unless the machine is very busy.
const CONTROL_SECONDS: u64 = 180;
/// Targets that run at the same time.
const CONCURRENT: usize = 2;
/// Time for each target, in the short form and by default, and in the long form of the fault suite.
pub const SHORT_SECONDS: u64 = 60;
const LONG_SECONDS: u64 = 4 * 60 * 60;
const STEP_LIMIT: Duration = minutes(24 * 60);

macro_rules! targets {
    ($(($name:literal, $about:literal),)*) => {
        const TARGETS: &[Step] = &[$(
            Step {
                name: $name,
                about: $about,
                needs: &[Need::Step("controls")],
                limit: STEP_LIMIT,
                run: |context| match fuzz(context, &context.log, $name, context.fuzz_seconds) {
                    Ok(figures) => figures.into_outcome(),
                    Err(reason) => Outcome::failed(reason),
                },
            }
        ),*];
    };
}

targets! {
    ("pkt-line", "packet lines of git's protocol"),
    ("push-commands", "the commands of a push"),
    ("upload-request", "fetch and ls-refs: arguments, filters, depths"),
    ("objects", "commits and tags"),
    ("trees", "trees, and the changes between two of them"),
    ("packs", "entries, deltas and indexes of packs"),
    ("diff", "the diff of two texts"),
    ("reanchor", "comments in later versions of a file"),
    ("markdown", "comments in Markdown, with mentions"),
    ("names", "logins, repository names, hashes, times, scopes, cursors"),
    ("ref-names", "names of refs"),
    ("json-web-tokens", "JSON web tokens of apps"),
    ("http1", "heads and bodies of HTTP/1 requests, compared with hyper"),
    ("requests", "targets, queries and headers of requests to the service"),
    ("bodies", "bodies of requests to the service, for each operation"),
    ("state-file", "the state file"),
}

/// Controls, and what libFuzzer names its file after.
const CONTROLS: [(&str, &str); 3] =
    [("control-panic", "crash-"), ("control-slow", "crash-"), ("control-memory", "oom-")];

const BUILD: Step = Step {
    name: "build",
    about: "build the fuzzer",
    needs: &[Need::Cargo],
    limit: minutes(40),
    run: |context| build(context).map_or_else(|reason| reason, |()| Outcome::passed()),
};

const CONTROL: Step = Step {
    name: "controls",
    about: "planted defects: a panic, a slow input and one that needs memory must be found",
    needs: &[Need::Step("build")],
    limit: minutes(10),
    run: |context| controls(context).map_or_else(Outcome::failed, |()| Outcome::passed()),
};

/// The steps of `cargo xtask fuzz`.
pub fn steps() -> Vec<Step> {
    let mut steps = vec![BUILD, CONTROL];
    steps.extend(TARGETS.iter().map(|target| Step { ..*target }));
    steps
}

/// Everything in one step, for the fault suite.
pub const FAULT: Step = Step {
    name: "F15",
    about: "fuzzing of all parsers; needs a C++ compiler",
    needs: &[Need::Cargo],
    limit: minutes(48 * 60),
    run: |context| {
        if let Err(outcome) = build(context) {
            return outcome;
        }
        match controls(context) {
            Ok(()) => all(context, if context.faults.long { LONG_SECONDS } else { SHORT_SECONDS }),
            Err(reason) => Outcome::failed(reason),
        }
    },
};

/// The time limit of a run in which each target has this time.
pub fn run_limit(seconds: u64) -> Duration {
    minutes(60) + Duration::from_secs(seconds) * u32::try_from(TARGETS.len()).unwrap_or(u32::MAX)
}

/// Runs all targets, some of them concurrently, and prints the figures of each.
fn all(context: &Context, seconds: u64) -> Outcome {
    let waiting = Mutex::new(TARGETS.iter());
    let sum = Mutex::new((Figures::default(), Tally::default(), Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..CONCURRENT {
            scope.spawn(|| {
                while let Some(step) = next(&waiting) {
                    let log = context.log.with_file_name(format!("fuzz-{}.log", step.name));
                    let _ = fs::write(&log, "");
                    let result = fuzz(context, &log, step.name, seconds);
                    let mut sum = sum.lock().expect("no thread panics with the lock");
                    match result {
                        Ok(figures) => {
                            println!("         {}: {}", step.name, figures.text());
                            sum.0.executions += figures.executions;
                            sum.1 += Tally::ONE_PASSED;
                        }
                        Err(reason) => {
                            println!("         {}: {reason}", step.name);
                            sum.1 += Tally::ONE_FAILED;
                            sum.2.push(format!("{}: {reason}", step.name));
                        }
                    }
                }
            });
        }
    });
    let (figures, tally, failures) = sum.into_inner().expect("no thread panics with the lock");
    if failures.is_empty() {
        return Outcome::Passed { tally, detail: format!("{tally}: {} executions", figures.executions) };
    }
    Outcome::Failed { tally, reason: failures.join("; ") }
}

fn next<'a>(waiting: &Mutex<impl Iterator<Item = &'a Step>>) -> Option<&'a Step> {
    waiting.lock().expect("no thread panics with the lock").next()
}

/// An outcome as error: a machine without a C++ compiler skips.
fn build(context: &Context) -> Result<(), Outcome> {
    if first_line(Command::new("c++").arg("--version")).is_none() {
        return Err(Outcome::skipped("libFuzzer needs a C++ compiler"));
    }
    let host = host().ok_or_else(|| Outcome::failed("rustc does not name its host"))?;
    // Only with a target do the flags not apply to build scripts and procedural macros.
    let mut build =
        cargo(&["build", "--locked", "--package", "plinth-fuzz", "--features", "libfuzzer", "--profile", "fuzz"]);
    build.args(["--bin", "plinth-fuzz", "--target", &host, "--target-dir"]).arg(directory().join("build"));
    let own = std::env::var("RUSTFLAGS").unwrap_or_default();
    build.env("RUSTFLAGS", format!("{own} {FLAGS}"));
    context.succeed(&mut build).map_err(Outcome::failed)
}

fn host() -> Option<String> {
    let output = command("rustc").arg("-vV").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_owned)
}

fn directory() -> PathBuf {
    target().join("fuzz")
}

fn program() -> Result<PathBuf, String> {
    let host = host().ok_or("rustc does not name its host")?;
    Ok(directory().join("build").join(host).join("fuzz/plinth-fuzz"))
}

/// Each planted defect must be found, as what it is.
fn controls(context: &Context) -> Result<(), String> {
    for (name, prefix) in CONTROLS {
        let findings = directory().join(name).join("findings");
        // What an earlier run has found does not count.
        let _ = fs::remove_dir_all(directory().join(name));
        let started = Instant::now();
        if fuzz(context, &context.log, name, CONTROL_SECONDS).is_ok() {
            return Err(format!("{name}: the planted defect was not found"));
        }
        if !newest(&findings).is_some_and(|path| file_name(&path).starts_with(prefix)) {
            return Err(format!("{name}: the fuzzer failed without a file {prefix}…"));
        }
        println!("         {name}: found in {:.1} s", started.elapsed().as_secs_f64());
    }
    Ok(())
}

/// Runs one target. An error names the file with the input.
fn fuzz(context: &Context, log: &Path, name: &str, seconds: u64) -> Result<Figures, String> {
    let (corpus, findings) = (directory().join(name).join("corpus"), directory().join(name).join("findings"));
    let temporary = directory().join(name).join("tmp");
    let _ = fs::remove_dir_all(&temporary);
    for directory in [&corpus, &findings, &temporary] {
        fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    }
    let program = program()?;
    let mut fuzzer = command(&program.to_string_lossy());
    fuzzer
        .env("PLINTH_FUZZ_TARGET", name)
        .env("PLINTH_FUZZ_SEEDS", &corpus)
        .env("TMPDIR", &temporary)
        .arg(format!("-artifact_prefix={}/", findings.display()))
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-rss_limit_mb={MEMORY_MB}"))
        .arg(format!("-timeout={INPUT_SECONDS}"))
        .arg(format!("-max_len={INPUT_BYTES_MAX}"))
        .arg("-print_final_stats=1")
        .args(context.faults.seed.map(|seed| format!("-seed={}", seed % u64::from(u32::MAX))))
        .arg(&corpus);
    let status = process::run(&context.reaper, &mut fuzzer, log, context.deadline);
    let _ = fs::remove_dir_all(&temporary);
    let status = status?;
    if status.success() {
        let output = fs::read(log).unwrap_or_default();
        return Figures::read(&String::from_utf8_lossy(&output)).ok_or_else(|| "it ran no input".into());
    }
    let input = newest(&findings).map_or("no file".into(), |path| path.display().to_string());
    Err(format!("{status}; to repeat: PLINTH_FUZZ_TARGET={name} {} {input}", program.display()))
}

fn newest(directory: &Path) -> Option<PathBuf> {
    let entries = directory.read_dir().ok()?.flatten();
    entries.max_by_key(|entry| entry.metadata().and_then(|data| data.modified()).ok()).map(|entry| entry.path())
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// What libFuzzer reports at the end.
#[derive(Debug, Default, PartialEq, Eq)]
struct Figures {
    executions: u64,
    /// Edges of the control flow that were taken.
    coverage: u64,
    inputs: u64,
}

impl Figures {
    /// From the line `#123 DONE cov: 45 ft: 67 corp: 8/90b …`.
    fn read(output: &str) -> Option<Self> {
        let line = output.lines().rev().find(|line| line.starts_with('#') && line.contains("DONE"))?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let after = |word: &str| words.iter().position(|found| *found == word).and_then(|index| words.get(index + 1));
        let number = |text: &&str| text.split('/').next().and_then(|text| text.parse().ok());
        let executions = words.first().and_then(|word| word.strip_prefix('#')).and_then(|text| text.parse().ok())?;
        let value = |word: &str| after(word).and_then(number).unwrap_or_default();
        Some(Self { executions, coverage: value("cov:"), inputs: value("corp:") })
    }

    fn text(&self) -> String {
        format!("{} executions, coverage {}, {} inputs", self.executions, self.coverage, self.inputs)
    }

    fn into_outcome(self) -> Outcome {
        Outcome::Passed { tally: Tally::ONE_PASSED, detail: self.text() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_the_last_line() {
        let output = "#8\tINITED cov: 3 ft: 4 corp: 1/1b\n#4096\tDONE   cov: 512 ft: 900 corp: 33/4096b lim: 16384 exec/s: 68\nDone\n";
        assert_eq!(Figures::read(output), Some(Figures { executions: 4096, coverage: 512, inputs: 33 }));
        assert_eq!(Figures::read("#8\tINITED cov: 3\n"), None);
    }

    #[test]
    fn a_run_has_time_for_each_target() {
        assert!(run_limit(LONG_SECONDS) > Duration::from_secs(LONG_SECONDS) * 16);
    }
}
