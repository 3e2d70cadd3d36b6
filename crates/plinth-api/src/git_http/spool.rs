//! The bytes of a request: in memory while they are few, in a file without a name when they are many.

use std::io::SeekFrom;

use tokio::fs::File;
use tokio::io::{AsyncSeekExt, AsyncWrite, AsyncWriteExt};

use plinth_base::error::Result;
use plinth_git::Repositories;

/// Up to here a request stays in memory.
pub const MEMORY_MAX: usize = 64 * 1024;

/// Takes bytes in and gives them back in the same order.
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
        if let Spool::Memory(kept) = self {
            if kept.len() + bytes.len() <= MEMORY_MAX {
                kept.extend_from_slice(bytes);
                return Ok(());
            }
            let mut file = File::from_std(repositories.unnamed_file()?);
            file.write_all(kept).await?;
            *self = Spool::File(file);
        }
        if let Spool::File(file) = self {
            file.write_all(bytes).await?;
        }
        Ok(())
    }

    /// Makes sure that everything has been taken, and goes back to the beginning.
    pub async fn rewind(&mut self) -> Result<()> {
        if let Spool::File(file) = self {
            file.flush().await?;
            file.seek(SeekFrom::Start(0)).await?;
        }
        Ok(())
    }

    /// Gives all bytes to `output`.
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
    async fn bytes_come_back_in_order_from_memory_and_from_a_file() {
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
