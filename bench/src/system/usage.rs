//! CPU time and memory of a process, from `/proc`.

use std::fs;
use std::time::Duration;

/// `cutime` and `cstime`, counted from the field after the name.
const CHILDREN_FIELD: usize = 13;
/// The kernel reports 100 ticks per second on every architecture that Linux has now.
const MILLIS_PER_TICK: u64 = 10;

/// CPU time of all threads of a process. `schedstat` has nanoseconds; `/proc/<pid>/stat` only has hundredths of a second.
pub fn cpu(pid: u32) -> Duration {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return Duration::ZERO };
    tasks.flatten().map(|task| scheduled(&task.path().join("schedstat").display().to_string())).sum()
}

/// CPU time of a process and of all its children, those that have ended included, since it started.
///
/// The kernel adds ended children in hundredths of a second.
pub fn tree_cpu(root: u32) -> Duration {
    let Ok(entries) = fs::read_dir("/proc") else { return Duration::ZERO };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let stats =
        pids.filter_map(|pid: u32| Some((pid, parse_stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?)));
    let all: Vec<(u32, Stat)> = stats.collect();
    let mut sum = Duration::ZERO;
    let mut pending = vec![root];
    while let Some(pid) = pending.pop() {
        sum += cpu(pid);
        sum += all.iter().find(|(other, _)| *other == pid).map_or(Duration::ZERO, |(_, stat)| stat.ended_children);
        pending.extend(all.iter().filter(|(_, stat)| stat.parent == pid).map(|(child, _)| child));
    }
    sum
}

/// What `/proc/<pid>/stat` says of a process.
struct Stat {
    parent: u32,
    /// CPU time of the children that it has waited for, and of theirs.
    ended_children: Duration,
}

/// The name of the program is in parentheses and may contain spaces.
fn parse_stat(stat: &str) -> Option<Stat> {
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let ticks: u64 =
        fields.get(CHILDREN_FIELD..CHILDREN_FIELD + 2)?.iter().filter_map(|field| field.parse::<u64>().ok()).sum();
    Some(Stat { parent: fields.get(1)?.parse().ok()?, ended_children: Duration::from_millis(ticks * MILLIS_PER_TICK) })
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
    fn ended_children_are_parsed_from_the_kernel_format() {
        let stat = "7 (a (b) c) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 70 8 20 0 1 0 9";
        let parsed = parse_stat(stat).expect("it has all fields");
        assert_eq!((parsed.parent, parsed.ended_children), (1, Duration::from_millis(780)));
    }

    #[test]
    fn ended_child_counts_for_its_parent() {
        let before = tree_cpu(std::process::id());
        let loops = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
        let status = std::process::Command::new("sh").args(["-c", loops]).status();
        assert!(status.is_ok_and(|status| status.success()));
        assert!(tree_cpu(std::process::id()) >= before + Duration::from_millis(MILLIS_PER_TICK));
    }

    #[test]
    fn this_process_has_used_cpu_and_memory() {
        assert!(cpu(std::process::id()) > Duration::ZERO);
        // The kernel updates the counters of a thread at its next tick.
        assert!((0..1_000_000).any(|_| own_cpu() > Duration::ZERO));
        assert!(memory(std::process::id()).resident > 0);
    }
}
