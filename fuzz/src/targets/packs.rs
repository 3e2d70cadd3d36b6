//! Packs: entries, deltas and the index, as readers meet them after git has accepted a push, or after a disk has damaged them.

use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use plinth_base::ids::{ObjectKind, RepoId, Sha};
use plinth_git::{NoObjects, ObjectSource, RawObject, Repositories};

use crate::Target;
use crate::input::first;

/// Objects in one pack.
const ENTRIES_MAX: usize = 16;
/// A delta may copy the same bytes many times.
const RESULT_BYTES_MAX: usize = 1 << 20;

thread_local! {
    /// A repository, whose only pack is replaced for each input.
    static DIRECTORY: tempfile::TempDir = {
        let directory = tempfile::tempdir().expect("a temporary directory");
        Repositories::at(directory.path()).and_then(|all| all.create(RepoId(1))).expect("a repository");
        directory
    };
}

/// Entries of a kind byte, a length byte and content; `d` is a delta of the entry before. The first byte damages the pack, if
/// it is not zero. What is read equals the content or the result of an independent delta decoder, or is an error.
pub const PACKS: Target = Target {
    name: "packs",
    seeds: || {
        let entry = |kind: u8, content: &[u8]| [&[kind, u8::try_from(content.len()).expect("short")], content].concat();
        let blob = entry(b'b', b"hello, world");
        // Copy 5 bytes from 0, insert 1, copy 5 from 7.
        let delta = entry(b'd', &[12, 11, 0x90, 5, 1, b'-', 0x91, 7, 5]);
        let larger = entry(b'd', &[11, 22, 0xb0, 11, 0, 0xb0, 11, 0]);
        let commit = entry(b'c', b"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor a <b> 1 +0000\n\n");
        vec![
            [vec![0], blob.clone(), delta.clone(), larger].concat(),
            [vec![0], commit, entry(b't', b""), entry(b'g', b"object x")].concat(),
            [vec![13], blob.clone(), delta].concat(),
            [vec![40], blob.clone(), entry(b'd', &[200, 1, 200, 1])].concat(),
            // A delta whose result would have nearly 2^64 bytes.
            [vec![0], blob, entry(b'd', &[12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0x90, 1])]
                .concat(),
        ]
    },
    check: |data| {
        let (damage, rest) = first(data);
        let entries = entries(rest);
        // Opened for each input, because an open repository has its packs in memory.
        let repositories = DIRECTORY.with(|directory| {
            let repositories = Repositories::at(directory.path()).expect("a data directory").without_object_cache();
            write_files(&repositories.pack_directory(RepoId(1)), &entries, damage);
            repositories
        });
        let opened = repositories.get(RepoId(1)).expect("it was written");
        let reader = opened.reader(&NoObjects);
        for entry in &entries {
            let found = reader.find(&entry.name);
            let header = reader.find_header(&entry.name);
            if damage != 0 {
                continue;
            }
            match (&entry.content, found) {
                (Some(content), Ok(Some(object))) => {
                    assert_eq!((object.kind(), object.data()), (entry.kind, &content[..]));
                    let header = header.expect("the object is readable").expect("it exists");
                    assert_eq!((header.kind, header.size), (entry.kind, content.len() as u64));
                }
                (Some(_), found) => panic!("{} is not read: {found:?}", entry.name),
                (None, Ok(Some(object))) => panic!("a malformed delta is read as {:?}", object.data()),
                (None, Ok(None) | Err(_)) => {}
            }
        }
    },
};

struct Entry {
    name: Sha,
    kind: ObjectKind,
    /// The bytes in the pack, before compression.
    raw: Vec<u8>,
    is_delta: bool,
    /// The object; `None` for a malformed delta.
    content: Option<Vec<u8>>,
}

fn entries(mut rest: &[u8]) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    while let [kind, length, after @ ..] = rest {
        let (raw, after) = after.split_at(usize::from(*length).min(after.len()));
        rest = after;
        let base = entries.last().filter(|_| *kind == b'd');
        let own_kind = match kind {
            b'c' => ObjectKind::Commit,
            b't' => ObjectKind::Tree,
            b'g' => ObjectKind::Tag,
            _ => ObjectKind::Blob,
        };
        let object_kind = base.map_or(own_kind, |base| base.kind);
        let content = match base {
            Some(base) => base.content.as_deref().and_then(|base| apply(base, raw)),
            None => Some(raw.to_vec()),
        };
        let is_delta = base.is_some();
        // A delta that has no result has a name that no content has.
        let named = match &content {
            Some(content) => RawObject::new(object_kind, content.clone()),
            None => RawObject::blob(format!("no result {}", entries.len())),
        };
        let Ok(named) = named else { break };
        let name = named.sha();
        if entries.len() == ENTRIES_MAX || entries.iter().any(|entry| entry.name == name) {
            break;
        }
        entries.push(Entry { name, kind: object_kind, raw: raw.to_vec(), is_delta, content });
    }
    entries
}

