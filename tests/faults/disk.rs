//! File systems for a case, which only root can mount: small ones, and ones whose power can be cut.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Processes that were just killed may keep the file system busy for a moment.
const UNMOUNT_MAX: Duration = Duration::from_secs(10);
/// The minimum of `mkfs.xfs` is 300 MB; the file is sparse.
const IMAGE_SIZE: u64 = 512 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Ext4,
    Xfs,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Ext4 => "ext4",
            Kind::Xfs => "xfs",
        }
    }
}

/// A mounted file system; dropping it unmounts.
pub struct Disk {
    at: PathBuf,
    /// The backing file, if there is one.
    image: Option<PathBuf>,
}

impl Disk {
    /// A file system in memory with this many bytes.
    pub fn small(at: &Path, bytes: u64) -> Result<Self, String> {
        run("mount", &["-t", "tmpfs", "-o", &format!("size={bytes},mode=755"), "tmpfs", text(at)])?;
        Ok(Self { at: at.to_owned(), image: None })
    }

    /// A file system in a file, on which the kernel gives all guarantees of a real disk.
    pub fn in_file(kind: Kind, image: &Path, at: &Path) -> Result<Self, String> {
        let file = std::fs::File::create(image).map_err(|error| error.to_string())?;
        file.set_len(IMAGE_SIZE).map_err(|error| error.to_string())?;
        match kind {
            Kind::Ext4 => run("mkfs.ext4", &["-q", "-F", "-E", "lazy_itable_init=0", text(image)])?,
            Kind::Xfs => run("mkfs.xfs", &["-q", "-f", text(image)])?,
        }
        let disk = Self { at: at.to_owned(), image: Some(image.to_owned()) };
        disk.mount()?;
        Ok(disk)
    }

    fn mount(&self) -> Result<(), String> {
        let image = self.image.as_deref().expect("only a disk in a file is mounted again");
        run("mount", &["-o", "loop,errors=remount-ro", text(image), text(&self.at)])
            .or_else(|_| run("mount", &["-o", "loop", text(image), text(&self.at)]))
    }

    /// Syncs everything that was created before a case begins.
    pub fn sync(&self) -> Result<(), String> {
        run("sync", &["-f", text(&self.at)])
    }

    /// Cuts the power: unsynced data, including the end of the journal, is lost.
    pub fn cut_power(&self) -> Result<(), String> {
        run("xfs_io", &["-x", "-c", "shutdown", text(&self.at)])
    }

    /// Mounts again after all users of the file system have ended, as a machine does when it starts.
    pub fn power_on(&self) -> Result<(), String> {
        self.unmount()?;
        self.mount()
    }

    fn unmount(&self) -> Result<(), String> {
        let started = Instant::now();
        loop {
            match run("umount", &[text(&self.at)]) {
                Ok(()) => return Ok(()),
                Err(reason) if started.elapsed() > UNMOUNT_MAX => return Err(reason),
                Err(_) => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }

    /// Makes the kernel detect a disk error, after which it rejects writes (ext4).
    pub fn fail_read_only(&self) -> Result<(), String> {
        let output = Command::new("findmnt").args(["-n", "-o", "SOURCE", text(&self.at)]).output();
        let output = output.map_err(|error| format!("findmnt: {error}"))?;
        let source = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let device = source.strip_prefix("/dev/").ok_or(format!("no device is mounted: {source}"))?;
        let trigger = format!("/sys/fs/ext4/{device}/trigger_fs_error");
        std::fs::write(&trigger, "fault suite").map_err(|error| format!("{trigger}: {error}"))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = run("umount", &["-l", text(&self.at)]);
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("paths of tests are text")
}

fn run(program: &str, arguments: &[&str]) -> Result<(), String> {
    let output = Command::new(program).args(arguments).output().map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{program} {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim()))
}
