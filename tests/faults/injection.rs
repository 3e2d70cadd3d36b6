//! Failed syncs in a running server, injected by `strace`.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::subject::Subject;

const DETACH_MAX: Duration = Duration::from_secs(10);
const INJECTED: &str = "(INJECTED)";

/// `strace` on a running server; dropping it detaches.
pub struct Injection {
    strace: Child,
    trace: PathBuf,
}

impl Injection {
    /// From now on, the sync with this number fails in each thread, of these files or of all.
    pub fn attach(subject: &Subject, paths: &[PathBuf], call: usize) -> Self {
        let trace = subject.home().join("trace");
        let _ = std::fs::remove_file(&trace);
        let mut command = Command::new("strace");
        command.args(["-f", "-y", "-s", "300", "-e", "trace=fsync,fdatasync,openat", "-o"]).arg(&trace);
        command.args(["-e", &format!("inject=fsync,fdatasync:error=EIO:when={call}")]);
        for path in paths {
            command.arg("-P").arg(path);
        }
        command.args(["-p", &subject.server().id().to_string()]);
        let mut strace = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("strace starts");
        let mut printed = BufReader::new(strace.stderr.take().expect("it is ours"));
        let mut line = String::new();
        while !line.contains(" attached") {
            line.clear();
            assert!(printed.read_line(&mut line).is_ok_and(|count| count > 0), "strace does not attach");
        }
        // Reads all output, so that strace never blocks on the pipe.
        std::thread::spawn(move || std::io::copy(&mut printed, &mut std::io::sink()));
        Self { strace, trace }
    }

    /// One line for each call, in the order in which they ended.
    fn lines(&self) -> Vec<String> {
        let text = std::fs::read(&self.trace).unwrap_or_default();
        whole_calls(&String::from_utf8_lossy(&text))
    }

    /// The kind of file whose sync failed first.
    pub fn site(&self) -> Option<String> {
        let lines = self.lines();
        let line = lines.iter().find(|line| line.contains(INJECTED))?;
        let path = line.split('<').nth(1)?.split('>').next()?;
        Some(kind(path))
    }

    fn since_failure(&self) -> Vec<String> {
        self.lines().into_iter().skip_while(|line| !line.contains(INJECTED)).skip(1).collect()
    }

    pub fn was_reopened(&self) -> bool {
        self.since_failure().iter().any(|line| line.contains("openat(") && line.contains("plinth.db\""))
    }

    pub fn was_synced_since(&self, end: &str) -> bool {
        let is_sync =
            |line: &String| line.contains("sync(") && line.contains(&format!("{end}>")) && line.ends_with("= 0");
        self.since_failure().iter().any(is_sync)
    }
}

impl Drop for Injection {
    fn drop(&mut self) {
        let id = i32::try_from(self.strace.id()).ok().and_then(rustix::process::Pid::from_raw);
        let _ = id.map(|id| rustix::process::kill_process(id, rustix::process::Signal::INT));
        let started = Instant::now();
        while started.elapsed() < DETACH_MAX && self.strace.try_wait().is_ok_and(|ended| ended.is_none()) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.strace.kill();
        let _ = self.strace.wait();
    }
}

/// Joins the two lines that strace prints for a call during which another thread does something.
fn whole_calls(trace: &str) -> Vec<String> {
    let mut unfinished: HashMap<&str, &str> = HashMap::new();
    let mut calls = Vec::new();
    for line in trace.lines() {
        let thread = line.split_whitespace().next().unwrap_or_default();
        if let Some(begin) = line.strip_suffix(" <unfinished ...>") {
            unfinished.insert(thread, begin);
        } else if let Some((_, end)) = line.split_once(" resumed>") {
            calls.push(format!("{}{end}", unfinished.remove(thread).unwrap_or(thread)));
        } else {
            calls.push(line.to_owned());
        }
    }
    calls
}

/// A path without the parts that differ between runs.
fn kind(path: &str) -> String {
    let (_, below) = path.rsplit_once("/data/").unwrap_or(("", path.rsplit('/').next().unwrap_or(path)));
    let parts = below.split('/').map(|part| match part.rsplit_once('.') {
        Some((_, end @ ("pack" | "idx" | "rev" | "git"))) => format!("*.{end}"),
        _ if part.starts_with("tmp_") || part.starts_with(".tmp") => "*".to_owned(),
        _ if part.len() == 2 => "*".to_owned(),
        _ => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn call_that_was_interrupted_is_one_line() {
        let trace =
            "7 fsync(3</a> <unfinished ...>\n8 openat(4) = 5\n7 <... fsync resumed>) = -1 EIO\n8 fsync(6</b>) = 0\n";
        assert_eq!(whole_calls(trace), ["8 openat(4) = 5", "7 fsync(3</a>) = -1 EIO", "8 fsync(6</b>) = 0"]);
    }
}
