//! Derives from a ledger what must, may and must not exist.

use std::collections::{BTreeMap, BTreeSet};

use crate::ledger::{Action, Event};

/// How an operation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Ok(Option<i64>),
    Fail,
    Unknown,
}

#[derive(Debug, Clone)]
pub struct Operation {
    pub action: Action,
    pub outcome: Outcome,
    invoked: usize,
    /// `None` while it may still take effect.
    ended: Option<usize>,
}

/// A value that a ref got, or may have got.
struct Write<'a> {
    sha: Option<&'a str>,
    is_sure: bool,
    invoked: usize,
    ended: Option<usize>,
}

#[derive(Debug, Default)]
pub struct History {
    pub operations: BTreeMap<u64, Operation>,
    /// Values that the checker read, with their lines.
    seen: Vec<(usize, String, Option<String>)>,
}

impl History {
    pub fn new(events: &[Event]) -> Self {
        let mut history = Self::default();
        for (line, event) in events.iter().enumerate() {
            history.add(line, event);
        }
        history
    }

    fn add(&mut self, line: usize, event: &Event) {
        match event {
            Event::Invoked { operation, action } => {
                let made = Operation { action: action.clone(), outcome: Outcome::Unknown, invoked: line, ended: None };
                self.operations.insert(*operation, made);
            }
            Event::Ok { operation, id } => self.end(*operation, line, Outcome::Ok(*id)),
            Event::Fail { operation } => self.end(*operation, line, Outcome::Fail),
            // Its outcome stays unknown, and it has no end.
            Event::Unknown { .. } => {}
            Event::Settled { operation, id: Some(id) } => self.end(*operation, line, Outcome::Ok(Some(*id))),
            Event::Settled { operation, id: None } => self.end(*operation, line, Outcome::Fail),
            Event::Seen { name, sha } => {
                for operation in self.operations.values_mut().filter(|operation| operation.touches(name)) {
                    operation.ended.get_or_insert(line);
                }
                self.seen.push((line, name.clone(), sha.clone()));
            }
        }
    }

    fn end(&mut self, operation: u64, line: usize, outcome: Outcome) {
        let operation = self.operations.get_mut(&operation).expect("an operation ends after it began");
        operation.outcome = outcome;
        operation.ended = Some(line);
    }

    /// The possible current values of each ref. Every ref was absent before the ledger began.
    pub fn ref_values(&self) -> BTreeMap<String, BTreeSet<Option<String>>> {
        let mut writes: BTreeMap<&str, Vec<Write<'_>>> = BTreeMap::new();
        for operation in self.operations.values().filter(|operation| operation.outcome != Outcome::Fail) {
            for (name, sha) in operation.ref_writes() {
                let is_sure = matches!(operation.outcome, Outcome::Ok(_));
                let write = Write { sha, is_sure, invoked: operation.invoked, ended: operation.ended };
                writes.entry(name).or_default().push(write);
            }
        }
        for operation in self.operations.values() {
            for (name, _) in operation.ref_writes() {
                writes.entry(name).or_default();
            }
        }
        for (line, name, sha) in &self.seen {
            let write = Write { sha: sha.as_deref(), is_sure: true, invoked: *line, ended: Some(*line) };
            writes.entry(name).or_default().push(write);
        }
        writes.into_iter().map(|(name, writes)| (name.to_owned(), possible_values(&writes))).collect()
    }

    pub fn acknowledged(&self) -> usize {
        self.operations.values().filter(|operation| matches!(operation.outcome, Outcome::Ok(_))).count()
    }
}

/// The values of writes after which no acknowledged write began.
fn possible_values(writes: &[Write<'_>]) -> BTreeSet<Option<String>> {
    let last_sure = writes.iter().filter(|write| write.is_sure).map(|write| write.invoked).max();
    let is_last = |ended: Option<usize>| match (ended, last_sure) {
        (Some(ended), Some(last)) => last < ended,
        _ => true,
    };
    // What the checker read had ended at the line where it began.
    let is_possible = |write: &&Write<'_>| is_last(write.ended) || write.is_sure && Some(write.invoked) == last_sure;
    let mut values: BTreeSet<_> = writes.iter().filter(is_possible).map(|write| write.sha.map(str::to_owned)).collect();
    if last_sure.is_none() {
        values.insert(None);
    }
    values
}

impl Operation {
    fn touches(&self, name: &str) -> bool {
        self.ref_writes().iter().any(|(written, _)| *written == name)
    }

    fn ref_writes(&self) -> Vec<(&str, Option<&str>)> {
        match &self.action {
            Action::Ref { name, sha } => vec![(name, sha.as_deref())],
            Action::Push { names, sha } => names.iter().map(|name| (name.as_str(), Some(sha.as_str()))).collect(),
            Action::Comment { .. } | Action::DeleteComment { .. } => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invoked(operation: u64, sha: Option<&str>) -> Event {
        let action = Action::Ref { name: "refs/heads/x".into(), sha: sha.map(str::to_owned) };
        Event::Invoked { operation, action }
    }

    fn ok(operation: u64) -> Event {
        Event::Ok { operation, id: None }
    }

    fn values(events: &[Event]) -> Vec<Option<String>> {
        History::new(events).ref_values().remove("refs/heads/x").unwrap_or_default().into_iter().collect()
    }

    fn some(sha: &str) -> Option<String> {
        Some(sha.to_owned())
    }

    #[test]
    fn ref_has_last_acknowledged_value() {
        assert_eq!(values(&[invoked(1, Some("a")), ok(1), invoked(2, Some("b")), ok(2)]), [some("b")]);
        assert_eq!(values(&[invoked(1, Some("a")), ok(1), invoked(2, None), ok(2)]), [None]);
    }

    #[test]
    fn either_of_two_concurrent_writes_may_be_last() {
        let events = [invoked(1, Some("a")), invoked(2, Some("b")), ok(1), ok(2)];
        assert_eq!(values(&events), [some("a"), some("b")]);
    }

    #[test]
    fn write_with_unknown_outcome_may_apply() {
        let events = [invoked(1, Some("a")), ok(1), invoked(2, Some("b")), Event::Unknown { operation: 2 }];
        assert_eq!(values(&events), [some("a"), some("b")]);
        // Even after a later one, because nobody knows when it ended.
        let events = [&events[..], &[invoked(3, Some("c")), ok(3)]].concat();
        assert_eq!(values(&events), [some("b"), some("c")]);
        // Until its outcome was read.
        let seen = Event::Seen { name: "refs/heads/x".into(), sha: some("c") };
        let events = [&events[..], &[seen]].concat();
        assert_eq!(values(&events), [some("c")]);
        let events = [&events[..], &[invoked(4, Some("d")), Event::Unknown { operation: 4 }]].concat();
        assert_eq!(values(&events), [some("c"), some("d")]);
    }

    #[test]
    fn rejected_write_does_not_apply() {
        let events = [invoked(1, Some("a")), Event::Fail { operation: 1 }];
        assert_eq!(values(&events), [None]);
    }
}
