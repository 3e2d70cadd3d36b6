//! CPU time and memory of a process, from `/proc`.

use std::fs;
use std::time::Duration;

/// CPU time of all threads of a process. `schedstat` has nanoseconds; `/proc/<pid>/stat` only has hundredths of a second.
pub fn cpu(pid: u32) -> Duration {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return Duration::ZERO };
    tasks.flatten().map(|task| scheduled(&task.path().join("schedstat").display().to_string())).sum()
}

/// CPU time of the calling thread.
pub fn own_cpu() -> Duration {
    scheduled("/proc/thread-self/schedstat")
}

fn scheduled(file: &str) -> Duration {
    let text = fs::read_to_string(file).unwrap_or_default();
    Duration::from_nanos(text.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0))
}

/// Memory of a process, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Memory {
    /// All resident pages, file pages included.
    pub resident: u64,
    /// Private pages that belong to no file.
    pub anonymous: u64,
}

pub fn memory(pid: u32) -> Memory {
    parse_memory(&fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default())
}

fn parse_memory(status: &str) -> Memory {
    let find = |name: &str| {
        let value =
            status.lines().find_map(|line| line.strip_prefix(name)?.trim().strip_suffix(" kB")?.trim().parse().ok());
        value.unwrap_or(0_u64) * 1024
    };
    Memory { resident: find("VmRSS:"), anonymous: find("RssAnon:") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_parsed_from_the_kernel_format() {
        let status = "Name:\tplinth\nVmHWM:\t   30000 kB\nVmRSS:\t   20000 kB\nRssAnon:\t    8000 kB\n";
        assert_eq!(parse_memory(status), Memory { resident: 20_000 * 1024, anonymous: 8000 * 1024 });
    }

    #[test]
    fn this_process_has_used_cpu_and_memory() {
        assert!(cpu(std::process::id()) > Duration::ZERO);
        // The kernel updates the counters of a thread at its next tick.
        assert!((0..1_000_000).any(|_| own_cpu() > Duration::ZERO));
        assert!(memory(std::process::id()).resident > 0);
    }
}
