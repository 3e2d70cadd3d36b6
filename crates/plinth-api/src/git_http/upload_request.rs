//! Requests to `git-upload-pack`: the command, the filter of a partial clone, and where a shallow history ends.

use crate::app::App;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{RepoId, Sha};
use plinth_core::refs;
use plinth_git::pkt_line::Packet;
use plinth_git::{ObjectKind, Protocol, RefName};

/// The commands that are supported.
#[derive(Debug, PartialEq, Eq)]
pub enum Command<'a> {
    Nothing,
    /// References, with the arguments of `ls-refs`.
    Refs(Vec<&'a [u8]>),
    Pack(Shallow<'a>),
}

/// The parts of a request for which git needs references: where a shallow history ends, and tags.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Shallow<'a> {
    /// The references of `deepen-not`, in full or short.
    pub not: Vec<&'a str>,
    /// The wanted objects, if the depth is relative to what the client has.
    pub relative_to: Vec<Sha>,
    /// Whether annotated tags of the sent commits are sent, too. Only clients of protocol version 0 depend on it.
    pub includes_tags: bool,
}

/// Parses the command.
pub fn parse<'a>(protocol: Protocol, packets: &[Packet<'a>]) -> Result<Command<'a>> {
    let Some(first) = packets.first().and_then(Packet::as_line) else { return Ok(Command::Nothing) };
    match protocol {
        Protocol::V0 => pack(packets),
        Protocol::V2 => match first {
            b"command=ls-refs" => Ok(Command::Refs(arguments(packets))),
            b"command=fetch" => pack(packets),
            _ => Err(Error::unprocessable("the command is not known here")),
        },
    }
}

fn pack<'a>(packets: &[Packet<'a>]) -> Result<Command<'a>> {
    check_filter(packets)?;
    Ok(Command::Pack(shallow(packets)))
}

/// Protocol version 0 has `deepen-relative` among the capabilities, which come after the first want.
fn shallow<'a>(packets: &[Packet<'a>]) -> Shallow<'a> {
    let mut shallow = Shallow::default();
    let mut is_relative = false;
    for line in packets.iter().filter_map(Packet::as_line).filter_map(|line| std::str::from_utf8(line).ok()) {
        if let Some(name) = line.strip_prefix("deepen-not ") {
            shallow.not.push(name);
        } else if let Some(want) = line.strip_prefix("want ") {
            let mut words = want.split(' ');
            shallow.relative_to.extend(words.next().and_then(|sha| sha.parse::<Sha>().ok()));
            for word in words {
                is_relative |= word == "deepen-relative";
                shallow.includes_tags |= word == "include-tag";
            }
        } else {
            is_relative |= line == "deepen-relative";
        }
    }
    if !is_relative {
        shallow.relative_to.clear();
    }
    shallow
}

/// The lines after the delimiter; the client's capabilities come before it.
fn arguments<'a>(packets: &[Packet<'a>]) -> Vec<&'a [u8]> {
    let after = packets.iter().skip_while(|packet| **packet != Packet::Delimiter).skip(1);
    after.map_while(Packet::as_line).collect()
}

/// The depth up to which trees may be asked for. Git walks a tree again for each depth at which it meets it, so a
/// greater depth costs more than the whole clone.
const TREE_DEPTH_MAX: u32 = 16;

