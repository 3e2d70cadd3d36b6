//! Request ids, by which operators find a request in the log.

use std::sync::atomic::{AtomicU64, Ordering};

use plinth_core::tokens::random_text;

const PROCESS_LENGTH: usize = 4;
/// Odd, so that multiplying by it leads every number to another one; the golden ratio spreads neighbours far apart.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Ids that are unique in this process, and practically unique among processes. The system's random generator is called
/// once, not for every request, and the ids do not reveal how many requests there were.
pub struct RequestIds {
    process: String,
    count: AtomicU64,
}

impl RequestIds {
    pub fn new() -> Self {
        let start = random_text(size_of::<u64>()).bytes().fold(0, |sum: u64, byte| sum << 8 | u64::from(byte));
        Self { process: random_text(PROCESS_LENGTH), count: AtomicU64::new(start) }
    }

    pub fn next(&self) -> String {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        format!("{}{:016X}", self.process, count.wrapping_mul(SPREAD))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_requests_have_the_same_name() {
        let (here, there) = (RequestIds::new(), RequestIds::new());
        let mut names: Vec<String> = (0..1000).flat_map(|_| [here.next(), there.next()]).collect();
        assert!(names.iter().all(|name| name.len() == 20 && name.bytes().all(|byte| byte.is_ascii_alphanumeric())));
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 2000);
    }
}
