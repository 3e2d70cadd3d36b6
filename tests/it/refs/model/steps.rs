//! Random steps, by REST and by push.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::reference::{Command, Model, NAMES, OBJECTS, client_lets_pass, closure};

#[derive(Debug, Clone)]
pub enum Step {
    Create {
        name: usize,
        object: usize,
    },
    Update {
        name: usize,
        object: usize,
        force: bool,
    },
    Delete {
        name: usize,
    },
    Match {
        name: usize,
        length: usize,
    },
    /// A push by git.
    Push {
        wishes: Vec<Requested>,
        atomic: bool,
    },
    /// A hand-written push, whose commands may expect any target.
    Raw {
        lines: Vec<Line>,
        atomic: bool,
    },
    /// Moves loose objects from the database into a pack.
    Flush,
}

/// One refspec of a push.
#[derive(Debug, Clone)]
pub struct Requested {
    pub name: usize,
    pub new: Option<usize>,
    pub how: How,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    Plain,
    Force,
    /// Only if the ref has its expected target.
    Lease(Expected),
}

/// One command of a hand-written push.
#[derive(Debug, Clone)]
pub struct Line {
    pub name: usize,
    pub old: Expected,
    pub new: Option<usize>,
}

/// The target that a client expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    AsItIs,
    At(Option<usize>),
}

impl Expected {
    pub fn in_model(self, model: &Model, name: usize) -> Option<usize> {
        match self {
            Expected::AsItIs => model.refs.get(NAMES[name]).copied(),
            Expected::At(object) => object,
        }
    }
}

pub fn step() -> impl Strategy<Value = Step> {
    let name = || 0..NAMES.len();
    let object = || 0..OBJECTS;
    let maybe = || option::weighted(0.7, 0..OBJECTS);
    let expected = || prop_oneof![2 => Just(Expected::AsItIs), 1 => maybe().prop_map(Expected::At)];
    let how = || prop_oneof![2 => Just(How::Plain), 2 => Just(How::Force), 1 => expected().prop_map(How::Lease)];
    let requested = (name(), maybe(), how()).prop_map(|(name, new, how)| Requested { name, new, how });
    let line = (name(), expected(), maybe()).prop_map(|(name, old, new)| Line { name, old, new });
    prop_oneof![
        3 => (name(), object()).prop_map(|(name, object)| Step::Create { name, object }),
        3 => (name(), object(), any::<bool>()).prop_map(|(name, object, force)| Step::Update { name, object, force }),
        2 => name().prop_map(|name| Step::Delete { name }),
        1 => (name(), 5..16usize).prop_map(|(name, length)| Step::Match { name, length }),
        4 => (vec(requested, 1..4), any::<bool>()).prop_map(|(wishes, atomic)| Step::Push { wishes, atomic }),
        2 => (0..IN_THE_WAY.len(), any::<bool>()).prop_map(|(pair, atomic)| make_way(IN_THE_WAY[pair], atomic)),
        4 => (vec(line, 1..4), any::<bool>()).prop_map(|(lines, atomic)| Step::Raw { lines, atomic }),
        1 => Just(Step::Flush),
    ]
    .prop_map(each_name_once)
}

/// Names that exclude each other, most of them branches.
const IN_THE_WAY: &[(usize, usize)] = &[(1, 2), (2, 1), (1, 3), (3, 1), (7, 8), (8, 7)];

/// A push that deletes one ref and creates another in a directory/file conflict with it.
fn make_way((old, new): (usize, usize), atomic: bool) -> Step {
    let made = Requested { name: new, new: Some(0), how: How::Plain };
    let deleted = Requested { name: old, new: None, how: How::Plain };
    Step::Push { wishes: vec![made, deleted], atomic }
}

/// Git sends no push that updates a ref twice.
fn each_name_once(mut step: Step) -> Step {
    let mut seen = BTreeSet::new();
    match &mut step {
        Step::Push { wishes, .. } => wishes.retain(|requested| seen.insert(requested.name)),
        Step::Raw { lines, .. } => lines.retain(|line| seen.insert(line.name)),
        _ => {}
    }
    step
}

/// Applies a push by git to the model, and returns whether git must succeed.
pub fn push(model: &mut Model, wishes: &[Requested], atomic: bool) -> bool {
    let mut commands: Vec<Command> = Vec::new();
    let mut rejected = false;
    for requested in wishes {
        let name = NAMES[requested.name];
        let old = model.refs.get(name).copied();
        match (old, requested.new) {
            (Some(old), Some(new)) if old == new => {}
            _ if is_sent(model, requested, old) => commands.push((name, old, requested.new)),
            _ => rejected = true,
        }
    }
    if atomic && rejected {
        return false;
    }
    let pack = commands.iter().filter_map(|command| command.2).flat_map(closure).collect();
    let done = model.receive(&commands, atomic, &pack);
    !rejected && !done.contains(&false)
}

/// Whether git sends the update instead of rejecting it locally.
fn is_sent(model: &Model, requested: &Requested, old: Option<usize>) -> bool {
    match (requested.how, old, requested.new) {
        (How::Lease(expected), _, _) => expected.in_model(model, requested.name) == old,
        (How::Plain, Some(old), Some(new)) => client_lets_pass(NAMES[requested.name], old, new),
        (How::Plain | How::Force, _, _) => true,
    }
}
