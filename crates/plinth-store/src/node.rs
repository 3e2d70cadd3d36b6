//! The server process that uses a store, and its data directory.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Connection, DbError, Store, Transaction, internal_authority, params};
use plinth_base::error::{Error, Result};

/// The row of `setting` that names the node.
pub(super) const SETTING: &str = "node";

/// PostgreSQL truncates longer names.
const SESSION_NAME_MAX: usize = 63;

internal_authority!(
    /// The node that serves a store names itself in it.
    NodeRecord = "record_node"
);

/// A server process and its data directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// The identity of the data directory, which stays with it when it is moved.
    pub id: String,
    pub host: String,
    pub pid: u32,
    pub data: String,
    pub listen: String,
    pub started_at: String,
}

impl Node {
    /// How PostgreSQL shows its session.
    pub(super) fn session_name(&self) -> String {
        format!("plinth {} {} on {}", self.pid, self.listen, self.host).chars().take(SESSION_NAME_MAX).collect()
    }

    pub(super) fn parse(value: &[u8]) -> Option<Self> {
        serde_json::from_slice(value).ok()
    }

    /// Whether both have the same data directory.
    pub(super) fn same_data_as(&self, other: &Node) -> bool {
        self.id == other.id
    }
}

impl std::fmt::Display for Node {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { host, pid, data, listen, started_at, .. } = self;
        write!(out, "process {pid} on {host}, which listens on {listen} with {data} since {started_at}")
    }
}

pub(super) fn in_use(owner: Option<&Node>) -> String {
    let owner = owner.map_or_else(|| "another process".to_owned(), ToString::to_string);
    format!("the database is in use by {owner}: one node serves a database")
}

pub(super) fn other_data(owner: &Node, node: &Node) -> String {
    format!(
        "the repositories of this database are in {} on {}, not in {}: use that directory, or a copy of all of it with \
         its file node-id",
        owner.data, owner.host, node.data
    )
}

impl Store {
    /// Records that this node serves the store.
    pub(super) async fn record_node(&self, node: &Node) -> Result<()> {
        self.write(NodeRecord, node.clone(), |tx, node| Box::pin(async move { Ok(record(tx, node).await?) })).await
    }

    /// Fails if the store belongs to another data directory; a store without one gets this one. `make_node` is only
    /// called on PostgreSQL, since an embedded store is in its data directory.
    pub async fn check_node(&self, make_node: impl FnOnce() -> Result<Node>) -> Result<()> {
        if !self.is_shared() {
            return Ok(());
        }
        let node = make_node()?;
        self.write(NodeRecord, node, |tx, node| {
            Box::pin(async move {
                match find(tx).await? {
                    Some(owner) if !owner.same_data_as(node) => Err(Error::Conflict(other_data(&owner, node))),
                    Some(_) => Ok(()),
                    None => Ok(record(tx, node).await?),
                }
            })
        })
        .await
    }
}

pub(super) async fn find(db: &mut Connection) -> Result<Option<Node>, DbError> {
    let found = db.optional::<(Vec<u8>,)>("select value from setting where name = $1", params![SETTING]).await?;
    Ok(found.and_then(|(value,)| Node::parse(&value)))
}

async fn record(tx: &mut Transaction, node: &Node) -> Result<(), DbError> {
    let value = serde_json::to_vec(node).map_err(|error| DbError::Fault(error.into()))?;
    let sql =
        "insert into setting (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value";
    tx.takes_no_right().execute(sql, params![SETTING, value]).await?;
    Ok(())
}

/// The name of this machine.
pub fn host_name() -> String {
    let name = std::fs::read_to_string(Path::new("/proc/sys/kernel/hostname")).unwrap_or_default();
    if name.trim().is_empty() { "this machine".into() } else { name.trim().to_owned() }
}
