//! Packet lines, the commands of a push, and requests to `git-upload-pack`.

use plinth_api::git_http::{Commands, LsRefs, UploadRequest, parse_upload_request};
use plinth_git::Protocol;
use plinth_git::pkt_line::{self, Packet};

use crate::Target;
use crate::input::first;

const A: &str = "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3";
const NO_OBJECT: &str = "0000000000000000000000000000000000000000";

/// What is taken from memory equals what is read from a stream, and what is written back.
pub const PKT_LINE: Target = Target {
    name: "pkt-line",
    seeds: || vec![b"0006a\n0001000200040000".to_vec(), b"000Aabcdef0000PACK".to_vec(), b"00030005".to_vec()],
    check: |data| {
        let (mut rest, mut stream) = (data, data);
        let mut buffer = Vec::new();
        let mut written = Vec::new();
        loop {
            let before = rest;
            let taken = pkt_line::take(&mut rest);
            match (taken, pkt_line::read(&mut stream, &mut buffer)) {
                (Ok(Some(packet)), Ok(read)) => {
                    assert_eq!(packet, read);
                    assert_eq!(rest, stream);
                    assert!(rest.len() < before.len());
                    put(&mut written, packet);
                }
                (Ok(None) | Err(_), Err(_)) => break,
                (taken, read) => panic!("{taken:?} is not {read:?}"),
            }
        }
        let consumed = &data[..data.len() - rest.len()];
        assert!(written.eq_ignore_ascii_case(consumed), "packets are written as they are read");
        let mut long = Vec::new();
        pkt_line::put_band(&mut long, pkt_line::Band::Data, data);
        assert!(data.is_empty() || long.len() > data.len());
    },
};

fn put(out: &mut Vec<u8>, packet: Packet<'_>) {
    match packet {
        Packet::Data(data) => pkt_line::put_data(out, data),
        Packet::Flush => pkt_line::put_flush(out),
        Packet::Delimiter => pkt_line::put_delimiter(out),
        Packet::ResponseEnd => out.extend_from_slice(b"0002"),
    }
}

/// Commands that were read are read again from their own lines, and the pack after them is left alone.
pub const PUSH_COMMANDS: Target = Target {
    name: "push-commands",
    seeds: || {
        let mut push = Vec::new();
        pkt_line::put_line(&mut push, &format!("shallow {A}"));
        let capabilities = "report-status-v2 side-band-64k atomic object-format=sha1 agent=git/2";
        pkt_line::put_line(&mut push, &format!("{NO_OBJECT} {A} refs/heads/main\0{capabilities}"));
        pkt_line::put_line(&mut push, &format!("{A} {NO_OBJECT} refs/tags/v1"));
        pkt_line::put_flush(&mut push);
        push.extend_from_slice(b"PACK");
        let mut refused = Vec::new();
        pkt_line::put_line(&mut refused, "push-cert\0push-options");
        vec![push, refused, b"0000".to_vec()]
    },
    check: |data| {
        let mut rest = data;
        let Ok(commands) = Commands::read(&mut rest) else { return };
        let consumed = &data[..data.len() - rest.len()];
        assert!(consumed.ends_with(b"0000"), "the commands end with a flush packet");
        let mut again = Vec::new();
        for command in &commands.list {
            let name = |sha: Option<plinth_base::ids::Sha>| sha.map_or(NO_OBJECT.to_owned(), |sha| sha.to_string());
            let line = format!("{} {} {}", name(command.old), name(command.new), command.name);
            // A replacement character is longer than the byte that it replaces.
            if line.len() < pkt_line::DATA_MAX {
                pkt_line::put_line(&mut again, &line);
            }
        }
        pkt_line::put_flush(&mut again);
        let repeated = Commands::read(&mut again.as_slice()).expect("written as git does").list;
        if repeated.len() == commands.list.len() {
            assert_eq!(repeated, commands.list);
        }
        assert_eq!(commands.needs_pack(), commands.list.iter().any(|command| command.new.is_some()));
    },
};

/// The first byte is the protocol version. A request that passes has at most one filter, and one that git offers.
pub const UPLOAD_REQUEST: Target = Target {
    name: "upload-request",
    seeds: || {
        let request = |version: u8, lines: &[&str]| {
            let mut out = vec![version];
            for line in lines {
                match *line {
                    "0000" => pkt_line::put_flush(&mut out),
                    "0001" => pkt_line::put_delimiter(&mut out),
                    line => pkt_line::put_line(&mut out, line),
                }
            }
            out
        };
        let want = format!("want {A} ofs-delta deepen-relative agent=git/2");
        vec![
            request(
                2,
                &["command=ls-refs", "agent=git/2", "0001", "peel", "symrefs", "unborn", "ref-prefix refs/h", "0000"],
            ),
            request(
                2,
                &["command=fetch", "0001", &want[..45], "deepen-not main", "filter blob:limit=10k", "done", "0000"],
            ),
            request(2, &["command=fetch", "0001", "filter tree:16", "deepen-relative", "deepen 2", "0000"]),
            request(0, &[&want, "filter blob:none", "deepen 1", "0000", "have x", "done"]),
        ]
    },
    check: |data| {
        let (version, mut rest) = first(data);
        let protocol = if version == 2 { Protocol::V2 } else { Protocol::V0 };
        let mut packets = Vec::new();
        while let Ok(Some(packet)) = pkt_line::take(&mut rest) {
            packets.push(packet);
        }
        match parse_upload_request(protocol, &packets) {
            Ok(UploadRequest::Refs(arguments)) => {
                assert_eq!(protocol, Protocol::V2);
                let _ = LsRefs::parse(&arguments);
            }
            Ok(UploadRequest::Pack(shallow)) => {
                let lines = packets.iter().filter_map(Packet::as_line);
                let filters: Vec<&[u8]> = lines.filter_map(|line| line.strip_prefix(b"filter ")).collect();
                assert!(filters.len() <= 1);
                for filter in filters {
                    let offered = [&b"blob:none"[..], b"blob:limit=", b"tree:"];
                    assert!(offered.iter().any(|prefix| filter.starts_with(prefix)), "{filter:?}");
                    assert!(
                        filter.iter().all(|byte| byte.is_ascii_alphanumeric() || b":=".contains(byte)),
                        "{filter:?}"
                    );
                }
                assert!(shallow.not.len() + shallow.relative_to.len() <= packets.len());
            }
            Ok(UploadRequest::Nothing) => assert!(packets.first().and_then(Packet::as_line).is_none()),
            Err(_) => {}
        }
    },
};
