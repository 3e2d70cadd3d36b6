//! A model of refs without git: a map of names, and the ancestry of objects.

use std::collections::{BTreeMap, BTreeSet};

/// The branch that cannot be deleted.
pub const DEFAULT: &str = "refs/heads/main";

/// Names with directory/file conflicts, in several namespaces.
pub const NAMES: &[&str] = &[
    DEFAULT,
    "refs/heads/a",
    "refs/heads/a/b",
    "refs/heads/a/b/c",
    "refs/heads/ab",
    "refs/tags/a",
    "refs/tags/v1",
    "refs/x/a/b",
    "refs/x/a",
];

/// `0 ← 1 ← 2` in one line, `3` unrelated, `4` a tag of `1`, `5` a blob.
pub const OBJECTS: usize = 6;
const TAG: usize = 4;
const BLOB: usize = 5;

/// One command of a push: a ref, its expected target, and its new target.
pub type Command = (&'static str, Option<usize>, Option<usize>);

#[derive(Debug, Clone, Default)]
pub struct Model {
    pub refs: BTreeMap<&'static str, usize>,
    /// Objects on the server, reachable or not.
    pub known: BTreeSet<usize>,
}

impl Model {
    pub fn create(&mut self, name: &'static str, object: usize) -> u16 {
        let good = self.known.contains(&object) && may_point_at(name, object);
        if !good || self.refs.contains_key(name) || self.is_blocked(name) {
            return 422;
        }
        self.refs.insert(name, object);
        201
    }

    pub fn update(&mut self, name: &'static str, object: usize, force: bool) -> u16 {
        let Some(old) = self.refs.get(name).copied() else { return 422 };
        let good = self.known.contains(&object) && may_point_at(name, object);
        if !good || !(force || is_fast_forward(name, old, object)) {
            return 422;
        }
        self.refs.insert(name, object);
        200
    }

    pub fn delete(&mut self, name: &'static str) -> u16 {
        if name != DEFAULT && self.refs.remove(name).is_some() { 204 } else { 422 }
    }

    /// Applies a push with these commands and a pack with these objects; returns whether each command succeeds.
    pub fn receive(&mut self, commands: &[Command], atomic: bool, pack: &BTreeSet<usize>) -> Vec<bool> {
        let fits = |command: &Command| command.2.is_none_or(|new| may_point_at(command.0, new));
        let accepted = if atomic { commands.iter().all(fits) } else { commands.iter().any(fits) };
        if accepted && commands.iter().any(|command| command.2.is_some()) {
            self.known.extend(pack);
        }
        let before = self.refs.clone();
        let mut done = vec![false; commands.len()];
        let deletions = (0..commands.len()).filter(|index| commands[*index].2.is_none());
        let others = (0..commands.len()).filter(|index| commands[*index].2.is_some());
        for index in deletions.chain(others) {
            done[index] = fits(&commands[index]) && self.apply_change(commands[index]);
        }
        if atomic && done.contains(&false) {
            self.refs = before;
            done.fill(false);
        }
        done
    }

    fn apply_change(&mut self, (name, old, new): Command) -> bool {
        if self.refs.get(name).copied() != old || (new.is_none() && name == DEFAULT) {
            return false;
        }
        if old.is_none() && new.is_some() && self.is_blocked(name) {
            return false;
        }
        match new {
            Some(new) => self.refs.insert(name, new),
            None => self.refs.remove(name),
        };
        true
    }

    /// A ref cannot be both a file and a directory.
    fn is_blocked(&self, name: &str) -> bool {
        let below = |one: &str, other: &str| one.starts_with(&format!("{other}/"));
        self.refs.keys().any(|held| below(held, name) || below(name, held))
    }
}

/// The object and everything that it needs.
pub fn closure(object: usize) -> Vec<usize> {
    match object {
        TAG => vec![TAG, 1, 0],
        0..=2 => (0..=object).collect(),
        alone => vec![alone],
    }
}

/// Branches point at commits only.
fn may_point_at(name: &str, object: usize) -> bool {
    !name.starts_with("refs/heads/") || object < TAG
}

fn commit_of(object: usize) -> Option<usize> {
    match object {
        BLOB => None,
        TAG => Some(1),
        commit => Some(commit),
    }
}

fn descends_from(old: usize, new: usize) -> bool {
    old == new || (old < new && new < 3)
}

fn is_fast_forward(name: &str, old: usize, new: usize) -> bool {
    match (commit_of(old), commit_of(new)) {
        _ if old == new => true,
        _ if name.starts_with("refs/tags/") && old == TAG => false,
        (Some(old), Some(new)) => descends_from(old, new),
        _ => name.starts_with("refs/x/"),
    }
}

/// Whether git sends such an update without force.
pub fn client_lets_pass(name: &str, old: usize, new: usize) -> bool {
    match (commit_of(old), commit_of(new)) {
        (Some(old), Some(new)) => !name.starts_with("refs/tags/") && descends_from(old, new),
        _ => false,
    }
}
