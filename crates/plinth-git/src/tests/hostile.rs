//! Hostile packs are rejected and leave no trace.

use std::fs;

use super::receiving::{assert_untouched, pack_of, pusher, receive};
use super::support::Fixture;
use crate::{Limits, NoObjects, PackLimits, RawObject, TreeLimits};
use plinth_base::error::Error;
use plinth_base::ids::ObjectKind;

#[test]
fn damaged_pack_is_rejected_without_trace() {
    let (pusher, ids) = pusher(4);
    let pack = pack_of(&pusher, &format!("{}\n", ids[3]), &[]);
    let fixture = Fixture::empty();
    let flipped = |position: usize| {
        let mut pack = pack.clone();
        pack[position] ^= 0x55;
        pack
    };
    let no_pack: &[u8] = b"hello, this is no pack at all";
    for (what, bytes) in [
        ("nothing", &[][..]),
        ("text", no_pack),
        ("half", &pack[..pack.len() / 2]),
        ("without the last byte", &pack[..pack.len() - 1]),
        ("a flipped magic", &flipped(1)),
        ("a flipped count", &flipped(11)),
        ("a flipped object", &flipped(pack.len() / 2)),
        ("a flipped checksum", &flipped(pack.len() - 1)),
    ] {
        let outcome = receive(&fixture, bytes, PackLimits::default()).map(|_| ());
        assert!(matches!(outcome, Err(Error::Unprocessable(_))), "{what}: {outcome:?}");
        let text = outcome.expect_err("rejected").to_string();
        assert!(!text.contains(&*fixture.data.path().to_string_lossy()), "{text}");
        assert_untouched(&fixture);
    }
}

#[test]
fn pack_over_limit_is_rejected_without_trace() {
    let (pusher, ids) = pusher(2);
    let pack = pack_of(&pusher, &format!("{}\n", ids[1]), &[]);
    let fixture = Fixture::empty();
    let small = PackLimits { pack_size: 300, ..PackLimits::default() };
    assert!(matches!(receive(&fixture, &pack, small), Err(Error::BodyTooLarge(300))));
    let fine = PackLimits { object_size: 1_000, ..PackLimits::default() };
    let outcome = receive(&fixture, &pack, fine).map(|_| ());
    assert!(matches!(outcome, Err(Error::Unprocessable(_))), "{outcome:?}");
    assert_untouched(&fixture);
}

#[test]
fn compression_bomb_is_rejected() {
    // Sixteen megabytes of zeros in a few kilobytes, first as one blob and then as a delta that repeats its base.
    let zeros = RawObject::blob(vec![0; 16 << 20]).expect("a blob");
    let bomber = Fixture::empty();
    let path = bomber.repository.store(&[zeros]).expect("stored").expect("a pack");
    let fixture = Fixture::empty();
    let limits = PackLimits { object_size: 8 << 20, ..PackLimits::default() };
    let outcome = receive(&fixture, &fs::read(path).expect("a pack"), limits).map(|_| ());
    assert!(matches!(outcome, Err(Error::Unprocessable(_))), "{outcome:?}");

    let outcome = receive(&fixture, &delta_bomb(), limits).map(|_| ()).expect_err("the result is too large");
    assert!(outcome.to_string().contains("is larger than 8388608 bytes"), "{outcome}");
    receive(&fixture, &delta_bomb(), PackLimits { object_size: 256 << 20, ..limits }).map(|_| ()).expect("just fits");

    let memory = Limits { memory: 24 << 20, ..Limits::default() };
    let outcome = receive(&fixture, &delta_bomb(), PackLimits { child: memory, ..limits }).map(|_| ());
    assert!(matches!(outcome, Err(Error::Unprocessable(_))), "{outcome:?}");
    assert_untouched(&fixture);
}

#[test]
fn delta_on_itself_is_rejected() {
    let fixture = Fixture::empty();
    let own_name = [7; 20];
    let outcome =
        receive(&fixture, &pack_with_delta(&own_name, b"\x01\x01\x90\x01"), PackLimits::default()).map(|_| ());
    assert!(matches!(outcome, Err(Error::Unprocessable(_))), "{outcome:?}");
    assert_untouched(&fixture);
}

