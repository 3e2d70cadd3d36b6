//! The machine: its description, and which cores the server and the load generator get.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

pub struct Machine {
    /// Lines for the report.
    pub description: Vec<String>,
    /// The cores of server and load generator, if each can have its own.
    pub cores: Option<Cores>,
    /// All cores that this process may use.
    allowed: Vec<usize>,
}

#[derive(Clone, Copy)]
pub struct Cores {
    pub server: usize,
    pub client: usize,
}

impl Machine {
    pub fn detect() -> Self {
        let allowed = allowed_cores();
        let cores = match allowed.as_slice() {
            [server, client, ..] if has_taskset() => Some(Cores { server: *server, client: *client }),
            _ => None,
        };
        Self { description: describe(allowed.len(), cores), cores, allowed }
    }

    /// How many cores this process may use.
    pub fn core_count(&self) -> usize {
        self.allowed.len()
    }

    /// The first cores, for a server that may use so many. `None` if nothing can be pinned.
    pub fn first_cores(&self, count: usize) -> Option<&[usize]> {
        self.cores?;
        self.allowed.get(..count)
    }

    /// Keeps this thread, and those that it starts, off the first cores, if there are others.
    pub fn pin_off_first(&self, count: usize) {
        if let (Some(_), Some(rest @ [_, ..])) = (self.cores, self.allowed.get(count..)) {
            taskset(&["-cp", &list(rest), &std::process::id().to_string()]);
        }
    }

    /// Keeps the load generator's thread off the server's core.
    pub fn pin_this_thread(&self) {
        if let Some(Cores { client, .. }) = self.cores {
            taskset(&["-cp", &client.to_string(), &std::process::id().to_string()]);
        }
    }

    /// Work that is not a measurement on one core may use all of them.
    pub fn unpin_this_thread(&self) {
        if self.cores.is_some() {
            taskset(&["-cp", &list(&self.allowed), &std::process::id().to_string()]);
        }
    }
}

/// A command that runs on the given cores, if any.
pub fn on_cores(program: &Path, cores: Option<&[usize]>) -> Command {
    match cores {
        Some(cores) => {
            let mut command = Command::new("taskset");
            command.args(["-c", &list(cores)]).arg(program);
            command
        }
        None => Command::new(program),
    }
}

fn list(cores: &[usize]) -> String {
    cores.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

fn taskset(arguments: &[&str]) -> bool {
    let mut command = Command::new("taskset");
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn has_taskset() -> bool {
    taskset(&["-cp", &std::process::id().to_string()])
}

fn allowed_cores() -> Vec<usize> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap_or("0");
    parse_cores(list)
}

/// Parses a list such as `0-1,4`.
fn parse_cores(list: &str) -> Vec<usize> {
    let ranges = list.trim().split(',').filter_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(first.parse().ok()?..=last.parse().ok()?)
    });
    ranges.flatten().collect()
}

fn describe(cores_allowed: usize, cores: Option<Cores>) -> Vec<String> {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ")).map(|(_, name)| name);
    let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let memory =
        meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")?.parse().ok());
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let pinning = match cores {
        Some(Cores { server, client }) => {
            format!("server on core {server}, load generator on core {client}, unless a row says otherwise")
        }
        None => "not pinned: only one core, or no `taskset`".into(),
    };
    vec![
        format!("{cores_allowed} cores, {}", model.unwrap_or("unknown model")),
        format!("{} MiB of memory", memory.unwrap_or(0_u64) / 1024),
        format!("Linux {}, {}", kernel.trim(), first_line(Command::new("git").arg("--version"))),
        format!("load average at the start: {}", load_average()),
        pinning,
    ]
}

fn load_average() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(2).collect::<Vec<_>>().join(", ")
}

fn first_line(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&output).lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn core_ranges_are_expanded() {
        assert_eq!(parse_cores("\t0-2,5\n"), [0, 1, 2, 5]);
        assert_eq!(parse_cores("3"), [3]);
    }
}
