//! The machine: what it is, and which of its cores the server and the load generator get.

use std::fs;
use std::process::{Command, Stdio};

/// What the report says about the machine.
pub struct Machine {
    pub lines: Vec<String>,
    /// The cores of server and load generator, where each can have its own.
    pub cores: Option<Cores>,
}

#[derive(Clone, Copy)]
pub struct Cores {
    pub server: usize,
    pub client: usize,
}

impl Machine {
    pub fn look() -> Self {
        let allowed = allowed_cores();
        let cores = match allowed.as_slice() {
            [server, client, ..] if has_taskset() => Some(Cores { server: *server, client: *client }),
            _ => None,
        };
        Self { lines: describe(allowed.len(), cores), cores }
    }

    /// Keeps the thread that loads away from the server's core.
    pub fn pin_this_thread(&self) {
        if let Some(Cores { client, .. }) = self.cores {
            taskset(&["-cp", &client.to_string(), &std::process::id().to_string()]);
        }
    }

    /// Work that is not a measurement of one core gets all of them.
    pub fn unpin_this_thread(&self) {
        if self.cores.is_some() {
            let cores: Vec<String> = (0..cores_online()).map(|core| core.to_string()).collect();
            taskset(&["-cp", &cores.join(","), &std::process::id().to_string()]);
        }
    }
}

/// How a server is started: on its own core, if it has one.
pub fn on_core(program: &std::path::Path, core: Option<usize>) -> Command {
    match core {
        Some(core) => {
            let mut command = Command::new("taskset");
            command.args(["-c", &core.to_string()]).arg(program);
            command
        }
        None => Command::new(program),
    }
}

fn taskset(words: &[&str]) -> bool {
    let mut command = Command::new("taskset");
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn has_taskset() -> bool {
    taskset(&["-cp", &std::process::id().to_string()])
}

/// From a line such as `Cpus_allowed_list: 0-1,4`.
fn allowed_cores() -> Vec<usize> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap_or("0");
    let ranges = list.trim().split(',').filter_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(first.parse().ok()?..=last.parse().ok()?)
    });
    ranges.flatten().collect()
}

fn cores_online() -> usize {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    text.lines().filter(|line| line.starts_with("processor")).count().max(1)
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
        None => "not pinned: there is one core only, or no `taskset`".into(),
    };
    vec![
        format!("{cores_allowed} cores, {}", model.unwrap_or("of an unknown model")),
        format!("{} MiB of memory", memory.unwrap_or(0_u64) / 1024),
        format!("Linux {}, {}", kernel.trim(), first_line(Command::new("git").arg("--version"))),
        format!("load of the machine when the run began: {}", load_average()),
        pinning,
    ]
}

/// How busy the machine is with other things.
fn load_average() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(2).collect::<Vec<_>>().join(", ")
}

fn first_line(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&output).lines().next().unwrap_or_default().to_owned()
}