/// A delta decoder from the format's description, to compare with.
fn apply(base: &[u8], delta: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = delta.iter().copied();
    let (base_size, result_size) = (size(&mut bytes)?, size(&mut bytes)?);
    if base_size != base.len() || result_size > RESULT_BYTES_MAX {
        return None;
    }
    let mut result = Vec::new();
    while let Some(operation) = bytes.next() {
        if operation & 0x80 != 0 {
            let mut number = |bits: std::ops::Range<u32>| -> Option<usize> {
                let first_bit = bits.start;
                bits.filter(|bit| operation & (1 << bit) != 0)
                    .try_fold(0, |number, bit| Some(number | usize::from(bytes.next()?) << (8 * (bit - first_bit))))
            };
            let (offset, length) = (number(0..4)?, number(4..7)?);
            let length = if length == 0 { 0x10000 } else { length };
            result.extend_from_slice(base.get(offset..offset.checked_add(length)?)?);
        } else if operation > 0 {
            for _ in 0..operation {
                result.push(bytes.next()?);
            }
        } else {
            return None;
        }
        if result.len() > result_size {
            return None;
        }
    }
    (result.len() == result_size).then_some(result)
}

fn size(bytes: &mut impl Iterator<Item = u8>) -> Option<usize> {
    let mut size = 0usize;
    for shift in (0..28).step_by(7) {
        let byte = bytes.next()?;
        size |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(size);
        }
    }
    None
}

fn write_files(packs: &Path, entries: &[Entry], damage: u8) {
    let (mut pack, mut index) = pack_and_index(entries);
    if damage != 0 {
        let changed = if damage.is_multiple_of(2) { &mut pack } else { &mut index };
        let position = usize::from(damage).wrapping_mul(7919) % changed.len();
        changed[position] ^= damage;
    }
    std::fs::write(packs.join("pack-1.pack"), pack).expect("a file");
    std::fs::write(packs.join("pack-1.idx"), index).expect("a file");
}

fn pack_and_index(entries: &[Entry]) -> (Vec<u8>, Vec<u8>) {
    let count = u32::try_from(entries.len()).expect("few entries");
    let mut pack = [b"PACK".as_slice(), &2u32.to_be_bytes(), &count.to_be_bytes()].concat();
    let mut offsets = Vec::new();
    for entry in entries {
        let offset = pack.len();
        let kind = match (entry.is_delta, entry.kind) {
            (true, _) => 6,
            (false, ObjectKind::Commit) => 1,
            (false, ObjectKind::Tree) => 2,
            (false, ObjectKind::Blob) => 3,
            (false, ObjectKind::Tag) => 4,
        };
        let length = entry.raw.len();
        pack.extend([0x80 | kind << 4 | (length & 15) as u8, (length >> 4) as u8]);
        if let Some(base) = offsets.last().filter(|_| entry.is_delta) {
            put_distance(&mut pack, offset - base);
        }
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&entry.raw).expect("memory can be written");
        pack.extend(encoder.finish().expect("memory can be written"));
        offsets.push(offset);
    }
    let pack_checksum = checksum(&pack);
    pack.extend(pack_checksum);
    let mut sorted: Vec<(&Entry, usize)> = entries.iter().zip(offsets).collect();
    sorted.sort_by_key(|(entry, _)| entry.name);
    let mut index = vec![0xff, b't', b'O', b'c', 0, 0, 0, 2];
    for byte in 0..=255u8 {
        let until = sorted.iter().filter(|(entry, _)| entry.name.as_bytes()[0] <= byte).count();
        index.extend(u32::try_from(until).expect("few entries").to_be_bytes());
    }
    sorted.iter().for_each(|(entry, _)| index.extend(entry.name.as_bytes()));
    index.extend(vec![0; 4 * sorted.len()]);
    sorted.iter().for_each(|(_, offset)| index.extend(u32::try_from(*offset).expect("a small pack").to_be_bytes()));
    index.extend(pack_checksum);
    let index_checksum = checksum(&index);
    index.extend(index_checksum);
    (pack, index)
}

/// The distance to the base of a delta: seven bits a byte, the highest first, and each continuation adds one.
fn put_distance(pack: &mut Vec<u8>, distance: usize) {
    let mut bytes = vec![(distance & 0x7f) as u8];
    let mut rest = distance >> 7;
    while rest > 0 {
        rest -= 1;
        bytes.push(0x80 | (rest & 0x7f) as u8);
        rest >>= 7;
    }
    pack.extend(bytes.into_iter().rev());
}

fn checksum(bytes: &[u8]) -> [u8; 20] {
    let mut hasher = gix_hash::hasher(gix_hash::Kind::Sha1);
    hasher.update(bytes);
    let id = hasher.try_finalize().expect("our own bytes are no attack");
    id.as_bytes().try_into().expect("SHA-1 has twenty bytes")
}
