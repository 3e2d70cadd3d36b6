//! One server per data directory: a lock file that names its owner. The kernel releases the lock with the process.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use plinth_base::error::{Error, Result};
use plinth_git::create_directories;
use plinth_store::{Node, host_name};

const LOCK_FILE: &str = "plinth.lock";
/// How long to wait for the lock: a command that migrates the schema, or a process that is being killed, has it only for
/// a moment.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// The lock on a data directory.
pub struct DataLock {
    file: File,
    node: Node,
}

impl DataLock {
    /// Creates the directory if needed and locks it. The error names the owner.
    pub fn take(data: &Path, node: Node) -> Result<Self> {
        let failed = |error: std::io::Error| Error::BadRequest(format!("{}: {error}", data.display()));
        create_directories(data).map_err(failed)?;
        let mut file = open(&data.join(LOCK_FILE)).map_err(failed)?;
        let started = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if started.elapsed() < LOCK_TIMEOUT => std::thread::sleep(RETRY_INTERVAL),
                Err(TryLockError::WouldBlock) => return Err(in_use(data, &mut file)),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
        let mut lock = Self { file, node };
        lock.write()?;
        Ok(lock)
    }

    /// Locks the directory, or returns `None` if another process has the lock.
    pub fn try_take(data: &Path, node: Node) -> Result<Option<Self>> {
        if running_on(data)?.is_some() {
            return Ok(None);
        }
        Self::take(data, node).map(Some)
    }

    /// Writes the address, which is known only once the server listens.
    pub fn set_listen(&mut self, address: SocketAddr) -> Result<()> {
        self.node.listen = address.to_string();
        self.write()
    }

    pub fn node(&self) -> &Node {
        &self.node
    }

    fn write(&mut self) -> Result<()> {
        let text = serde_json::to_string(&self.node).map_err(|error| Error::Internal(error.into()))?;
        self.file.set_len(0)?;
        self.file.rewind()?;
        writeln!(self.file, "{text}")?;
        Ok(())
    }
}

/// The process that has the lock on a data directory, if there is one. Creates nothing.
pub fn running_on(data: &Path) -> Result<Option<Node>> {
    let mut file = match File::open(data.join(LOCK_FILE)) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(None),
        Err(TryLockError::WouldBlock) => Ok(Some(read(&mut file).unwrap_or_else(unknown))),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

fn open(path: &Path) -> std::io::Result<File> {
    // Not truncated: until this process has the lock, the file names another owner.
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

fn in_use(data: &Path, file: &mut File) -> Error {
    let owner = read(file).map_or_else(|| "another process".to_owned(), |owner| owner.to_string());
    Error::Conflict(format!("{} is in use by {owner}: stop it first", data.display()))
}

fn read(file: &mut File) -> Option<Node> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

fn unknown() -> Node {
    let text = || "?".to_owned();
    Node { id: text(), host: host_name(), pid: 0, data: text(), listen: text(), started_at: text() }
}
