//! What applying a state file did.

use std::fmt;

use plinth_core::tokens::Secret;

/// What was made, changed and left alone, and the secrets that are shown only now.
#[derive(Debug, Default)]
pub struct Report {
    pub made: Vec<String>,
    pub changed: Vec<String>,
    pub unchanged: usize,
    pub secrets: Vec<(String, Secret)>,
}

/// Whether something is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    New,
    Changed,
    Unchanged,
}

impl Report {
    pub fn note(&mut self, what: impl fmt::Display, made: Made) {
        match made {
            Made::New => self.made.push(what.to_string()),
            Made::Changed => self.changed.push(what.to_string()),
            Made::Unchanged => self.unchanged += 1,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for what in &self.made {
            writeln!(out, "made     {what}")?;
        }
        for what in &self.changed {
            writeln!(out, "changed  {what}")?;
        }
        let (made, changed) = (self.made.len(), self.changed.len());
        writeln!(out, "{made} made, {changed} changed, {} unchanged", self.unchanged)?;
        for (what, secret) in &self.secrets {
            writeln!(out, "token    {what}: {}", secret.reveal())?;
        }
        Ok(())
    }
}
