//! The bytes of a request: in memory if they are few, otherwise in an unnamed file.

use std::io::SeekFrom;

use tokio::fs::File;
use tokio::io::{AsyncSeekExt, AsyncWrite, AsyncWriteExt};

use plinth_base::error::Result;
use plinth_git::Repositories;

/// Larger requests go to a file.
pub const MEMORY_MAX: usize = 64 * 1024;

/// Stores bytes and returns them in the same order.
pub enum Spool {
    Memory(Vec<u8>),
    File(File),
}

impl Default for Spool {
    fn default() -> Self {
        Spool::Memory(Vec::new())
    }
}

impl Spool {
    pub async fn put(&mut self, repositories: &Repositories, bytes: &[u8]) -> Result<()> {
        if let Spool::Memory(bytes_so_far) = self {
            if bytes_so_far.len() + bytes.len() <= MEMORY_MAX {
                bytes_so_far.extend_from_slice(bytes);
                return Ok(());
            }
            let mut file = File::from_std(repositories.unnamed_file()?);
            file.write_all(bytes_so_far).await?;
            *self = Spool::File(file);
        }
        if let Spool::File(file) = self {
            file.write_all(bytes).await?;
        }
        Ok(())
    }

    /// Flushes everything and goes back to the beginning.
    pub async fn rewind(&mut self) -> Result<()> {
        if let Spool::File(file) = self {
            file.flush().await?;
            file.seek(SeekFrom::Start(0)).await?;
        }
        Ok(())
    }

    /// Writes all bytes to `output`.
    pub async fn copy_to(self, output: &mut (impl AsyncWrite + Unpin)) -> std::io::Result<()> {
        match self {
            Spool::Memory(bytes) => output.write_all(&bytes).await,
            Spool::File(mut file) => tokio::io::copy(&mut file, output).await.map(drop),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn spool_returns_bytes_in_order_from_memory_and_file() {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let repositories = Repositories::at(directory.path()).expect("a directory can be made");
        for (pieces, in_file) in [(3_usize, false), (200, true)] {
            let mut spool = Spool::default();
            let mut expected = Vec::new();
            for number in 0..pieces {
                let piece = [u8::try_from(number).expect("few pieces"); 1_000];
                expected.extend(piece);
                spool.put(&repositories, &piece).await.expect("there is room");
            }
            assert_eq!(matches!(spool, Spool::File(_)), in_file);
            spool.rewind().await.expect("a file can be read");
            let mut found = Vec::new();
            spool.copy_to(&mut found).await.expect("memory takes it");
            assert!(found == expected, "{pieces} pieces");
        }
    }
}
