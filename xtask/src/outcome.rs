//! The outcome of a step.

use crate::tally::Tally;

#[derive(Debug)]
pub enum Outcome {
    Passed { tally: Tally, detail: String },
    Failed { tally: Tally, reason: String },
    Skipped { reason: String },
}

impl Outcome {
    pub fn passed() -> Self {
        Outcome::Passed { tally: Tally::ONE_PASSED, detail: String::new() }
    }

    pub fn failed(reason: impl Into<String>) -> Self {
        Outcome::Failed { tally: Tally::ONE_FAILED, reason: reason.into() }
    }

    pub fn skipped(reason: impl Into<String>) -> Self {
        Outcome::Skipped { reason: reason.into() }
    }

    pub fn tally(&self) -> Tally {
        match self {
            Outcome::Passed { tally, .. } | Outcome::Failed { tally, .. } => *tally,
            Outcome::Skipped { .. } => Tally::ONE_SKIPPED,
        }
    }

    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Passed { .. } => "ok",
            Outcome::Failed { .. } => "FAILED",
            Outcome::Skipped { .. } => "skip",
        }
    }

    /// The reason, or the number of tests.
    pub fn detail(&self) -> String {
        let tally = self.tally();
        let counts = if tally.passed + tally.failed > 1 { tally.to_string() } else { String::new() };
        match self {
            Outcome::Passed { detail, .. } if detail.is_empty() => counts,
            Outcome::Passed { detail, .. } => detail.clone(),
            Outcome::Failed { reason, .. } if counts.is_empty() => reason.clone(),
            Outcome::Failed { reason, .. } => format!("{counts} ({reason})"),
            Outcome::Skipped { reason } => reason.clone(),
        }
    }
}