/// A blob of 64 KiB, and a delta that copies it 4,096 times: 256 MiB.
fn delta_bomb() -> Vec<u8> {
    let base = RawObject::blob(vec![1; 65_536]).expect("a blob");
    let mut delta = vec![0x80, 0x80, 0x04, 0x80, 0x80, 0x80, 0x80, 0x01];
    // Copy from offset 0, size 0x10000 (encoded as no size at all).
    delta.extend(std::iter::repeat_n(0x80u8, 4_096));
    let mut pack = pack_with_delta(base.sha().as_bytes(), &delta);
    let mut entry = vec![0xb0, 0x80, 0x20];
    entry.extend(deflate(base.data()));
    pack.truncate(pack.len() - 20);
    pack[11] = 2;
    pack.splice(12..12, entry);
    with_checksum(pack)
}

fn pack_with_delta(base: &[u8; 20], delta: &[u8]) -> Vec<u8> {
    let mut pack = b"PACK\0\0\0\x02\0\0\0\x01".to_vec();
    let mut rest = delta.len();
    pack.push(0x70 | (rest & 15) as u8);
    rest >>= 4;
    while rest > 0 {
        *pack.last_mut().expect("never empty") |= 0x80;
        pack.push((rest & 0x7f) as u8);
        rest >>= 7;
    }
    pack.extend(base);
    pack.extend(deflate(delta));
    with_checksum(pack)
}

fn deflate(data: &[u8]) -> Vec<u8> {
    let mut out = gix_zlib::stream::deflate::Write::new(Vec::new(), gix_zlib::Compression::DEFAULT);
    std::io::Write::write_all(&mut out, data).expect("writing to memory never fails");
    std::io::Write::flush(&mut out).expect("writing to memory never fails");
    out.into_inner()
}

fn with_checksum(mut pack: Vec<u8>) -> Vec<u8> {
    let mut hasher = gix_hash::hasher(gix_hash::Kind::Sha1);
    hasher.update(&pack);
    pack.extend(hasher.try_finalize().expect("no collision").as_slice());
    pack
}

#[test]
fn too_deep_tree_is_rejected() {
    let hostile = Fixture::empty();
    let mut objects = vec![RawObject::blob("deep").expect("a blob")];
    for _ in 0..5_000 {
        let below = objects.last().expect("never empty");
        let mode: &[u8] = if below.kind() == ObjectKind::Blob { b"100644 " } else { b"40000 " };
        let data = [mode, b"a\0", below.sha().as_bytes()].concat();
        objects.push(RawObject::new(ObjectKind::Tree, data).expect("a tree"));
    }
    let top = objects.last().expect("never empty").sha();
    let path = hostile.repository.store(&objects).expect("stored").expect("a pack");
    let fixture = Fixture::empty();
    let outcome = receive(&fixture, &fs::read(path).expect("a pack"), PackLimits::default())
        .and_then(|quarantine| quarantine.check_connected(&[top], &[]));
    assert!(matches!(outcome, Err(Error::Unprocessable(_))), "{outcome:?}");
    assert_untouched(&fixture);
    let limits = TreeLimits { entries: 10_000, path_bytes: 10_000_000, recursive: true };
    let listed = hostile.repository.reader(&NoObjects).list_tree(&top, limits).expect("readable");
    assert!(listed.expect("a tree").is_truncated);
}

#[test]
fn object_harmful_to_checkout_is_rejected() {
    let fixture = Fixture::empty();
    let blob = RawObject::blob("[submodule \"../x\"]\n\tpath = x\n\turl = --upload-pack=evil\n").expect("a blob");
    let tree = |name: &str| {
        let data = [b"100644 ", name.as_bytes(), b"\0", blob.sha().as_bytes()].concat();
        RawObject::new(ObjectKind::Tree, data).expect("a tree")
    };
    for name in [".git", ".gitmodules", "..", ".GiT"] {
        let hostile = Fixture::empty();
        let path = hostile.repository.store(&[blob.clone(), tree(name)]).expect("stored").expect("a pack");
        let outcome = receive(&fixture, &fs::read(path).expect("a pack"), PackLimits::default()).map(|_| ());
        assert!(matches!(outcome, Err(Error::Unprocessable(_))), "{name}: {outcome:?}");
    }
    assert_untouched(&fixture);
}
