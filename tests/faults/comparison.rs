//! Compares the existing data with what a history allows.

use std::collections::{BTreeMap, BTreeSet};

use crate::history::{History, Outcome};
use crate::ledger::{Action, Event};

/// The prefix of every ref in a ledger; other refs are not part of the load.
pub const REF_PREFIX: &str = "refs/heads/load/";

/// What a server shows.
#[derive(Debug, Clone, Default)]
pub struct Observed {
    pub refs: BTreeMap<String, String>,
    /// By id.
    pub comments: BTreeMap<i64, String>,
}

/// All differences that no order of the operations explains.
pub fn compare(history: &History, observed: &Observed) -> Vec<String> {
    let mut wrong = Vec::new();
    compare_refs(history, observed, &mut wrong);
    compare_pushes(history, observed, &mut wrong);
    compare_comments(history, observed, &mut wrong);
    compare_ids(history, observed, &mut wrong);
    wrong
}

fn compare_refs(history: &History, observed: &Observed, wrong: &mut Vec<String>) {
    let values = history.ref_values();
    for (name, allowed) in &values {
        let found = observed.refs.get(name).cloned();
        if !allowed.contains(&found) {
            wrong.push(format!("{name} is {found:?}, not one of {allowed:?}"));
        }
    }
    for name in observed.refs.keys().filter(|name| name.starts_with(REF_PREFIX) && !values.contains_key(*name)) {
        wrong.push(format!("{name} was never asked for"));
    }
}

/// Only one push writes each of these refs, so all refs of a push exist or none.
fn compare_pushes(history: &History, observed: &Observed, wrong: &mut Vec<String>) {
    for operation in history.operations.values() {
        let Action::Push { names, sha } = &operation.action else { continue };
        let present = names.iter().filter(|name| observed.refs.get(*name) == Some(sha)).count();
        if present != 0 && present != names.len() {
            wrong.push(format!("of the atomic push to {names:?} only {present} are there"));
        }
    }
}

fn compare_comments(history: &History, observed: &Observed, wrong: &mut Vec<String>) {
    let mut by_body: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    for (id, body) in &observed.comments {
        by_body.entry(body).or_default().push(*id);
    }
    let deletions = deletions(history);
    for operation in history.operations.values() {
        let Action::Comment { body } = &operation.action else { continue };
        let found = by_body.remove(body.as_str()).unwrap_or_default();
        let deletion = match operation.outcome {
            Outcome::Ok(Some(id)) => deletions.get(&id).copied(),
            _ => None,
        };
        let is_right = match (operation.outcome, deletion) {
            (Outcome::Ok(Some(id)), None | Some(Outcome::Fail)) => found == [id],
            (Outcome::Ok(_), Some(Outcome::Ok(_))) | (Outcome::Fail, _) => found.is_empty(),
            (Outcome::Ok(Some(id)), Some(Outcome::Unknown)) => found.is_empty() || found == [id],
            (Outcome::Ok(None), _) => false,
            (Outcome::Unknown, _) => found.len() <= 1,
        };
        if !is_right {
            wrong.push(format!(
                "comment {body:?} ({:?}, deletion {deletion:?}) is there as {found:?}",
                operation.outcome
            ));
        }
    }
    wrong.extend(by_body.iter().map(|(body, ids)| format!("comments {ids:?} with {body:?} were never asked for")));
}

fn deletions(history: &History) -> BTreeMap<i64, Outcome> {
    let mut deletions = BTreeMap::new();
    for operation in history.operations.values() {
        let Action::DeleteComment { id } = operation.action else { continue };
        let known = deletions.entry(id).or_insert(operation.outcome);
        // If there are several, one that took effect matters.
        if *known == Outcome::Fail || matches!(operation.outcome, Outcome::Ok(_)) {
            *known = operation.outcome;
        }
    }
    deletions
}

/// No id may be used twice, even after its first owner is gone.
fn compare_ids(history: &History, observed: &Observed, wrong: &mut Vec<String>) {
    let mut owners: BTreeMap<i64, &str> = BTreeMap::new();
    for operation in history.operations.values() {
        if let (Action::Comment { body }, Outcome::Ok(Some(id))) = (&operation.action, operation.outcome)
            && let Some(first) = owners.insert(id, body)
        {
            wrong.push(format!("id {id} was given to {first:?} and to {body:?}"));
        }
    }
    for (id, body) in &observed.comments {
        if owners.get(id).is_some_and(|owner| owner != body) {
            wrong.push(format!("id {id} was given to {:?} and is now {body:?}", owners[id]));
        }
    }
}

/// What the ledger learns from reading an idle server.
pub fn settle(history: &History, observed: &Observed) -> Vec<Event> {
    let ids: BTreeMap<&str, i64> = observed.comments.iter().map(|(id, body)| (body.as_str(), *id)).collect();
    let mut events = Vec::new();
    for (number, operation) in &history.operations {
        if operation.outcome != Outcome::Unknown {
            continue;
        }
        match &operation.action {
            Action::Comment { body } => {
                events.push(Event::Settled { operation: *number, id: ids.get(body.as_str()).copied() });
            }
            Action::DeleteComment { id } if observed.comments.contains_key(id) => {
                events.push(Event::Settled { operation: *number, id: None });
            }
            Action::DeleteComment { .. } => events.push(Event::Ok { operation: *number, id: None }),
            Action::Ref { .. } | Action::Push { .. } => {}
        }
    }
    let open: BTreeSet<String> =
        history.ref_values().into_iter().filter(|(_, allowed)| allowed.len() > 1).map(|(name, _)| name).collect();
    events.extend(open.into_iter().map(|name| Event::Seen { sha: observed.refs.get(&name).cloned(), name }));
    events
}

