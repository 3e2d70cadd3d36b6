//! The identity of a data directory and of the process that serves it.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use crate::config::Options;
use plinth_base::clock::Clock;
use plinth_base::error::{Error, Result};
use plinth_core::tokens::random_text;
use plinth_git::create_directories;
use plinth_store::{Node, host_name};

/// Identifies the data directory to a PostgreSQL database; it moves with the directory.
const NODE_ID_FILE: &str = "node-id";
const NODE_ID_LENGTH: usize = 20;
/// An ephemeral server has no directory that outlives it.
const EPHEMERAL_ID: &str = "ephemeral";

impl Options {
    /// This process with this data directory. With PostgreSQL the directory has an id, which is created once.
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

/// The id of a data directory, if it has one.
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
