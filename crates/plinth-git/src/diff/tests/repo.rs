//! A repository that the git program creates in a temporary directory.

use std::cell::Cell;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use gix_odb::Header as _;
use gix_odb::store::prefix::disambiguate::Candidate;

use crate::diff::Source;
use crate::objects::{ObjectSource, RawObject};
use plinth_base::error::Result;
use plinth_base::ids::Sha;

pub struct TestRepo {
    directory: tempfile::TempDir,
}

impl TestRepo {
    pub fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let repo = Self { directory };
        repo.git(&["init", "-q", "-b", "main"]);
        repo
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    pub fn open(&self) -> Opened {
        let objects = gix_odb::at(self.path().join(".git/objects"), gix_hash::Kind::Sha1).expect("git made it");
        Opened { objects, reads: Cell::new(0) }
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let file = self.path().join(path);
        std::fs::create_dir_all(file.parent().expect("inside the directory")).expect("a directory");
        std::fs::write(file, content).expect("a file");
        self
    }

    pub fn commit(&self) -> Sha {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "state"]);
        self.head()
    }

    pub fn head(&self) -> Sha {
        let name = self.git(&["rev-parse", "HEAD"]);
        String::from_utf8(name).expect("hexadecimal").trim().parse().expect("a name")
    }

    /// The text of `git diff` between two commits, with default settings.
    pub fn diff(&self, old: &Sha, new: &Sha) -> Vec<u8> {
        self.git(&["diff", &old.to_string(), &new.to_string()])
    }

    pub fn git(&self, arguments: &[&str]) -> Vec<u8> {
        let output = git(self.path()).args(arguments).output().expect("git is installed");
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }
}

/// The same repository as the code under test reads it.
pub struct Opened {
    objects: gix_odb::Handle,
    /// How many objects were read.
    pub reads: Cell<usize>,
}

impl ObjectSource for Opened {
    fn find(&self, sha: &Sha) -> Result<Option<Arc<RawObject>>> {
        self.reads.set(self.reads.get() + 1);
        let mut data = Vec::new();
        let found = gix_object::Find::try_find(&self.objects, &crate::to_oid(sha), &mut data);
        let kind = found.expect("a readable repository").map(|object| crate::objects::from_gix(object.kind));
        Ok(kind.map(|kind| Arc::new(RawObject::new(kind, data).expect("no collision"))))
    }
}

impl Source for Opened {
    fn size(&self, sha: &Sha) -> Result<u64> {
        let header = self.objects.try_header(&crate::to_oid(sha)).expect("a readable repository");
        Ok(header.expect("the object exists").size())
    }

    fn abbreviation(&self, sha: &Sha) -> Result<String> {
        const SMALL_REPOSITORY: usize = 7;
        let wanted = Candidate::new(crate::to_oid(sha), SMALL_REPOSITORY).expect("shorter than a whole name");
        let found = self.objects.disambiguate_prefix(wanted).expect("a readable repository");
        Ok(found.map_or_else(|| sha.to_string()[..SMALL_REPOSITORY].to_owned(), |prefix| prefix.to_string()))
    }
}

/// Git without the settings of this machine.
pub fn git(directory: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(directory).stdin(Stdio::null());
    for (name, value) in [
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_SYSTEM", "/dev/null"),
        ("GIT_AUTHOR_NAME", "Test"),
        ("GIT_AUTHOR_EMAIL", "test@example.com"),
        ("GIT_COMMITTER_NAME", "Test"),
        ("GIT_COMMITTER_EMAIL", "test@example.com"),
    ] {
        command.env(name, value);
    }
    command
}
