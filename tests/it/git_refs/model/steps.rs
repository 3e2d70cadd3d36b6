//! Steps that are drawn by lot, by REST and by push.

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
    /// The real git program.
    Push {
        wishes: Vec<Wish>,
        atomic: bool,
    },
    /// Lines by hand, which may expect anything of the names.
    Raw {
        commands: Vec<(usize, Option<usize>, Option<usize>)>,
        atomic: bool,
    },
    /// Objects move from the store into a pack.
    Flush,
}

/// One refspec of a push.
#[derive(Debug, Clone)]
pub struct Wish {
    pub name: usize,
    pub new: Option<usize>,
    pub how: How,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    Plain,
    Force,
    /// Only if the name is there, or absent.
    Lease(Option<usize>),
}

pub fn step() -> impl Strategy<Value = Step> {
    let name = || 0..NAMES.len();
    let object = || 0..OBJECTS;
    let maybe = || option::weighted(0.7, 0..OBJECTS);
    let how = prop_oneof![3 => Just(How::Plain), 2 => Just(How::Force), 2 => maybe().prop_map(How::Lease)];
    let wish = (name(), maybe(), how).prop_map(|(name, new, how)| Wish { name, new, how });
    prop_oneof![
        3 => (name(), object()).prop_map(|(name, object)| Step::Create { name, object }),
        3 => (name(), object(), any::<bool>()).prop_map(|(name, object, force)| Step::Update { name, object, force }),
        2 => name().prop_map(|name| Step::Delete { name }),
        1 => (name(), 5..16usize).prop_map(|(name, length)| Step::Match { name, length }),
        5 => (vec(wish, 1..4), any::<bool>()).prop_map(|(wishes, atomic)| Step::Push { wishes: once_each(wishes), atomic }),
        4 => (vec((name(), maybe(), maybe()), 1..4), any::<bool>())
            .prop_map(|(commands, atomic)| Step::Raw { commands: each_once(commands), atomic }),
        1 => Just(Step::Flush),
    ]
}

fn once_each(mut wishes: Vec<Wish>) -> Vec<Wish> {
    let mut seen = std::collections::BTreeSet::new();
    wishes.retain(|wish| seen.insert(wish.name));
    wishes
}

fn each_once(mut commands: Vec<(usize, Option<usize>, Option<usize>)>) -> Vec<(usize, Option<usize>, Option<usize>)> {
    let mut seen = std::collections::BTreeSet::new();
    commands.retain(|command| seen.insert(command.0));
    commands
}

/// Carries a push of the git program out in the model and tells whether git must end well.
pub fn push(model: &mut Model, wishes: &[Wish], atomic: bool) -> bool {
    let mut commands: Vec<Command> = Vec::new();
    let mut rejected = false;
    for wish in wishes {
        let name = NAMES[wish.name];
        let old = model.refs.get(name).copied();
        match (old, wish.new) {
            (Some(old), Some(new)) if old == new => {}
            _ if is_sent(wish, old) => commands.push((name, old, wish.new)),
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

/// Whether git itself sends the update rather than refusing it on the spot.
fn is_sent(wish: &Wish, old: Option<usize>) -> bool {
    match (wish.how, old, wish.new) {
        (How::Lease(expected), _, _) => expected == old,
        (How::Plain, Some(old), Some(new)) => client_lets_pass(NAMES[wish.name], old, new),
        (How::Plain | How::Force, _, _) => true,
    }
}
