//! Who may read the data on disk: the account that the program runs as, and nobody else.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::fs::Mode;

/// How the names in a data directory begin that are the program's: what else is there belongs to the operator.
const OWN: &[&str] = &["plinth.", "node-id", "repositories", "purge"];
/// Group and others.
const OTHERS: u32 = 0o077;

/// From now on everything that this process and its children make is for their own account alone, whatever the umask
/// was. Call it before anything is made.
pub fn restrict_new_files() {
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
}

/// Takes from others what an earlier version, or a wider umask, let them read in a data directory.
///
/// The directory itself closes everything below it, so that is looked through only when the directory was open.
pub fn tighten(data: &Path) {
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
        // A volume that belongs to somebody else and is shared by group is the operator's choice.
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

/// A file, or a directory with all that is in it; links are left alone, and what has just gone is fine.
fn tighten_below(path: &Path) -> io::Result<()> {
    let mut waiting = vec![path.to_owned()];
    while let Some(path) = waiting.pop() {
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
                waiting.push(entry?.path());
            }
        }
    }
    Ok(())
}