/// Ledgers that are wrong by one operation, each of which the checker must reject.
pub fn forgeries(events: &[Event]) -> Vec<(&'static str, Vec<Event>)> {
    let next = 1 + events.iter().filter(|event| matches!(event, Event::Invoked { .. })).count() as u64;
    let acknowledged = |action: Action, id| {
        let added = [Event::Invoked { operation: next, action }, Event::Ok { operation: next, id }];
        [events, &added].concat()
    };
    let mut forged = vec![
        (
            "an acknowledged comment is lost",
            acknowledged(Action::Comment { body: "never written".into() }, Some(i64::MAX)),
        ),
        (
            "an acknowledged ref is lost",
            acknowledged(Action::Ref { name: format!("{REF_PREFIX}never"), sha: Some("0".repeat(40)) }, None),
        ),
        (
            "an acknowledged push is lost",
            acknowledged(Action::Push { names: vec![format!("{REF_PREFIX}never")], sha: "0".repeat(40) }, None),
        ),
    ];
    // The last write to an existing ref: rejected in the forged ledger, and yet it exists.
    let history = History::new(events);
    let values = history.ref_values();
    let stayed = history.operations.iter().rev().find(|(_, operation)| match &operation.action {
        Action::Push { names, sha } => {
            let only = BTreeSet::from([Some(sha.clone())]);
            matches!(operation.outcome, Outcome::Ok(_)) && names.iter().all(|name| values.get(name) == Some(&only))
        }
        _ => false,
    });
    if let Some((number, _)) = stayed {
        let turn = |event: &Event| match event {
            Event::Ok { operation, .. } if operation == number => Event::Fail { operation: *number },
            other => other.clone(),
        };
        forged.push(("a rejected push exists", events.iter().map(turn).collect()));
    }
    forged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comment(operation: u64, body: &str) -> Event {
        Event::Invoked { operation, action: Action::Comment { body: body.into() } }
    }

    fn observed(comments: &[(i64, &str)]) -> Observed {
        let comments = comments.iter().map(|(id, body)| (*id, (*body).to_owned())).collect();
        Observed { comments, ..Observed::default() }
    }

    #[track_caller]
    fn check(events: &[Event], comments: &[(i64, &str)], wrong: usize) {
        let found = compare(&History::new(events), &observed(comments));
        assert_eq!(found.len(), wrong, "{found:?}");
    }

    #[test]
    fn acknowledged_comment_exists_once_with_its_id() {
        let events = [comment(1, "a"), Event::Ok { operation: 1, id: Some(7) }];
        check(&events, &[(7, "a")], 0);
        check(&events, &[], 1);
        check(&events, &[(8, "a")], 1);
        check(&events, &[(7, "a"), (8, "a")], 1);
        check(&events, &[(7, "a"), (8, "b")], 1);
    }

    #[test]
    fn rejected_comment_is_absent_and_unknown_one_may_exist() {
        check(&[comment(1, "a"), Event::Fail { operation: 1 }], &[(7, "a")], 1);
        check(&[comment(1, "a"), Event::Fail { operation: 1 }], &[], 0);
        for there in [&[][..], &[(7, "a")]] {
            check(&[comment(1, "a"), Event::Unknown { operation: 1 }], there, 0);
        }
    }

    #[test]
    fn comment_id_is_never_reused() {
        let deletion = Event::Invoked { operation: 2, action: Action::DeleteComment { id: 7 } };
        let events = [
            comment(1, "a"),
            Event::Ok { operation: 1, id: Some(7) },
            deletion,
            Event::Ok { operation: 2, id: None },
            comment(3, "b"),
            Event::Ok { operation: 3, id: Some(7) },
        ];
        check(&events, &[(7, "b")], 2);
        check(&events[..4], &[], 0);
        check(&events[..4], &[(7, "a")], 1);
    }

    #[test]
    fn atomic_push_is_complete_or_absent() {
        let names: Vec<String> = ["a", "b"].map(|name| format!("{REF_PREFIX}{name}")).into();
        let action = Action::Push { names: names.clone(), sha: "1".into() };
        let events = [Event::Invoked { operation: 1, action }, Event::Unknown { operation: 1 }];
        let refs = |count: usize| names.iter().take(count).map(|name| (name.clone(), "1".to_owned())).collect();
        for (count, wrong) in [(0, 0), (1, 1), (2, 0)] {
            let observed = Observed { refs: refs(count), ..Observed::default() };
            assert_eq!(compare(&History::new(&events), &observed).len(), wrong, "{count} refs");
        }
    }

    #[test]
    fn unknown_outcome_is_known_after_reading() {
        let events = [comment(1, "a"), comment(2, "b")];
        let seen = observed(&[(7, "a")]);
        let settled = [&events[..], &settle(&History::new(&events), &seen)].concat();
        check(&settled, &[(7, "a")], 0);
        check(&settled, &[], 1);
        check(&settled, &[(7, "a"), (8, "b")], 1);
    }
}
