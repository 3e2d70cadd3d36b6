//! The processors' time, and how much of it others had: the host of a virtual machine gives some of it to its other users.

use std::fs;

/// User, nice, system, idle, waiting, interrupts of two kinds, and what others had. What guests had is in the first two, too.
const FIELDS: usize = 8;

/// The time of all processors since the start of the machine, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProcessorTime {
    all: u64,
    stolen: u64,
}

impl ProcessorTime {
    pub fn now() -> Self {
        Self::parse(&fs::read_to_string("/proc/stat").unwrap_or_default())
    }

    fn parse(stat: &str) -> Self {
        let fields = stat.lines().next().and_then(|line| line.strip_prefix("cpu ")).unwrap_or_default();
        let ticks: Vec<u64> = fields.split_whitespace().take(FIELDS).filter_map(|field| field.parse().ok()).collect();
        Self { all: ticks.iter().sum(), stolen: ticks.get(FIELDS - 1).copied().unwrap_or_default() }
    }

    /// The share of the time since then that others had.
    pub fn stolen_since(self, earlier: Self) -> f64 {
        let all = self.all.saturating_sub(earlier.all).max(1);
        self.stolen.saturating_sub(earlier.stolen) as f64 / all as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_of_others_is_parsed_from_the_kernel_format() {
        let [earlier, later] =
            ["cpu  100 10 20 700 5 0 5 60 3 0\ncpu0 1 2", "cpu  150 10 20 740 5 0 5 70 3 0\ncpu0 1 2"]
                .map(ProcessorTime::parse);
        assert_eq!(earlier, ProcessorTime { all: 900, stolen: 60 });
        assert!((later.stolen_since(earlier) - 0.1).abs() < 1e-9);
        assert!(later.stolen_since(later).abs() < 1e-9);
        assert_eq!(ProcessorTime::parse("nonsense"), ProcessorTime::default());
    }
}
