//! Where commands write the private key of an app.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::permissions::write_private;
use plinth_base::error::{Error, Result};
use plinth_core::apps::AppKey;

/// Where to write a private key.
#[derive(Debug, Clone, Args)]
pub struct Output {
    /// Write the private key to this new file instead of printing it
    #[arg(long, value_name = "FILE")]
    private_key: Option<PathBuf>,
}

impl Output {
    /// Writes the key before `work` adds its public half, so that no key is added whose private half is lost. Removes the
    /// file if `work` fails.
    pub async fn write_during<T>(&self, key: Option<&AppKey>, work: impl Future<Output = Result<T>>) -> Result<T> {
        let (Some(file), Some(key)) = (&self.private_key, key) else { return work.await };
        write_private(file, &key.private_pem).map_err(|error| with_path(file, &error))?;
        let done = work.await;
        if done.is_err() {
            // The error of `work` is more important than a file that cannot be removed.
            let _ = std::fs::remove_file(file);
        }
        done
    }
}

/// Prints a private key, or the file that it was written to. The service stores only the public half.
pub fn print_key(key: &AppKey, output: &Output, out: &mut (dyn Write + Send)) -> Result<()> {
    match &output.private_key {
        None => write!(out, "{}", key.private_pem)?,
        Some(file) => writeln!(out, "private key   {}", file.display())?,
    }
    Ok(())
}

pub fn with_path(file: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::BadRequest(format!("{}: {error}", file.display()))
}
