//! The size of a run, from the environment that `cargo xtask faults` sets.

use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::cluster::Cluster;
pub use crate::server::program_path;

/// `short` unless this says `long`.
const SIZE: &str = "PLINTH_FAULTS";
const SEED: &str = "PLINTH_FAULTS_SEED";

/// One value for the short form, another for the long one.
pub fn sized<T>(short: T, long: T) -> T {
    if is_long() { long } else { short }
}

pub fn is_long() -> bool {
    std::env::var(SIZE).is_ok_and(|size| size == "long")
}

/// The seed of this run, printed so that the run can be repeated.
pub fn seed(case: &str) -> u64 {
    let given = std::env::var(SEED).ok().and_then(|seed| seed.parse().ok());
    let seed = given.unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::from(now.subsec_nanos())
    });
    println!("seed:    {case} {seed}");
    seed
}

/// The program under test.
pub fn program() -> Command {
    let mut program = Command::new(program_path());
    program.stdin(Stdio::null());
    program
}

/// Shows the progress of a long case.
pub fn progress(text: &str) {
    println!("         {text}");
}

/// A measured result; `cargo xtask faults` repeats it in its summary.
pub fn figure(text: &str) {
    println!("figure:  {text}");
}

/// A case, or a part of one, that this machine cannot run; `cargo xtask faults` repeats it in its summary.
pub fn skip(text: &str) {
    println!("skipped: {text}");
}

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Whether a program is installed and runs.
pub fn has(program: &str, argument: &str) -> bool {
    Command::new(program).arg(argument).output().is_ok_and(|output| output.status.success())
}

/// A PostgreSQL cluster for the case, or nothing with the reason printed.
pub fn cluster(case: &str) -> Option<Cluster> {
    let cluster = Cluster::start();
    if cluster.is_none() {
        skip(&format!("{case} on PostgreSQL: PLINTH_TEST_POSTGRES_BIN names no programs"));
    }
    cluster
}

/// Measures up to three times: a shared machine may be slow once, a slow server is slow each time.
pub fn best_of_three<T>(measure: impl Fn() -> Result<T, String>) -> Result<T, String> {
    let mut last = Err("never measured".to_owned());
    for _ in 0..3 {
        last = measure();
        match &last {
            Ok(_) => break,
            Err(reason) => progress(&format!("once more: {reason}")),
        }
    }
    last
}

/// The value below which `share` of the sorted samples lie.
pub fn percentile(samples: &mut [Duration], share: f64) -> Duration {
    samples.sort();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length is an index")]
    let index = (samples.len() as f64 * share) as usize;
    samples.get(index.min(samples.len().saturating_sub(1))).copied().unwrap_or_default()
}
