//! One server per data directory: a lock file that names its owner and is free again when the process ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use super::options::Options;
use plinth_base::clock::Clock;
use plinth_base::error::{Error, Result};
use plinth_core::tokens::random_text;
use plinth_git::create_directories;
use plinth_store::{Node, host_name};

const LOCK_FILE: &str = "plinth.lock";
/// Names the data directory towards a database that is elsewhere; it moves with the directory.
const NODE_ID_FILE: &str = "node-id";
const NODE_ID_LENGTH: usize = 20;
/// No directory: what an ephemeral server stores is gone with it.
const EPHEMERAL_ID: &str = "ephemeral";
/// A command that brings up the schema, or a process that is being killed, holds the lock for a moment only.
const PATIENCE: Duration = Duration::from_secs(2);
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// The lock on a data directory. The kernel releases it when the process ends, however it ends.
pub struct DataLock {
    file: File,
    node: Node,
}

impl DataLock {
    /// Takes the directory, which is made if needed, or says who has it.
    pub fn take(data: &Path, node: Node) -> Result<Self> {
        let complain = |error: std::io::Error| Error::BadRequest(format!("{}: {error}", data.display()));
        create_directories(data).map_err(complain)?;
        let mut file = open(&data.join(LOCK_FILE)).map_err(complain)?;
        let started = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if started.elapsed() < PATIENCE => std::thread::sleep(RETRY_INTERVAL),
                Err(TryLockError::WouldBlock) => return Err(in_use(data, &mut file)),
                Err(TryLockError::Error(error)) => return Err(complain(error)),
            }
        }
        let mut lock = Self { file, node };
        lock.write()?;
        Ok(lock)
    }

    /// Takes the directory unless somebody has it.
    pub fn try_take(data: &Path, node: Node) -> Result<Option<Self>> {
        if running_on(data)?.is_some() {
            return Ok(None);
        }
        Self::take(data, node).map(Some)
    }

    /// Notes the address that is known only once the server listens.
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

/// The server that runs on a data directory now, if there is one. Makes nothing.
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
    // What it says now is about the owner, who may be somebody else.
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

impl Options {
    /// This process with this data directory. With PostgreSQL the directory gets an identity, which is made once.
    pub fn node(&self) -> Result<Node> {
        let id = if self.database.is_some() { node_id(self.data())? } else { String::new() };
        Ok(self.node_with(id))
    }

    pub fn ephemeral_node(&self) -> Node {
        self.node_with(EPHEMERAL_ID.to_owned())
    }

    fn node_with(&self, id: String) -> Node {
        let data = std::path::absolute(self.data()).unwrap_or_else(|_| self.data().to_owned());
        Node {
            id,
            host: host_name(),
            pid: std::process::id(),
            data: data.display().to_string(),
            listen: self.listen().to_string(),
            started_at: Clock::default().now().to_string(),
        }
    }
}

/// The identity of a data directory, if it has one.
pub fn read_node_id(data: &Path) -> Result<Option<String>> {
    let path = data.join(NODE_ID_FILE);
    match std::fs::read_to_string(&path) {
        Ok(id) => Ok(Some(id.trim().to_owned()).filter(|id| !id.is_empty())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::BadRequest(format!("{}: {error}", path.display()))),
    }
}

fn node_id(data: &Path) -> Result<String> {
    create_directories(data)?;
    if let Some(id) = read_node_id(data)? {
        return Ok(id);
    }
    let path = data.join(NODE_ID_FILE);
    let mut file = tempfile::NamedTempFile::new_in(data)?;
    writeln!(file, "{}", random_text(NODE_ID_LENGTH))?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(&path) {
        Ok(_) => File::open(data)?.sync_all()?,
        // Another process was first.
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error.error.into()),
    }
    read_node_id(data)?.ok_or_else(|| Error::internal(format!("{} is empty", path.display())))
}
