//! Writes a few new objects as one pack with its index, without starting a process.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gix_zlib::Compression;
use gix_zlib::stream::deflate;

use crate::durable;
use crate::objects::RawObject;
use plinth_base::error::Result;
use plinth_base::ids::{ObjectKind, Sha};

/// Offsets from here on do not fit the 31 bits of the small table of an index.
const LARGE_OFFSET: u64 = 1 << 31;

/// Writes pack and index with their final names; the index comes last because readers look for it.
pub(crate) fn write_pack<T: AsRef<RawObject>>(directory: &Path, objects: &[T]) -> Result<PathBuf> {
    let mut file = tempfile::Builder::new().prefix("tmp_pack_").tempfile_in(directory)?;
    let mut pack = PackWriter::new(io::BufWriter::new(file.as_file_mut()));
    let mut objects: Vec<&RawObject> = objects.iter().map(AsRef::as_ref).collect();
    objects.sort_by_key(|object| object.sha());
    objects.dedup_by_key(|object| object.sha());
    pack.write_all(&pack_header(objects.len()))?;
    let mut entries = Vec::with_capacity(objects.len());
    for object in objects {
        entries.push(pack.write_entry(object)?);
    }
    let pack_sha = pack.finish()?;
    file.as_file().sync_all()?;
    let name = directory.join(format!("pack-{pack_sha}"));
    file.persist(name.with_extension("pack")).map_err(io::Error::from)?;
    durable::write_file(&name.with_extension("idx"), &index(&entries, &pack_sha)?)?;
    Ok(name.with_extension("pack"))
}

struct Entry {
    sha: Sha,
    checksum: u32,
    offset: u64,
}

struct PackWriter<W> {
    inner: W,
    hasher: gix_hash::Hasher,
    offset: u64,
}

impl<W: Write> PackWriter<W> {
    fn new(inner: W) -> Self {
        Self { inner, hasher: gix_hash::hasher(gix_hash::Kind::Sha1), offset: 0 }
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.inner.write_all(bytes)?;
        self.hasher.update(bytes);
        self.offset += bytes.len() as u64;
        Ok(())
    }

    fn write_entry(&mut self, object: &RawObject) -> io::Result<Entry> {
        let offset = self.offset;
        let mut compressed = deflate::Write::new(entry_header(object), Compression::DEFAULT);
        compressed.write_all(object.data())?;
        compressed.flush()?;
        let bytes = compressed.into_inner();
        self.write_all(&bytes)?;
        Ok(Entry { sha: object.sha(), checksum: crc32(&bytes), offset })
    }

    fn finish(mut self) -> Result<Sha> {
        let sha = finish_hash(self.hasher)?;
        self.inner.write_all(sha.as_bytes())?;
        self.inner.flush()?;
        Ok(sha)
    }
}

fn pack_header(count: usize) -> Vec<u8> {
    let count = u32::try_from(count).expect("a request cannot have that many objects");
    [b"PACK".as_slice(), &2u32.to_be_bytes(), &count.to_be_bytes()].concat()
}

/// Kind and size, seven bits at a time, the lowest first.
fn entry_header(object: &RawObject) -> Vec<u8> {
    let kind: u8 = match object.kind() {
        ObjectKind::Commit => 1,
        ObjectKind::Tree => 2,
        ObjectKind::Blob => 3,
        ObjectKind::Tag => 4,
    };
    let mut rest = object.data().len();
    let mut header = vec![kind << 4 | (rest & 15) as u8];
    rest >>= 4;
    while rest > 0 {
        *header.last_mut().expect("never empty") |= 0x80;
        header.push((rest & 0x7f) as u8);
        rest >>= 7;
    }
    header
}

/// An index of the second version over entries that are sorted by name.
fn index(entries: &[Entry], pack_sha: &Sha) -> Result<Vec<u8>> {
    let mut out = vec![0xff, b't', b'O', b'c', 0, 0, 0, 2];
    let mut total = 0u32;
    let mut rest = entries.iter().peekable();
    for first_byte in 0..=255 {
        while rest.next_if(|entry| entry.sha.as_bytes()[0] == first_byte).is_some() {
            total += 1;
        }
        out.extend(total.to_be_bytes());
    }
    entries.iter().for_each(|entry| out.extend(entry.sha.as_bytes()));
    entries.iter().for_each(|entry| out.extend(entry.checksum.to_be_bytes()));
    let mut large = Vec::new();
    for entry in entries {
        if entry.offset < LARGE_OFFSET {
            out.extend((entry.offset as u32).to_be_bytes());
        } else {
            out.extend((LARGE_OFFSET as u32 | (large.len() / 8) as u32).to_be_bytes());
            large.extend(entry.offset.to_be_bytes());
        }
    }
    out.extend(large);
    out.extend(pack_sha.as_bytes());
    let mut hasher = gix_hash::hasher(gix_hash::Kind::Sha1);
    hasher.update(&out);
    out.extend(finish_hash(hasher)?.as_bytes());
    Ok(out)
}

fn finish_hash(hasher: gix_hash::Hasher) -> Result<Sha> {
    Ok(crate::to_sha(&hasher.try_finalize().map_err(crate::broken)?))
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, byte| CRC_TABLE[usize::from(sum as u8 ^ byte)] ^ (sum >> 8))
}

static CRC_TABLE: [u32; 256] = crc_table();

const fn crc_table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut sum = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { 0xedb8_8320 ^ (sum >> 1) } else { sum >> 1 };
            bit += 1;
        }
        table[byte] = sum;
        byte += 1;
    }
    table
}
