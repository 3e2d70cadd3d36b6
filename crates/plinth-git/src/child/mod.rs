//! Runs the git program: fixed environment, limits on time and memory, and no user input in arguments.

mod program;
mod watchdog;

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions};

use plinth_base::error::{Error, Result, reports_storage_failure};
use watchdog::Watchdog;

pub use program::{check_program, program_version};

/// Bytes of an error message; the rest is discarded.
const STDERR_MAX: u64 = 16 * 1024;
/// Bytes of an output that is collected: a few words.
const STDOUT_MAX: u64 = 64 * 1024;

/// Threads that the settings allow; all of them may be busy all the time.
const THREADS: u64 = 2;

/// Settings that no file can override: nothing runs but git itself, and nothing is fetched. We sync accepted files
/// ourselves.
const SETTINGS: [&str; 12] = [
    "core.hooksPath=/dev/null",
    "safe.bareRepository=explicit",
    "safe.directory=*",
    "protocol.allow=never",
    "core.fsync=none",
    "core.packedGitWindowSize=32m",
    "core.packedGitLimit=1g",
    "core.bigFileThreshold=32m",
    "pack.windowMemory=128m",
    "pack.threads=2",
    "transfer.advertiseSID=false",
    "gc.auto=0",
];

/// How long a child may run, and how much it may use.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub time: Duration,
    pub memory: u64,
    pub file_size: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(600), memory: 2 << 30, file_size: 16 << 30 }
    }
}

/// Builds a git command.
pub(crate) struct GitCommand {
    command: Command,
    subcommand: &'static str,
    arguments: Vec<OsString>,
    limits: Limits,
}

impl GitCommand {
    pub(crate) fn new(directory: &Path, subcommand: &'static str, limits: Limits) -> Self {
        let search_path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
        let mut command = Command::new(program::find_program(&search_path));
        command
            .env_clear()
            .env("PATH", search_path)
            .env("HOME", "/nonexistent")
            .env("LC_ALL", "C")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .current_dir("/")
            .arg("--git-dir")
            .arg(directory);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
        let new = Self { command, subcommand, arguments: Vec::new(), limits };
        SETTINGS.into_iter().fold(new, Self::setting)
    }

    /// Adds a setting, which overrides earlier ones.
    pub(crate) fn setting(mut self, setting: &'static str) -> Self {
        self.command.args(["-c", setting]);
        self
    }

