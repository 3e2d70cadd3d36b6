//! Checks that the recorded history of a register is linearizable.
//!
//! Every write has a value of its own, so an algorithm in polynomial time is enough (Gibbons and Korach, "Testing shared
//! memories", 1997): the operations with one value form a zone of time, and zones must not contradict each other.

use std::collections::BTreeMap;
use std::time::Duration;

/// One operation. Times are since the beginning of the test.
#[derive(Debug, Clone)]
pub struct Operation {
    pub kind: Kind,
    pub value: String,
    pub began: Duration,
    /// When the response arrived; `None` if the outcome of a write is unknown: it may take effect at any later time, or never.
    pub ended: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Write,
    Read,
}

/// The operations with one value.
struct Zone<'a> {
    value: &'a str,
    /// The first response, and the last invocation.
    first_end: Duration,
    last_begin: Duration,
}

impl Zone<'_> {
    /// In a forward zone, the register has the value from the first response to the last invocation.
    fn is_forward(&self) -> bool {
        self.first_end < self.last_begin
    }
}

/// Fails with a description if no order of the operations explains what was read. `initial` is the value at the beginning.
pub fn check(initial: &str, operations: &[Operation]) -> Result<(), String> {
    let mut by_value: BTreeMap<&str, Vec<&Operation>> = BTreeMap::new();
    let first =
        Operation { kind: Kind::Write, value: initial.to_owned(), began: Duration::ZERO, ended: Some(Duration::ZERO) };
    for operation in operations.iter().chain([&first]) {
        by_value.entry(&operation.value).or_default().push(operation);
    }
    let mut zones = Vec::new();
    for (value, operations) in by_value {
        let write = operations.iter().find(|operation| operation.kind == Kind::Write);
        let write = write.ok_or_else(|| format!("{value} was read and never written"))?;
        let reads = || operations.iter().filter(|operation| operation.kind == Kind::Read);
        if write.ended.is_none() && reads().next().is_none() {
            // Perhaps it never happened.
            continue;
        }
        if reads().any(|read| read.ended.is_some_and(|ended| ended < write.began)) {
            return Err(format!("{value} was read before it was written"));
        }
        let first_end = operations.iter().filter_map(|operation| operation.ended).min().unwrap_or(Duration::MAX);
        let last_begin = operations.iter().map(|operation| operation.began).max().unwrap_or_default();
        zones.push(Zone { value, first_end, last_begin });
    }
    let (forward, backward): (Vec<_>, Vec<_>) = zones.iter().partition(|zone| zone.is_forward());
    for (index, one) in forward.iter().enumerate() {
        for other in &forward[index + 1..] {
            if one.first_end < other.last_begin && other.first_end < one.last_begin {
                return Err(format!("{} and {} were both current at one time", one.value, other.value));
            }
        }
        for other in &backward {
            if one.first_end < other.last_begin && other.first_end < one.last_begin {
                return Err(format!("{} was lost or stale: {} was current all the time", other.value, one.value));
            }
        }
    }
    Ok(())
}

fn operation(kind: Kind, value: &str, began: u64, ended: Option<u64>) -> Operation {
    let time = Duration::from_millis;
    Operation { kind, value: value.to_owned(), began: time(began), ended: ended.map(time) }
}

#[test]
fn checker_accepts_what_one_register_can_do() {
    use Kind::{Read, Write};
    let history = [
        operation(Read, "0", 1, Some(2)),
        operation(Write, "a", 3, Some(10)),
        operation(Read, "0", 4, Some(5)),
        operation(Read, "a", 6, Some(7)),
        operation(Write, "b", 8, None),
        operation(Read, "a", 11, Some(12)),
        operation(Read, "b", 20, Some(21)),
        operation(Write, "c", 30, None),
        operation(Read, "b", 40, Some(41)),
    ];
    check("0", &history).expect("b took effect late, and c never");
}

#[test]
fn checker_rejects_lost_and_stale_values() {
    use Kind::{Read, Write};
    let lost = [operation(Write, "a", 1, Some(2)), operation(Write, "b", 3, Some(4)), operation(Read, "a", 5, Some(6))];
    let stale =
        [operation(Write, "a", 1, Some(10)), operation(Read, "a", 2, Some(3)), operation(Read, "0", 4, Some(5))];
    let from_nowhere = [operation(Read, "x", 1, Some(2))];
    for history in [&lost[..], &stale, &from_nowhere] {
        check("0", history).expect_err("no register does that");
    }
}

/// What a service would do whose servers cache values for a moment.
#[test]
fn checker_rejects_a_register_with_a_cache() {
    let mut history = Vec::new();
    for round in 0..20 {
        let at = round * 10;
        history.push(operation(Kind::Write, &format!("{round}"), at, Some(at + 3)));
        let seen = if round % 7 == 6 { round - 1 } else { round };
        history.push(operation(Kind::Read, &format!("{seen}"), at + 5, Some(at + 8)));
    }
    check("initial", &history).expect_err("the seventh read is stale");
}
