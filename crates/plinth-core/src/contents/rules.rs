//! Validation of changes of files.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;
use plinth_git::{EntryMode, Reader, TreeEntry};

use super::{FileChange, FileCommit};

/// The directory of files that run with the rights of the repository.
const WORKFLOWS: &str = ".github/workflows";

/// Clients leave the padding out.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

pub fn check_path(path: &str) -> Result<()> {
    if path.starts_with('/') {
        return Err(Error::unprocessable("path cannot start with a slash"));
    }
    if !plinth_git::is_valid_path(path) {
        return Err(Error::unprocessable("path contains a malformed path component"));
    }
    Ok(())
}

/// Whether changes of the path require the right to change workflow files.
pub fn is_workflow(path: &str) -> bool {
    path.strip_prefix(WORKFLOWS).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The bytes of the new file. Clients send lines, so white space is skipped.
pub fn decode(content: &str) -> Result<Vec<u8>> {
    let text: Vec<u8> = content.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    BASE64.decode(text).map_err(|_| Error::unprocessable("content is not valid Base64"))
}

/// Compares what is at the path with what the caller has seen there, and returns its mode. `root` is the tree of the branch.
pub fn check_before(reader: &Reader<'_>, root: Option<Sha>, commit: &FileCommit) -> Result<Option<EntryMode>> {
    let found = match root {
        Some(root) => find(reader, root, &commit.path)?,
        None => None,
    };
    let Some(entry) = found else {
        return match (&commit.change, &commit.sha) {
            (FileChange::Delete, _) => Err(Error::NotFound),
            (FileChange::Write(_), Some(sha)) => Err(mismatch(&commit.path, sha)),
            (FileChange::Write(_), None) => Ok(None),
        };
    };
    match entry.mode {
        EntryMode::File | EntryMode::Executable | EntryMode::Symlink => {}
        EntryMode::Directory => return Err(Error::unprocessable(format!("{} is a directory", commit.path))),
        EntryMode::Submodule => return Err(Error::unprocessable(format!("{} is a submodule", commit.path))),
    }
    let sha = commit.sha.as_deref().ok_or_else(|| Error::Shape(vec!["\"sha\" wasn't supplied.".to_owned()]))?;
    if sha.parse::<Sha>().ok() != Some(entry.sha) {
        return Err(mismatch(&commit.path, sha));
    }
    Ok(Some(entry.mode))
}

/// A file is never replaced by a directory: the caller has not seen that file.
fn find(reader: &Reader<'_>, root: Sha, path: &str) -> Result<Option<TreeEntry>> {
    for (end, _) in path.match_indices('/') {
        match reader.find_path(&root, &path.as_bytes()[..end])? {
            Some(entry) if entry.mode == EntryMode::Directory => {}
            Some(_) => return Err(Error::unprocessable(format!("{} is not a directory", &path[..end]))),
            None => return Ok(None),
        }
    }
    reader.find_path(&root, path.as_bytes())
}

fn mismatch(path: &str, sha: &str) -> Error {
    Error::Conflict(format!("{path} does not match {sha}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decode_accepts_lines_and_missing_padding() {
        for text in ["aGVsbG8=", "aGVsbG8", "aGVs\nbG8=\n", " aGVs\r\nbG8"] {
            assert_eq!(decode(text).expect(text), b"hello", "{text:?}");
        }
        assert!(decode("").expect("empty").is_empty());
        for text in ["aGVsbG8*", "a", "aGVsbG8-"] {
            assert!(decode(text).is_err(), "{text}");
        }
    }

    #[test]
    fn is_workflow_matches_the_directory_only() {
        assert!(is_workflow(".github/workflows") && is_workflow(".github/workflows/a.yml"));
        assert!(!is_workflow(".github/workflows2/a.yml") && !is_workflow("x/.github/workflows/a.yml"));
    }
}
