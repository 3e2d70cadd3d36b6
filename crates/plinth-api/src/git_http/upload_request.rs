//! What a request to `git-upload-pack` asks for.

use super::filter;
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;
use plinth_git::Protocol;
use plinth_git::pkt_line::Packet;

/// The questions that we answer.
#[derive(Debug, PartialEq, Eq)]
pub enum Asked<'a> {
    Nothing,
    /// References, with the arguments of the question.
    Refs(Vec<&'a [u8]>),
    Pack(Cut<'a>),
}

/// Where a history shall end, as far as git needs to know names for it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Cut<'a> {
    /// Names, long or short, at which it shall end.
    pub not: Vec<&'a str>,
    /// What is wanted, where the depth counts from the end of what the client has already.
    pub relative_to: Vec<Sha>,
}

/// Tells the questions apart.
pub fn parse<'a>(protocol: Protocol, packets: &[Packet<'a>]) -> Result<Asked<'a>> {
    let Some(first) = packets.first().and_then(Packet::as_line) else { return Ok(Asked::Nothing) };
    match protocol {
        Protocol::V0 => pack(packets),
        Protocol::V2 => match first {
            b"command=ls-refs" => Ok(Asked::Refs(arguments(packets))),
            b"command=fetch" => pack(packets),
            _ => Err(Error::unprocessable("the command is not known here")),
        },
    }
}

fn pack<'a>(packets: &[Packet<'a>]) -> Result<Asked<'a>> {
    filter::check(packets)?;
    Ok(Asked::Pack(cut(packets)))
}

/// The older protocol has the word for relative depth among the capabilities, which stand behind the first want.
fn cut<'a>(packets: &[Packet<'a>]) -> Cut<'a> {
    let mut cut = Cut::default();
    let mut is_relative = false;
    for line in packets.iter().filter_map(Packet::as_line).filter_map(|line| std::str::from_utf8(line).ok()) {
        if let Some(name) = line.strip_prefix("deepen-not ") {
            cut.not.push(name);
        } else if let Some(want) = line.strip_prefix("want ") {
            let mut words = want.split(' ');
            cut.relative_to.extend(words.next().and_then(|sha| sha.parse::<Sha>().ok()));
            is_relative |= words.any(|word| word == "deepen-relative");
        } else {
            is_relative |= line == "deepen-relative";
        }
    }
    if !is_relative {
        cut.relative_to.clear();
    }
    cut
}

/// What stands between the delimiter and the end; capabilities of the client come before it.
fn arguments<'a>(packets: &[Packet<'a>]) -> Vec<&'a [u8]> {
    let after = packets.iter().skip_while(|packet| **packet != Packet::Delimiter).skip(1);
    after.map_while(Packet::as_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_told_apart() {
        let data = |line: &'static str| Packet::Data(line.as_bytes());
        let refs = [data("command=ls-refs\n"), data("agent=git/2"), Packet::Delimiter, data("peel\n"), Packet::Flush];
        assert_eq!(parse(Protocol::V2, &refs).expect("known"), Asked::Refs(vec![b"peel"]));
        let pack = |cut| Asked::Pack(cut);
        assert_eq!(parse(Protocol::V2, &[data("command=fetch")]).expect("known"), pack(Cut::default()));
        assert!(parse(Protocol::V2, &[data("command=push")]).is_err());
        assert_eq!(parse(Protocol::V0, &[data("want x")]).expect("known"), pack(Cut::default()));
        assert_eq!(parse(Protocol::V0, &[Packet::Flush]).expect("known"), Asked::Nothing);
        assert_eq!(parse(Protocol::V2, &[]).expect("known"), Asked::Nothing);
    }

    #[test]
    fn names_are_needed_only_where_a_history_is_cut_off() {
        const A: &str = "want a94a8fe5ccb19ba61c4c0873d391e987982fbbd3";
        let older = format!("{A} ofs-delta deepen-relative agent=git/2\n");
        let wants = vec![A[5..].parse().expect("a name")];
        for lines in [&[older.as_str(), "deepen 2\n"][..], &["command=fetch", A, "deepen-relative", "deepen 2"]] {
            let packets: Vec<Packet<'_>> = lines.iter().map(|line| Packet::Data(line.as_bytes())).collect();
            assert_eq!(cut(&packets), Cut { not: Vec::new(), relative_to: wants.clone() });
        }
        let packets = [Packet::Data(A.as_bytes()), Packet::Data(b"deepen-not main\n")];
        assert_eq!(cut(&packets), Cut { not: vec!["main"], relative_to: Vec::new() });
    }
}
