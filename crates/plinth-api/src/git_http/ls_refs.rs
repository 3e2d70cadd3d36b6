//! The command `ls-refs` of protocol version 2, from the references in the store.

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;

use super::ref_pages::{Head, Listed, Peeling, Prefixes, RefPages};
use crate::app::App;
use plinth_base::error::{Error, Result};
use plinth_core::repos::Repo;
use plinth_git::pkt_line;

/// Prefixes that are used. With more, all references are listed, as git itself does: the client picks those that it
/// wants.
const PREFIXES_MAX: usize = 4_096;

/// The arguments of the command.
#[derive(Debug, PartialEq, Eq)]
pub struct LsRefs {
    peeling: Peeling,
    symrefs: bool,
    unborn: bool,
    prefixes: Prefixes,
}

impl LsRefs {
    /// Parses the arguments; the specification requires to reject unknown ones.
    pub fn parse(arguments: &[&[u8]]) -> Result<Self> {
        let mut given = Vec::new();
        let mut command = Self { peeling: Peeling::Leave, symrefs: false, unborn: false, prefixes: Prefixes::all() };
        for argument in arguments {
            match *argument {
                b"peel" => command.peeling = Peeling::Peel,
                b"symrefs" => command.symrefs = true,
                b"unborn" => command.unborn = true,
                other => match other.strip_prefix(b"ref-prefix ").map(std::str::from_utf8) {
                    Some(Ok(prefix)) => given.push(prefix),
                    // All names are UTF-8, so nothing matches.
                    Some(Err(_)) => given.push("\0"),
                    None => return Err(Error::unprocessable("ls-refs has an argument that is not known here")),
                },
            }
        }
        if !given.is_empty() && given.len() <= PREFIXES_MAX {
            command.prefixes = Prefixes::new(given.into_iter().map(str::to_owned).collect());
        }
        Ok(command)
    }

    fn includes_head(&self) -> bool {
        self.prefixes.cover("HEAD")
    }
}

/// The response, as a stream of pages.
pub async fn respond(app: &App, repo: &Repo, command: LsRefs) -> Result<Body> {
    let mut beginning = Vec::new();
    if command.includes_head()
        && let Some(head) = Head::find(app, repo.id, &repo.default_branch).await?
    {
        put_head(&mut beginning, &head, &command);
    }
    let pages = RefPages::new(app, repo.id, command.prefixes, command.peeling);
    Ok(Body::from_stream(stream::try_unfold(Some((beginning, pages)), |state| async move {
        let Some((mut out, mut pages)) = state else { return Ok::<_, Error>(None) };
        let Some(page) = pages.next().await? else {
            pkt_line::put_flush(&mut out);
            return Ok(Some((Bytes::from(out), None)));
        };
        page.iter().for_each(|listed| put(&mut out, listed));
        Ok(Some((Bytes::from(out), Some((Vec::new(), pages)))))
    })))
}

fn put_head(out: &mut Vec<u8>, head: &Head, command: &LsRefs) {
    let symref = if command.symrefs { format!(" symref-target:{}", head.branch) } else { String::new() };
    match head.target {
        Some(target) => pkt_line::put_line(out, &format!("{target} HEAD{symref}")),
        None if command.unborn => pkt_line::put_line(out, &format!("unborn HEAD{symref}")),
        None => {}
    }
}

fn put(out: &mut Vec<u8>, Listed { reference, peeled }: &Listed) {
    let peeled = peeled.map(|sha| format!(" peeled:{sha}")).unwrap_or_default();
    pkt_line::put_line(out, &format!("{} {}{peeled}", reference.target, reference.name));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_rejects_unknown_arguments() {
        let command = LsRefs::parse(&[b"peel", b"symrefs", b"ref-prefix refs/heads/", b"ref-prefix HE"]);
        let command = command.expect("known arguments");
        assert!(command.peeling == Peeling::Peel && command.symrefs && !command.unborn);
        assert!(command.includes_head());
        assert!(!LsRefs::parse(&[b"ref-prefix refs/"]).expect("known").includes_head());
        assert!(LsRefs::parse(&[]).expect("nothing").includes_head());
        assert!(LsRefs::parse(&[b"refs"]).is_err());
    }

    #[test]
    fn too_many_prefixes_are_ignored() {
        let prefixes: Vec<String> =
            (0..=PREFIXES_MAX).map(|number| format!("ref-prefix refs/heads/{number}")).collect();
        let arguments: Vec<&[u8]> = prefixes.iter().map(String::as_bytes).collect();
        let all = LsRefs::parse(&arguments).expect("known arguments");
        assert_eq!(all.prefixes, Prefixes::all());
        let some = LsRefs::parse(&arguments[1..]).expect("known arguments");
        assert!(!some.prefixes.cover("refs/tags/a") && some.prefixes.cover("refs/heads/4096"));
    }
}