/// Rejects a request with a filter that is not offered: only those are that cost git no more than a whole clone.
/// Several filters are rejected, because git would combine them.
///
/// `sparse:oid` matches every path against patterns of the client's choice, and `combine` runs as many filters over
/// each object as the client likes, which burns a core for as long as a clone may take.
fn check_filter(packets: &[Packet<'_>]) -> Result<()> {
    let lines = packets.iter().filter_map(Packet::as_line);
    let mut filters = lines.filter_map(|line| line.strip_prefix(b"filter "));
    let Some(first) = filters.next() else { return Ok(()) };
    if filters.next().is_some() {
        return Err(Error::unprocessable("a request can have one filter"));
    }
    if is_offered(first) {
        return Ok(());
    }
    Err(Error::unprocessable(format!(
        "the filter is not offered here; use blob:none, blob:limit=<size> or tree:<depth> with a depth up to \
         {TREE_DEPTH_MAX}"
    )))
}

fn is_offered(filter: &[u8]) -> bool {
    let Ok(filter) = std::str::from_utf8(filter) else { return false };
    if let Some(size) = filter.strip_prefix("blob:limit=") {
        let digits = size.strip_suffix(['k', 'K', 'm', 'M', 'g', 'G']).unwrap_or(size);
        return number(digits).is_some();
    }
    if let Some(depth) = filter.strip_prefix("tree:") {
        return number(depth).is_some_and(|depth| depth <= u64::from(TREE_DEPTH_MAX));
    }
    filter == "blob:none"
}

/// Decimal digits alone: git would read other bases too.
fn number(digits: &str) -> Option<u64> {
    let is_decimal = digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    is_decimal.then(|| digits.parse().ok()).flatten()
}

/// References that `deepen-not` may name; clients name a few.
const DEEPEN_NOT_MAX: usize = 100;

/// Tags that git considers for `include-tag`. With more, it gets none, and clients request the tags that they need.
const INCLUDED_TAGS_MAX: u16 = 1_000;

/// The references that git needs, because it finds none on disk: those that `deepen-not` names, in full or short, one for
/// each wanted object where the depth is relative, and the annotated tags for `include-tag`.
pub async fn shallow_refs(app: &App, repo: RepoId, shallow: &Shallow<'_>) -> Result<Vec<(RefName, Sha)>> {
    let wanted = shallow.relative_to.iter().enumerate();
    let mut names: Vec<(RefName, Sha)> = wanted
        .filter_map(|(number, sha)| Some((RefName::parse(&format!("refs/plinth/want/{number}")).ok()?, *sha)))
        .collect();
    let mut db = app.read().await?;
    if shallow.not.len() > DEEPEN_NOT_MAX {
        return Err(Error::unprocessable("deepen-not names too many references"));
    }
    for name in &shallow.not {
        let before = names.len();
        for prefix in ["", "refs/", "refs/tags/", "refs/heads/"] {
            let Ok(full) = RefName::parse(&format!("{prefix}{name}")) else { continue };
            let found = refs::store::find(&mut db, repo, &full).await?;
            names.extend(found.map(|reference| (reference.name, reference.target)));
        }
        if names.len() == before {
            return Err(Error::unprocessable("the reference of deepen-not does not exist"));
        }
    }
    if shallow.includes_tags {
        let tags = refs::store::list(&mut db, repo, "refs/tags/", "", i64::from(INCLUDED_TAGS_MAX) + 1).await?;
        if tags.len() <= usize::from(INCLUDED_TAGS_MAX) {
            let annotated = tags.into_iter().filter(|reference| reference.kind == ObjectKind::Tag);
            names.extend(annotated.map(|reference| (reference.name, reference.target)));
        }
    }
    // A ref that `deepen-not` names may be a tag.
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_distinguishes_commands() {
        let data = |line: &'static str| Packet::Data(line.as_bytes());
        let refs = [data("command=ls-refs\n"), data("agent=git/2"), Packet::Delimiter, data("peel\n"), Packet::Flush];
        assert_eq!(parse(Protocol::V2, &refs).expect("known"), Command::Refs(vec![b"peel"]));
        let pack = |shallow| Command::Pack(shallow);
        assert_eq!(parse(Protocol::V2, &[data("command=fetch")]).expect("known"), pack(Shallow::default()));
        assert!(parse(Protocol::V2, &[data("command=push")]).is_err());
        assert_eq!(parse(Protocol::V0, &[data("want x")]).expect("known"), pack(Shallow::default()));
        assert_eq!(parse(Protocol::V0, &[Packet::Flush]).expect("known"), Command::Nothing);
        assert_eq!(parse(Protocol::V2, &[]).expect("known"), Command::Nothing);
    }

    #[test]
    fn shallow_needs_references_only_for_deepen_not_and_relative_depth() {
        const A: &str = "want a94a8fe5ccb19ba61c4c0873d391e987982fbbd3";
        let older = format!("{A} ofs-delta deepen-relative agent=git/2\n");
        let wants = vec![A[5..].parse().expect("a name")];
        for lines in [&[older.as_str(), "deepen 2\n"][..], &["command=fetch", A, "deepen-relative", "deepen 2"]] {
            let packets: Vec<Packet<'_>> = lines.iter().map(|line| Packet::Data(line.as_bytes())).collect();
            assert_eq!(
                shallow(&packets),
                Shallow { not: Vec::new(), relative_to: wants.clone(), includes_tags: false }
            );
        }
        let packets = [Packet::Data(A.as_bytes()), Packet::Data(b"deepen-not main\n")];
        assert_eq!(shallow(&packets), Shallow { not: vec!["main"], ..Shallow::default() });
        let tags = format!("{A} include-tag agent=git/2\n");
        assert!(shallow(&[Packet::Data(tags.as_bytes())]).includes_tags);
    }

    fn is_accepted(lines: &[&[u8]]) -> bool {
        let packets: Vec<Packet<'_>> = lines.iter().map(|line| Packet::Data(line)).collect();
        check_filter(&packets).is_ok()
    }

    #[test]
    fn check_filter_accepts_one_of_three_filters() {
        for good in
            ["blob:none", "blob:limit=0", "blob:limit=10", "blob:limit=1k", "blob:limit=2G", "tree:0", "tree:16"]
        {
            assert!(is_accepted(&[b"command=fetch", format!("filter {good}\n").as_bytes()]), "{good}");
        }
        for bad in [
            "",
            "blob:limit=",
            "blob:limit=-1",
            "blob:limit=1t",
            "blob:limit=k",
            "blob:limit=99999999999999999999",
            "blob:nonee",
            "tree:17",
            "tree:020",
            "tree:0x0",
            "tree:-1",
            "tree: 1",
            "sparse:oid=main:filter",
            "sparse:path=a",
            "combine:blob:none+tree:1",
            "object:type=blob",
            "auto",
        ] {
            assert!(!is_accepted(&[b"command=fetch", format!("filter {bad}\n").as_bytes()]), "{bad}");
        }
        assert!(!is_accepted(&[b"filter blob:none", b"filter tree:0"]));
        assert!(!is_accepted(&[b"filter \xff"]));
        assert!(is_accepted(&[b"command=fetch", b"want x"]));
    }
}
