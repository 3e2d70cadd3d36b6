//! File permissions: only the account that the program runs as may read the data on disk.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::Mode;

/// Prefixes of the program's own files in a data directory. All other files belong to the operator.
const OWN: &[&str] = &["plinth.", "node-id", "database-epoch", "repositories", "purge", "secrets.key"];
/// Group and others.
const OTHERS: u32 = 0o077;
const OWNER_ONLY: u32 = 0o600;

/// Sets the umask so that only this account can read what this process and its children create. Call it first.
pub fn restrict_new_files() {
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
}

/// Writes a new file that only its owner can read from the moment it exists.
pub(crate) fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(OWNER_ONLY).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Removes the access of others to a data directory, which an earlier version or a wider umask may have granted.
///
/// A closed directory protects everything below it, so its content is visited only if the directory was open.
pub(crate) fn tighten(data: &Path) {
    if !is_open(data).unwrap_or(false) {
        return;
    }
    let tightened = tighten_one(data).and_then(|()| {
        for entry in fs::read_dir(data)? {
            let entry = entry?;
            if OWN.iter().any(|name| entry.file_name().as_encoded_bytes().starts_with(name.as_bytes())) {
                tighten_below(&entry.path())?;
            }
        }
        Ok(())
    });
    match tightened {
        Ok(()) => tracing::info!(directory = %data.display(), "others can no longer read the data directory"),
        // A volume of another account that is shared by group is the operator's choice.
        Err(error) => {
            tracing::warn!(directory = %data.display(), %error, "others may be able to read the data directory");
        }
    }
}

fn is_open(path: &Path) -> io::Result<bool> {
    Ok(fs::symlink_metadata(path)?.permissions().mode() & OTHERS != 0)
}

fn tighten_one(path: &Path) -> io::Result<()> {
    let mode = fs::metadata(path)?.permissions().mode();
    fs::set_permissions(path, fs::Permissions::from_mode(mode & !OTHERS))
}

/// Tightens a file, or a directory and everything in it. Skips links, and files that vanish meanwhile.
fn tighten_below(path: &Path) -> io::Result<()> {
    let mut pending = vec![path.to_owned()];
    while let Some(path) = pending.pop() {
        let kind = match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            found => found?.file_type(),
        };
        if kind.is_symlink() {
            continue;
        }
        tighten_one(&path)?;
        if kind.is_dir() {
            for entry in fs::read_dir(&path)? {
                pending.push(entry?.path());
            }
        }
    }
    Ok(())
}
