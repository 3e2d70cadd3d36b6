//! Receives a pack: streams it through git's own checks into a quarantine.

use std::fs;
use std::io::{self, Read};
use std::sync::Arc;

use flate2::{Decompress, FlushDecompress};

use super::quarantine::Quarantine;
use crate::child::{Exit, Limits};
use crate::objects::RawObject;
use crate::repository::Repository;
use plinth_base::error::{Error, Result, reports_storage_failure};

/// A delta begins with two sizes of at most ten bytes each; so many compressed bytes contain them.
const DELTA_HEAD_MAX: usize = 20;
const DELTA_HEAD_PACKED_MAX: u64 = 512;

/// Limits on the size of a pack and of each object in it.
#[derive(Debug, Clone, Copy)]
pub struct PackLimits {
    pub pack_size: u64,
    pub object_size: u64,
    pub child: Limits,
}

impl Default for PackLimits {
    fn default() -> Self {
        Self { pack_size: 2 << 30, object_size: 100 << 20, child: Limits::default() }
    }
}

/// Which faults of objects are errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// Every fault that git's fsck knows.
    Everything,
    /// Harmless faults, which are frequent in old histories, are accepted.
    AllowOldFaults,
}

impl Strictness {
    const fn argument(self) -> &'static str {
        match self {
            Strictness::Everything => "--strict",
            Strictness::AllowOldFaults => {
                "--strict=zeroPaddedFilemode=ignore,badTimezone=ignore,missingSpaceBeforeDate=ignore,\
                 zeroPaddedDate=ignore,missingSpaceBeforeEmail=ignore,missingNameBeforeEmail=ignore,\
                 badFilemode=ignore,missingTaggerEntry=ignore,nulInCommit=ignore"
            }
        }
    }
}

impl Repository {
    /// Reads a pushed pack, thin or not, and checks every object in it. Memory does not grow with the pack.
    ///
    /// `overlay` are objects of the repository that are in no pack yet.
    pub fn receive<T: AsRef<RawObject>>(
        self: &Arc<Self>,
        input: &mut dyn Read,
        overlay: &[T],
        limits: PackLimits,
    ) -> Result<Quarantine> {
        let quarantine = Quarantine::open(self, overlay, limits.child)?;
        quarantine.receive(input, limits, Strictness::Everything)?;
        Ok(quarantine)
    }

    /// Checks new objects with git. Needed only if `TreeEdit::has_submodules_file` is true.
    pub fn check_objects<T: AsRef<RawObject>>(self: &Arc<Self>, objects: &[T], overlay: &[T]) -> Result<()> {
        let quarantine = Quarantine::open(self, overlay, Limits::default())?;
        let scratch = tempfile::tempdir_in(self.quarantine_directory())?;
        let pack = crate::packs::write::write_pack(scratch.path(), objects)?;
        quarantine.receive(&mut fs::File::open(pack)?, PackLimits::default(), Strictness::Everything)
    }
}

impl Quarantine {
    pub(crate) fn receive(&self, input: &mut dyn Read, limits: PackLimits, strictness: Strictness) -> Result<()> {
        let mut input_error = None;
        let exit = self
            .command("index-pack")
            .args(["--stdin", "--fix-thin", strictness.argument()])
            .args([format!("--max-input-size={}", limits.pack_size)])
            .run(|stdin| copy(input, stdin, &mut input_error))?;
        if let Some(error) = input_error {
            return Err(Error::BadRequest(format!("The pack could not be read: {error}")));
        }
        self.check_exit(exit, limits)?;
        self.check_sizes(limits.object_size)
    }

    fn check_exit(&self, exit: Exit, limits: PackLimits) -> Result<()> {
        if exit.success {
            return Ok(());
        }
        if exit.timed_out {
            return Err(Error::Unavailable("The check of the pack took too long.".into()));
        }
        if reports_storage_failure(&exit.stderr) {
            return Err(Error::Unavailable(exit.stderr));
        }
        if exit.stderr.contains("exceeds maximum allowed size") {
            return Err(Error::BodyTooLarge(usize::try_from(limits.pack_size).unwrap_or(usize::MAX)));
        }
        Err(Error::unprocessable(format!("The pack is refused: {}", self.without_paths(&exit.stderr))))
    }

    /// Git streams large blobs, and a short delta may expand to a large object, so sizes are checked afterwards. Until
    /// then, the memory limit of the child bounds them.
    fn check_sizes(&self, object_size_max: u64) -> Result<()> {
        let Some(path) = self.pack_index()? else { return Ok(()) };
        let index = gix_pack::index::File::at(&path, gix_hash::Kind::Sha1).map_err(crate::broken)?;
        if index.num_objects() == 0 {
            // Git sends an empty pack if all objects exist already.
            fs::remove_file(path)?;
            return Ok(());
        }
        let data =
            gix_pack::data::File::at(path.with_extension("pack"), gix_hash::Kind::Sha1).map_err(crate::broken)?;
        let mut inflate = Decompress::new(true);
        for position in 0..index.num_objects() {
            let entry = data.entry(index.pack_offset_at_index(position)).map_err(crate::broken)?;
            let size = match entry.header.is_base() {
                true => entry.decompressed_size,
                false => delta_result_size(&data, entry.data_offset, &mut inflate)?,
            };
            if size > object_size_max {
                let sha = crate::to_sha(index.oid_at_index(position));
                return Err(Error::unprocessable(format!("The object {sha} is larger than {object_size_max} bytes.")));
            }
        }
        Ok(())
    }
}

/// A delta begins with the size of its base and the size of its result; only its first bytes are decompressed.
fn delta_result_size(data: &gix_pack::data::File, offset: u64, inflate: &mut Decompress) -> Result<u64> {
    let end = (offset + DELTA_HEAD_PACKED_MAX).min(data.pack_end() as u64);
    let packed = data.entry_slice(offset..end).ok_or_else(|| Error::internal("a delta is outside of its pack"))?;
    let mut head = [0; DELTA_HEAD_MAX];
    inflate.reset(true);
    inflate.decompress(packed, &mut head, FlushDecompress::None).map_err(io::Error::from)?;
    let mut rest = head.as_slice();
    take_size(&mut rest);
    Ok(take_size(&mut rest))
}

/// Decodes a number in groups of seven bits, the lowest first.
fn take_size(bytes: &mut &[u8]) -> u64 {
    let mut size = 0u64;
    let mut shift = 0;
    while let [first, rest @ ..] = *bytes {
        *bytes = rest;
        size |= u64::from(first & 0x7f).checked_shl(shift).unwrap_or(u64::MAX);
        shift += 7;
        if first & 0x80 == 0 {
            break;
        }
    }
    size
}

/// Reports a broken input, which is the sender's fault, separately from a child that stopped reading.
fn copy(input: &mut dyn Read, output: &mut dyn io::Write, input_error: &mut Option<io::Error>) -> io::Result<()> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => output.write_all(&buffer[..count])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                *input_error = Some(error);
                return Ok(());
            }
        }
    }
}
