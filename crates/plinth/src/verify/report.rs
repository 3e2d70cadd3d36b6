//! The report, as text or JSON.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use serde::Serialize;

use plinth_base::clock::Clock;
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;

/// Everything that was checked and found.
#[derive(Debug, Serialize)]
pub struct Report {
    healthy: bool,
    plinth: &'static str,
    started_at: String,
    finished_at: String,
    pub engine: Option<&'static str>,
    pub checked: Checked,
    /// What a backup contains, for people.
    #[serde(skip)]
    pub backup: Option<String>,
    pub findings: Vec<Finding>,
}

/// How much was checked.
#[derive(Debug, Default, Serialize)]
pub struct Checked {
    pub repositories: u64,
    pub references: u64,
    pub pull_request_commits: u64,
    pub pack_bytes: u64,
}

/// One problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub kind: Kind,
    severity: Severity,
    #[serde(skip_serializing_if = "Option::is_none")]
    repository: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<String>,
    message: String,
    pub repair: Repair,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    DamagedDatabase,
    DamagedBackup,
    DamagedPack,
    DamagedIndex,
    DamagedCommitGraph,
    MissingDirectory,
    /// An object that a reference, a pull request version or the anchor of a comment names.
    MissingObject,
    /// An object that another object names.
    Disconnected,
    /// The directory of a repository that is not in the database.
    Orphan,
    /// A temporary file of work that was not finished.
    Leftover,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Something cannot be served.
    Damage,
    /// Something takes up space for nothing.
    Waste,
}

/// What `--repair` did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Repair {
    /// Only a backup can bring it back.
    Impossible,
    Possible,
    Done,
    Failed(String),
    /// Only while no server runs.
    NeedsOwner,
}

impl Finding {
    pub fn new(kind: Kind, message: String) -> Self {
        let severity = match kind {
            Kind::Orphan | Kind::Leftover => Severity::Waste,
            _ => Severity::Damage,
        };
        let (repository, path, object) = (None, None, None);
        Self { kind, severity, repository, path, object, message, repair: Repair::Impossible }
    }

    pub fn in_repository(self, name: &str) -> Self {
        Self { repository: Some(name.to_owned()), ..self }
    }

    pub fn at(self, path: &Path) -> Self {
        Self { path: Some(path.display().to_string()), ..self }
    }

    pub fn of(self, object: Sha) -> Self {
        Self { object: Some(object.to_string()), ..self }
    }

    pub fn with(self, repair: Repair) -> Self {
        Self { repair, ..self }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let severity = match self.severity {
            Severity::Damage => "damage",
            Severity::Waste => "waste ",
        };
        write!(out, "{severity}  ")?;
        for part in [&self.repository, &self.path, &self.object].into_iter().flatten() {
            write!(out, "{part}: ")?;
        }
        write!(out, "{}", self.message)?;
        match &self.repair {
            Repair::Impossible => Ok(()),
            Repair::Possible => write!(out, " (--repair can repair it)"),
            Repair::Done => write!(out, " (repaired)"),
            Repair::Failed(why) => write!(out, " (not repaired: {why})"),
            Repair::NeedsOwner => write!(out, " (--repair can repair it while no server runs)"),
        }
    }
}

impl Report {
    pub fn begin() -> Self {
        let started_at = Clock::default().now().to_string();
        Self {
            healthy: true,
            plinth: env!("CARGO_PKG_VERSION"),
            started_at,
            finished_at: String::new(),
            engine: None,
            checked: Checked::default(),
            backup: None,
            findings: Vec::new(),
        }
    }

    pub fn add(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    pub fn end(&mut self) {
        self.finished_at = Clock::default().now().to_string();
        let is_damage = |finding: &Finding| finding.severity == Severity::Damage && finding.repair != Repair::Done;
        self.healthy = !self.findings.iter().any(is_damage);
    }

    /// Whether everything can be served, perhaps after a repair.
    pub fn is_healthy(&self) -> bool {
        self.healthy
    }

    pub fn write(&self, json: bool, out: &mut dyn Write) -> Result<()> {
        if json {
            let text = serde_json::to_string_pretty(self).map_err(|error| Error::Internal(error.into()))?;
            return Ok(writeln!(out, "{text}")?);
        }
        for finding in &self.findings {
            writeln!(out, "{finding}")?;
        }
        let mut counts: BTreeMap<Kind, usize> = BTreeMap::new();
        self.findings.iter().for_each(|finding| *counts.entry(finding.kind).or_default() += 1);
        let Checked { repositories, references, pack_bytes, .. } = self.checked;
        let checked = self.backup.clone().unwrap_or_else(|| {
            format!("{repositories} repositories, {references} references, {pack_bytes} bytes of packs")
        });
        let state = if self.healthy { "healthy" } else { "damaged" };
        writeln!(out, "{state}: {checked}, {} findings", counts.values().sum::<usize>())?;
        Ok(())
    }
}
