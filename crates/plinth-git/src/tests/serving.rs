//! Fetches are served from packs alone, and nothing in a repository is run.

use std::fs;
use std::path::Path;

use super::receiving::{pack_of, pusher, receive};
use super::support::Fixture;
use crate::{Limits, PackLimits, Protocol};
use plinth_base::ids::Sha;

#[test]
fn planted_hooks_and_config_are_never_run() {
    let (pusher, ids) = pusher(2);
    let fixture = Fixture::empty();
    let canary = fixture.data.path().join("canary");
    let directory = &fixture.repository.directory;
    let script = format!("#!/bin/sh\ntouch {}\n", canary.display());
    for hook in ["post-index-change", "pre-receive", "reference-transaction", "fsmonitor"] {
        plant(&directory.join("hooks"), hook, &script);
    }
    let monitor = directory.join("hooks/fsmonitor");
    let config = format!(
        "[core]\n\tbare = true\n\tfsmonitor = {0}\n\tpager = {0}\n\tsshCommand = {0}\n[uploadpack]\n\tpackObjectsHook = {0}\n",
        monitor.display()
    );
    fs::write(directory.join("config"), config).expect("planted");
    let pack = pack_of(&pusher, &format!("{}\n", ids[1]), &[]);
    let quarantine = receive(&fixture, &pack, PackLimits::default()).expect("a good pack");
    quarantine.check_connected(&[ids[1]], &[]).expect("complete");
    quarantine.accept().expect("accepted");
    fixture.repository.write_commit_graph(&[ids[1]], crate::GraphLayers::Keep).expect("written");
    fixture.repository.repack(&[ids[1]], std::time::Duration::ZERO).expect("repacked");
    let fetched = fetch(&fixture, Protocol::V2, ids[1]);
    assert!(!fetched.is_empty() && !canary.exists());
}

fn plant(directory: &Path, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs::create_dir_all(directory).expect("a directory");
    fs::write(directory.join(name), script).expect("planted");
    fs::set_permissions(directory.join(name), fs::Permissions::from_mode(0o755)).expect("executable");
}

/// Fetches a tip, without refs on either side; returns the pack.
fn fetch(fixture: &Fixture, protocol: Protocol, tip: Sha) -> Vec<u8> {
    use crate::pkt_line;
    use std::io::{Read, Write};
    let mut request = Vec::new();
    match protocol {
        Protocol::V0 => {
            pkt_line::put_line(&mut request, &format!("want {tip} ofs-delta"));
            pkt_line::put_flush(&mut request);
        }
        Protocol::V2 => {
            pkt_line::put_line(&mut request, "command=fetch");
            pkt_line::put_delimiter(&mut request);
            pkt_line::put_line(&mut request, &format!("want {tip}"));
        }
    }
    pkt_line::put_line(&mut request, "done");
    if protocol == Protocol::V2 {
        pkt_line::put_flush(&mut request);
    }
    let mut served = fixture.repository.upload_pack(protocol, Limits::default(), &[]).expect("git starts");
    served.stdin.write_all(&request).expect("fed");
    drop(served.stdin);
    let mut response = Vec::new();
    served.stdout.read_to_end(&mut response).expect("read");
    drop(served.stdout);
    served.child.wait().expect("it ends well");
    match protocol {
        Protocol::V0 => response[8..].to_vec(),
        Protocol::V2 => unband(&response),
    }
}

fn unband(mut response: &[u8]) -> Vec<u8> {
    use crate::pkt_line::{Packet, take};
    let mut pack = Vec::new();
    while let Some(packet) = take(&mut response).expect("packets") {
        if let Packet::Data([1, data @ ..]) = packet {
            pack.extend_from_slice(data);
        }
    }
    pack
}

#[test]
fn fetch_needs_no_refs_on_disk() {
    let (pusher, ids) = pusher(3);
    for protocol in [Protocol::V0, Protocol::V2] {
        let fixture = Fixture::empty();
        let pack = fetch(&pusher, protocol, ids[2]);
        let quarantine = receive(&fixture, &pack, PackLimits::default()).expect("a good pack");
        quarantine.check_connected(&[ids[2]], &[]).expect("complete");
    }
}