    pub(crate) fn args<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(mut self, arguments: I) -> Self {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    pub(crate) fn env(mut self, name: &'static str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn stdin(mut self, stdin: impl Into<Stdio>) -> Self {
        self.command.stdin(stdin);
        self
    }

    pub(crate) fn stdout(mut self, stdout: impl Into<Stdio>) -> Self {
        self.command.stdout(stdout);
        self
    }

    pub(crate) fn spawn(mut self) -> Result<GitChild> {
        self.command.arg(self.subcommand).args(&self.arguments);
        GitChild::start(self.command.spawn()?, self.limits)
    }

    /// Starts the child and writes its whole input; the caller reads the output. Only for commands that read all input
    /// before they write, so that the two pipes cannot block each other. An error of the feed is returned separately:
    /// if the child failed, its own error message says more.
    pub(crate) fn spawn_fed(
        self,
        feed: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(GitChild, io::Result<()>)> {
        let mut child = self.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut stdin = io::BufWriter::new(child.take_stdin());
        let fed = feed(&mut stdin).and_then(|()| stdin.flush());
        drop(stdin);
        Ok((child, fed))
    }

    /// Feeds the child, waits for it, and returns its short output. Only for commands that read before they write.
    pub(crate) fn run(self, feed: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<Exit> {
        let (mut child, fed) = self.spawn_fed(feed)?;
        let mut stdout = String::new();
        child.take_stdout().take(STDOUT_MAX).read_to_string(&mut stdout)?;
        let exit = child.wait()?;
        match fed {
            // A child that exits early breaks the pipe; its error message says why.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
            Err(_) | Ok(()) => Ok(Exit { stdout, ..exit }),
        }
    }
}

/// How a child ended.
#[derive(Debug)]
pub(crate) struct Exit {
    pub success: bool,
    /// `None` if a signal ended it.
    pub code: Option<i32>,
    pub timed_out: bool,
    pub stdout: String,
    pub stderr: String,
}

impl Exit {
    /// For commands that fail only through an internal error.
    pub(crate) fn check(self, what: &str) -> Result<Self> {
        if self.success {
            return Ok(self);
        }
        if self.timed_out {
            return Err(Error::Unavailable(format!("{what} took too long")));
        }
        if reports_storage_failure(&self.stderr) {
            return Err(Error::Unavailable(format!("{what}: {}", self.stderr)));
        }
        Err(Error::internal(format!("{what}: {}", self.stderr)))
    }
}

/// A running git. It is killed, with all its children, on timeout and when this is dropped.
pub(crate) struct GitChild {
    child: Child,
    group: Pid,
    stderr: Option<JoinHandle<String>>,
    watchdog: Option<Watchdog>,
}

impl GitChild {
    fn start(mut child: Child, limits: Limits) -> Result<Self> {
        let group = Pid::from_child(&child);
        // Set from outside, right after the start: inside the child it would need unsafe code.
        for (resource, value) in [
            (Resource::Data, limits.memory),
            (Resource::Cpu, (limits.time.as_secs() * THREADS).max(1)),
            (Resource::Fsize, limits.file_size),
            (Resource::Core, 0),
        ] {
            let limit = Rlimit { current: Some(value), maximum: Some(value) };
            // The child may have exited already.
            let _ = rustix::process::prlimit(Some(group), resource, limit);
        }
        let stderr = child.stderr.take().expect("stderr is a pipe");
        let stderr = Some(thread::spawn(move || read_stderr(stderr)));
        let watchdog = Some(Watchdog::start(group, limits.time));
        Ok(Self { child, group, stderr, watchdog })
    }

    /// The child's standard input, once.
    pub(crate) fn take_stdin(&mut self) -> ChildStdin {
        self.child.stdin.take().expect("stdin is a pipe and taken once")
    }

    /// The child's standard output, once.
    pub(crate) fn take_stdout(&mut self) -> ChildStdout {
        self.child.stdout.take().expect("stdout is a pipe and taken once")
    }

    /// Waits for the exit; the caller must have closed the pipes.
    pub(crate) fn wait(mut self) -> Result<Exit> {
        let timed_out = self.wait_unreaped()?;
        let status = self.child.wait()?;
        let stderr = self.stderr.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        Ok(Exit { success: status.success(), code: status.code(), timed_out, stdout: String::new(), stderr })
    }

    /// Until the child is reaped, its process id cannot be reused, so killing by it is safe.
    fn wait_unreaped(&mut self) -> Result<bool> {
        rustix::process::waitid(WaitId::Pid(self.group), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
            .map_err(io::Error::from)?;
        let timed_out = self.watchdog.take().is_some_and(Watchdog::stop);
        let _ = rustix::process::kill_process_group(self.group, Signal::KILL);
        Ok(timed_out)
    }
}

impl Drop for GitChild {
    fn drop(&mut self) {
        if self.watchdog.is_some() {
            let _ = rustix::process::kill_process_group(self.group, Signal::KILL);
            let _ = self.wait_unreaped();
            let _ = self.child.wait();
        }
    }
}

fn read_stderr(mut stderr: impl Read) -> String {
    let mut message = Vec::new();
    let _ = stderr.by_ref().take(STDERR_MAX).read_to_end(&mut message);
    let _ = io::copy(&mut stderr, &mut io::sink());
    String::from_utf8_lossy(&message).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn hanging_child_is_killed_on_timeout() {
        let limits = Limits { time: Duration::from_millis(100), ..Limits::default() };
        let start = Instant::now();
        let mut child = GitCommand::new(Path::new("/nonexistent"), "hash-object", limits)
            .args(["--stdin"])
            .stdin(Stdio::piped())
            .spawn()
            .expect("git starts");
        let _open_stdin = child.take_stdin();
        let exit = child.wait().expect("it ends");
        assert!(exit.timed_out && !exit.success && start.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn dropped_child_is_killed() {
        let mut child = GitCommand::new(Path::new("/nonexistent"), "hash-object", Limits::default())
            .args(["--stdin"])
            .stdin(Stdio::piped())
            .spawn()
            .expect("git starts");
        let _open_stdin = child.take_stdin();
        let process = format!("/proc/{}", child.group.as_raw_nonzero());
        assert!(Path::new(&process).exists());
        drop(child);
        assert!(!Path::new(&process).exists());
    }

    #[test]
    fn child_cannot_exceed_its_memory_limit() {
        let limits = Limits { memory: 48 * 1024 * 1024, ..Limits::default() };
        let exit = GitCommand::new(Path::new("/nonexistent"), "hash-object", limits)
            .args(["--stdin"])
            .run(|stdin| (0..200).try_for_each(|_| stdin.write_all(&[7; 1024 * 1024])))
            .expect("it ends");
        assert!(!exit.success && exit.stderr.contains("emory"), "{exit:?}");
    }
}
