//! The newer protocol's question for references, answered from the store.

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;

use super::prefixes::Prefixes;
use super::ref_pages::{Head, Listed, Peeling, RefPages};
use crate::app::App;
use plinth_base::error::{Error, Result};
use plinth_core::repos::Repo;
use plinth_git::pkt_line;

/// Prefixes that are looked at. Beyond that, as in git itself, all names are listed: the client takes from them what it
/// wants.
const PREFIXES_MAX: usize = 4_096;

/// What the client wants to know.
#[derive(Debug, PartialEq, Eq)]
pub struct Question {
    peeling: Peeling,
    symrefs: bool,
    unborn: bool,
    prefixes: Prefixes,
}

impl Question {
    /// Reads the arguments; the specification has unknown ones refused.
    pub fn parse(arguments: &[&[u8]]) -> Result<Self> {
        let mut given = Vec::new();
        let mut question = Self { peeling: Peeling::Leave, symrefs: false, unborn: false, prefixes: Prefixes::all() };
        for argument in arguments {
            match *argument {
                b"peel" => question.peeling = Peeling::Peel,
                b"symrefs" => question.symrefs = true,
                b"unborn" => question.unborn = true,
                other => match other.strip_prefix(b"ref-prefix ").map(std::str::from_utf8) {
                    Some(Ok(prefix)) => given.push(prefix),
                    // No name of ours is anything but UTF-8; an empty answer is the right one.
                    Some(Err(_)) => given.push("\0"),
                    None => return Err(Error::unprocessable("ls-refs has an argument that is not known here")),
                },
            }
        }
        if !given.is_empty() && given.len() <= PREFIXES_MAX {
            question.prefixes = Prefixes::new(given.into_iter().map(str::to_owned).collect());
        }
        Ok(question)
    }

    fn asks_for_head(&self) -> bool {
        self.prefixes.cover("HEAD")
    }
}

/// The answer as a stream of pages.
pub async fn answer(app: &App, repo: &Repo, question: Question) -> Result<Body> {
    let mut beginning = Vec::new();
    if question.asks_for_head()
        && let Some(head) = Head::find(app, repo.id, &repo.default_branch).await?
    {
        put_head(&mut beginning, &head, &question);
    }
    let pages = RefPages::new(app, repo.id, question.prefixes, question.peeling);
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

fn put_head(out: &mut Vec<u8>, head: &Head, question: &Question) {
    let symref = if question.symrefs { format!(" symref-target:{}", head.branch) } else { String::new() };
    match head.target {
        Some(target) => pkt_line::put_line(out, &format!("{target} HEAD{symref}")),
        None if question.unborn => pkt_line::put_line(out, &format!("unborn HEAD{symref}")),
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
    fn arguments_are_read_and_unknown_ones_refused() {
        let question = Question::parse(&[b"peel", b"symrefs", b"ref-prefix refs/heads/", b"ref-prefix HE"]);
        let question = question.expect("known arguments");
        assert!(question.peeling == Peeling::Peel && question.symrefs && !question.unborn);
        assert!(question.asks_for_head());
        assert!(!Question::parse(&[b"ref-prefix refs/"]).expect("known").asks_for_head());
        assert!(Question::parse(&[]).expect("nothing").asks_for_head());
        assert!(Question::parse(&[b"refs"]).is_err());
    }

    #[test]
    fn too_many_prefixes_count_as_none() {
        let prefixes: Vec<String> =
            (0..=PREFIXES_MAX).map(|number| format!("ref-prefix refs/heads/{number}")).collect();
        let arguments: Vec<&[u8]> = prefixes.iter().map(String::as_bytes).collect();
        let all = Question::parse(&arguments).expect("known arguments");
        assert_eq!(all.prefixes, Prefixes::all());
        let some = Question::parse(&arguments[1..]).expect("known arguments");
        assert!(!some.prefixes.cover("refs/tags/a") && some.prefixes.cover("refs/heads/4096"));
    }
}
