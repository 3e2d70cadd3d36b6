//! Turns of nodes: transactions of several nodes that change the same repository or account run one after another.
//!
//! The queues of a node do that for its own transactions. A lock of the session is taken in the statement before `begin`: a lock
//! inside the transaction would be taken after its snapshot, so that whoever has waited fails.

use crate::InvalidationScope;

/// Distinguishes these locks from others in the database.
const CLASS: i32 = 7_015_351;

/// The lock on a repository or an account. Two may share one, which costs time and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Turn(i32);

impl Turn {
    pub fn of(scope: InvalidationScope) -> Option<Self> {
        let number = match scope {
            InvalidationScope::Repo(id) => id.0.wrapping_mul(2),
            InvalidationScope::Account(id) => id.0.wrapping_mul(2).wrapping_add(1),
            InvalidationScope::Everything => return None,
        };
        let folded = number ^ (number >> 32);
        Some(Self(i32::from_le_bytes([0, 1, 2, 3].map(|index| folded.to_le_bytes()[index]))))
    }

    /// The statement that waits for the turn.
    pub fn take(self) -> String {
        format!("select pg_advisory_lock({CLASS}, {})", self.0)
    }

    /// The statement that takes those of several turns for which nobody has to be waited for. It returns `t` for these.
    pub fn try_take(turns: &[Self]) -> String {
        call(turns, "pg_try_advisory_lock")
    }

    pub fn give_back(turns: &[Self]) -> String {
        call(turns, "pg_advisory_unlock")
    }
}

fn call(turns: &[Turn], function: &str) -> String {
    let calls: Vec<String> = turns.iter().map(|turn| format!("{function}({CLASS}, {})", turn.0)).collect();
    format!("select {}", calls.join(", "))
}
