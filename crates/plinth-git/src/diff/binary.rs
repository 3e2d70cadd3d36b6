//! Binary files in a patch, in the form that `git apply` reads: compressed, in base 85.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::change::FileChange;
use super::entry::Entry;
use super::source::{Source, object};
use plinth_base::error::{Error, Result};

/// How a diff shows files that are not text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryFiles {
    /// One line says that they differ, as `git diff` prints it.
    Named,
    /// With both contents, so that the diff can be applied, as `git format-patch` prints it.
    Included,
}

/// The alphabet of git, which differs from that of other programs.
const ALPHABET: &[u8; 85] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
/// Bytes in one line.
const LINE_BYTES: usize = 52;
/// Larger contents are not read.
const CONTENT_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Writes the new and the old content of a file. Git also writes differences between contents, if they are smaller.
pub(super) fn write_contents(repo: &dyn Source, change: &FileChange, text: &mut Vec<u8>) -> Result<()> {
    text.extend_from_slice(b"GIT binary patch\n");
    write_content(repo, change.new.as_ref(), text)?;
    write_content(repo, change.old.as_ref(), text)
}

fn write_content(repo: &dyn Source, entry: Option<&Entry>, text: &mut Vec<u8>) -> Result<()> {
    let Some(entry) = entry else { return write_literal(&[], text) };
    if repo.size(&entry.id)? > CONTENT_BYTES_MAX {
        return Err(Error::OverBudget("A file is too large to be shown as text."));
    }
    write_literal(object(repo, &entry.id)?.data(), text)
}

fn write_literal(content: &[u8], text: &mut Vec<u8>) -> Result<()> {
    text.extend_from_slice(format!("literal {}\n", content.len()).as_bytes());
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let compressed = encoder.write_all(content).and_then(|()| encoder.finish()).map_err(super::fault)?;
    for line in compressed.chunks(LINE_BYTES) {
        text.push(length_letter(line.len()));
        line.chunks(4).for_each(|group| text.extend(encode(group)));
        text.push(b'\n');
    }
    text.push(b'\n');
    Ok(())
}

/// The first letter of a line is its number of bytes: `A` is 1, `a` is 27.
fn length_letter(length: usize) -> u8 {
    const LETTERS: &[u8; LINE_BYTES] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    LETTERS[length - 1]
}

/// Up to four bytes as five digits; missing bytes are zero.
fn encode(group: &[u8]) -> [u8; 5] {
    let mut bytes = [0; 4];
    bytes[..group.len()].copy_from_slice(group);
    let mut rest = u32::from_be_bytes(bytes) as usize;
    let mut digits = [0; 5];
    for digit in digits.iter_mut().rev() {
        *digit = ALPHABET[rest % ALPHABET.len()];
        rest /= ALPHABET.len();
    }
    digits
}
