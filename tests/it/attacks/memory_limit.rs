//! A hard limit on the memory of a process, by a control group of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// Where the memory controller is mounted, and the file with its limit: version 1, version 2.
const CONTROLLERS: [(&str, &str); 2] =
    [("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")];

/// A control group, which is removed with this value. The kernel kills a process in it that needs more memory.
pub struct MemoryLimit(PathBuf);

impl MemoryLimit {
    /// Nothing if this machine does not let us create one: that takes root.
    pub fn create(bytes: u64) -> Option<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("plinth-test-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        CONTROLLERS.into_iter().find_map(|(root, file)| {
            let group = Self(Path::new(root).join(&name));
            fs::create_dir(&group.0).ok()?;
            fs::write(group.0.join(file), bytes.to_string()).ok()?;
            Some(group)
        })
    }

    /// A command that executes the program inside the group, with the arguments that are added to it.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new("sh");
        let script = "echo $$ > \"$0\" && exec \"$@\"";
        command.args(["-c", script]).arg(self.0.join("cgroup.procs")).arg(program).stdin(Stdio::null());
        command
    }
}

impl Drop for MemoryLimit {
    fn drop(&mut self) {
        // A child of the killed server may still be ending; an empty group that is left over does no harm.
        let _ = fs::remove_dir(&self.0);
    }
}

/// A limit that does not limit would make every attack test pass.
#[test]
fn process_above_its_memory_limit_is_killed() {
    let Some(limit) = MemoryLimit::create(32 * 1024 * 1024) else { return };
    let mut command = limit.command(Path::new("head"));
    // `tail` holds a line in memory until it ends.
    command.args(["-c", "200M", "/dev/zero"]).stdout(Stdio::piped());
    let mut source = command.spawn().expect("head runs");
    let mut tail = limit.command(Path::new("tail"));
    let ended = tail.args(["-n", "1"]).stdin(source.stdout.take().expect("piped")).stdout(Stdio::null()).status();
    // The command owns the reading end of the pipe, without which `head` ends.
    drop(tail);
    let _ = source.wait();
    assert!(!ended.expect("tail runs").success());
}
