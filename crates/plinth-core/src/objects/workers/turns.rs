//! Turns of long computations: which repository's work runs next.

use std::collections::HashMap;

use super::{ShareKey, Subject};

/// Long work of one repository that waits for its turn; more is rejected.
pub(super) const LONG_WAITING_MAX: usize = 16;

/// Long work of all repositories of one owner that waits for its turn.
pub(super) const OWNER_LONG_WAITING_MAX: usize = 48;

/// Long work of all repositories that waits for its turn.
pub(super) const ALL_LONG_WAITING_MAX: usize = 64;

/// Owners and repositories whose last turn is recorded.
pub(super) const LAST_TURNS_MAX: usize = 1_000;

/// Long work, by repository.
#[derive(Default)]
pub(super) struct Turns {
    pub(super) running: HashMap<Subject, usize>,
    pub(super) waiting: HashMap<Subject, usize>,
    /// The number of each owner's and each repository's last turn.
    last: HashMap<ShareKey, u64>,
    count: u64,
}

impl Turns {
    /// Whether long work of a repository may run. The owner whose last turn was the earliest is next, and of its
    /// repositories the one whose last turn was the earliest: more repositories do not bring more turns.
    pub(super) fn is_next(&self, subject: Subject, turns_max: usize) -> bool {
        let share = (turns_max / 2).max(1);
        let is_within_share = |subject: &&Subject| count(&self.running, **subject) < share;
        let last = |key: ShareKey| self.last.get(&key).copied().unwrap_or_default();
        let rank = |subject: &Subject| {
            (last(ShareKey::Owner(subject.owner)), last(ShareKey::Repo(subject.repo)), subject.repo.0)
        };
        let next = self.waiting.keys().filter(is_within_share).min_by_key(|subject| rank(subject));
        self.running.values().sum::<usize>() < turns_max && next == Some(&subject)
    }

    pub(super) fn begin(&mut self, subject: Subject) {
        if self.last.len() >= LAST_TURNS_MAX {
            self.last.clear();
        }
        self.count += 1;
        self.last.insert(ShareKey::Owner(subject.owner), self.count);
        self.last.insert(ShareKey::Repo(subject.repo), self.count);
        change(&mut self.running, subject, 1);
    }

    /// Whether one more may wait.
    pub(super) fn has_room(&self, subject: Subject) -> bool {
        let of_owner = self.waiting.iter().filter(|(waiting, _)| waiting.owner == subject.owner);
        count(&self.waiting, subject) < LONG_WAITING_MAX
            && of_owner.map(|(_, count)| count).sum::<usize>() < OWNER_LONG_WAITING_MAX
            && self.waiting.values().sum::<usize>() < ALL_LONG_WAITING_MAX
    }
}

pub(super) fn count(counts: &HashMap<Subject, usize>, subject: Subject) -> usize {
    counts.get(&subject).copied().unwrap_or_default()
}

pub(super) fn change(counts: &mut HashMap<Subject, usize>, subject: Subject, by: isize) {
    let counted = count(counts, subject).saturating_add_signed(by);
    if counted == 0 {
        counts.remove(&subject)
    } else {
        counts.insert(subject, counted)
    };
}
