//! The file with the key that encrypts secrets, outside of the database and of its backups.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use plinth_base::error::{Error, Result};

use super::secret::{KEY_BYTES, SecretKey};

/// The name of the file in a data directory.
pub const FILE_NAME: &str = "secrets.key";
/// The mode of the file: only the account of the service may read it.
const OWNER_ONLY: u32 = 0o600;
/// A larger file is no key.
const FILE_BYTES_MAX: u64 = 1024;

/// The file, read once and then cached. It does not exist until the first secret is stored.
#[derive(Debug)]
pub struct KeyFile {
    path: PathBuf,
    key: OnceLock<Arc<SecretKey>>,
}

impl KeyFile {
    pub fn new(path: PathBuf) -> Self {
        Self { path, key: OnceLock::new() }
    }

    /// The file at its default location.
    pub fn in_directory(data: &Path) -> Self {
        Self::new(data.join(FILE_NAME))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The key; `None` if there is no file.
    pub fn read(&self) -> Result<Option<Arc<SecretKey>>> {
        if let Some(key) = self.key.get() {
            return Ok(Some(key.clone()));
        }
        let text = match read_text(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.unusable(&error)),
        };
        let bytes = parse(&text).ok_or_else(|| {
            self.unusable(&format_args!("it does not contain a key of {} hexadecimal digits", KEY_BYTES * 2))
        })?;
        Ok(Some(self.key.get_or_init(|| Arc::new(SecretKey::new(&bytes))).clone()))
    }

    /// The key, from a new file if there is none. The file is durable before anything is encrypted with it.
    pub fn read_or_create(&self) -> Result<Arc<SecretKey>> {
        if let Some(key) = self.read()? {
            return Ok(key);
        }
        create(&self.path).map_err(|error| self.unusable(&error))?;
        self.read()?.ok_or_else(|| self.unusable(&"it was written just now and does not exist"))
    }

    /// The path helps the operator; clients only see that the service is not available.
    fn unusable(&self, error: &dyn std::fmt::Display) -> Error {
        Error::Unavailable(format!("the file {} with the key of secrets: {error}", self.path.display()))
    }
}

fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    io::Read::read_to_string(&mut io::Read::take(File::open(path)?, FILE_BYTES_MAX), &mut text)?;
    Ok(text)
}

fn parse(text: &str) -> Option<[u8; KEY_BYTES]> {
    let digits = text.trim().as_bytes();
    let mut bytes = [0; KEY_BYTES];
    if digits.len() != KEY_BYTES * 2 {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |digit: u8| char::from(digit).to_digit(16);
        *byte = u8::try_from(digit(pair[0])? << 4 | digit(pair[1])?).ok()?;
    }
    Some(bytes)
}

/// Writes a new key next to the file and links it to its name, so that no reader sees half of it. If another process was
/// faster, its key stays.
fn create(path: &Path) -> io::Result<()> {
    let mut bytes = [0u8; KEY_BYTES];
    getrandom::fill(&mut bytes).map_err(|_| io::Error::other("the system has no random generator"))?;
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).chain(["\n".to_owned()]).collect();
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
    let temporary = directory.join(format!("{name}.{}.tmp", std::process::id()));
    let _ = fs::remove_file(&temporary);
    let written = write_private(&temporary, &text).and_then(|()| match fs::hard_link(&temporary, path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    });
    let _ = fs::remove_file(&temporary);
    written?;
    File::open(directory)?.sync_all()
}

fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(OWNER_ONLY).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn read_or_create_creates_a_private_file_once() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = KeyFile::in_directory(directory.path());
        assert!(file.read().expect("nothing to read").is_none());
        file.read_or_create().expect("a new key");
        let text = fs::read_to_string(file.path()).expect("the file exists");
        let mode = fs::metadata(file.path()).expect("the file exists").permissions().mode();
        assert_eq!((text.len(), mode & 0o777), (KEY_BYTES * 2 + 1, OWNER_ONLY));
        KeyFile::in_directory(directory.path()).read_or_create().expect("the existing key");
        assert_eq!(fs::read_to_string(file.path()).expect("the file exists"), text);
        assert_eq!(fs::read_dir(directory.path()).expect("a directory").count(), 1);
    }

    #[test]
    fn read_rejects_other_texts() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        for text in ["", "abc", &"g".repeat(64), &"a".repeat(65), &"ä".repeat(32)] {
            let file = KeyFile::in_directory(directory.path());
            fs::write(file.path(), text).expect("the directory is writable");
            assert!(file.read().is_err(), "{text}");
        }
    }
}
