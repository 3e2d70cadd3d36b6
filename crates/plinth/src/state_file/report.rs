//! What applying a state file did.

use std::fmt;

use plinth_core::tokens::Secret;

/// What was created, changed and left as it is, and the new secrets, which are shown only once.
#[derive(Debug, Default)]
pub struct Report {
    pub created: Vec<String>,
    pub changed: Vec<String>,
    pub unchanged: usize,
    pub secrets: Vec<(String, Secret)>,
}

/// What applying one entry did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Created,
    Changed,
    Unchanged,
}

impl Report {
    pub fn note(&mut self, what: impl fmt::Display, effect: Effect) {
        match effect {
            Effect::Created => self.created.push(what.to_string()),
            Effect::Changed => self.changed.push(what.to_string()),
            Effect::Unchanged => self.unchanged += 1,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for what in &self.created {
            writeln!(out, "created  {what}")?;
        }
        for what in &self.changed {
            writeln!(out, "changed  {what}")?;
        }
        let (created, changed) = (self.created.len(), self.changed.len());
        writeln!(out, "{created} created, {changed} changed, {} unchanged", self.unchanged)?;
        for (what, secret) in &self.secrets {
            writeln!(out, "token    {what}: {}", secret.reveal())?;
        }
        Ok(())
    }
}
