//! The references of a repository, page by page, so that memory does not grow with their number; and the prefixes that
//! a client filters them by.

use std::collections::VecDeque;

use crate::app::App;
use plinth_base::error::Result;
use plinth_base::ids::{RepoId, Sha};
use plinth_core::refs::{self, Ref};
use plinth_git::{ObjectKind, Reader, RefName};

const PAGE_LENGTH: i64 = 1_000;

/// Whether annotated tags are peeled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peeling {
    Peel,
    Leave,
}

/// A reference, and the object that its tag peels to if that was requested.
#[derive(Debug)]
pub struct Listed {
    pub reference: Ref,
    pub peeled: Option<Sha>,
}

/// The pages that are left. Each has the references as they are when it is read.
pub struct RefPages {
    app: App,
    repo: RepoId,
    peeling: Peeling,
    prefixes: Prefixes,
    queries: VecDeque<String>,
    after: String,
}

impl RefPages {
    /// Names that begin with any of the prefixes, each once and in order.
    pub fn new(app: &App, repo: RepoId, prefixes: Prefixes, peeling: Peeling) -> Self {
        let queries = prefixes.queries().into();
        Self { app: app.clone(), repo, peeling, prefixes, queries, after: String::new() }
    }

    /// The next page, or `None` after the last one.
    pub async fn next(&mut self) -> Result<Option<Vec<Listed>>> {
        while let Some(prefix) = self.queries.front() {
            let mut db = self.app.read().await?;
            let mut page = refs::store::list(&mut db, self.repo, prefix, &self.after, PAGE_LENGTH).await?;
            drop(db);
            match page.last() {
                Some(last) => self.after = last.name.to_string(),
                None => {
                    self.queries.pop_front();
                    continue;
                }
            }
            page.retain(|reference| self.prefixes.cover(reference.name.as_str()));
            if !page.is_empty() {
                return Ok(Some(self.peel(page).await?));
            }
        }
        Ok(None)
    }

    async fn peel(&self, page: Vec<Ref>) -> Result<Vec<Listed>> {
        let has_tags = page.iter().any(|reference| reference.kind == ObjectKind::Tag);
        if self.peeling == Peeling::Leave || !has_tags {
            return Ok(page.into_iter().map(|reference| Listed { reference, peeled: None }).collect());
        }
        self.app.objects.read(self.repo, move |reader| peel_all(reader, page)).await
    }
}

fn peel_all(reader: &Reader<'_>, page: Vec<Ref>) -> Result<Vec<Listed>> {
    let peel = |reference: Ref| {
        let peeled = match reference.kind {
            ObjectKind::Tag => reader.peel(&reference.target)?.map(|(sha, _)| sha),
            ObjectKind::Commit | ObjectKind::Tree | ObjectKind::Blob => None,
        };
        Ok(Listed { reference, peeled })
    };
    page.into_iter().map(peel).collect()
}

/// The target of `HEAD`: the default branch, which may not exist yet.
pub struct Head {
    pub branch: RefName,
    pub target: Option<Sha>,
}

impl Head {
    /// `None` if the name of the default branch is not valid.
    pub async fn find(app: &App, repo: RepoId, default_branch: &str) -> Result<Option<Self>> {
        let Ok(branch) = RefName::parse(&format!("refs/heads/{default_branch}")) else { return Ok(None) };
        let mut db = app.read().await?;
        let found = refs::store::find(&mut db, repo, &branch).await?;
        Ok(Some(Self { target: found.map(|reference| reference.target), branch }))
    }
}

/// Prefixes with a query each. With more, all names are read and compared, which bounds the cost.
const QUERIES_MAX: usize = 64;

/// Prefixes of reference names, sorted, none of which covers another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefixes(Vec<String>);

impl Prefixes {
    /// The empty prefix, which every name has.
    pub fn all() -> Self {
        Self(vec![String::new()])
    }

    pub fn new(mut prefixes: Vec<String>) -> Self {
        prefixes.sort_unstable();
        prefixes.dedup_by(|later, earlier| later.starts_with(earlier.as_str()));
        Self(prefixes)
    }

    /// Whether a name has one of the prefixes: only the last one that sorts before it can match.
    pub fn cover(&self, name: &str) -> bool {
        let behind = self.0.partition_point(|prefix| prefix.as_str() <= name);
        self.0[..behind].last().is_some_and(|prefix| name.starts_with(prefix.as_str()))
    }

    /// The prefixes to query. The names found must still be compared with all prefixes.
    pub fn queries(&self) -> Vec<String> {
        if self.0.len() <= QUERIES_MAX { self.0.clone() } else { vec![String::new()] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_drop_what_another_one_covers() {
        let given = ["refs/tags/", "refs/heads/main", "refs/heads/", "refs/heads/main", "HEAD"];
        let prefixes = Prefixes::new(given.map(str::to_owned).to_vec());
        assert_eq!(prefixes.queries(), ["HEAD", "refs/heads/", "refs/tags/"]);
        assert_eq!(Prefixes::new(vec!["a".into(), String::new()]), Prefixes::all());
    }

    #[test]
    fn prefixes_cover_names_that_begin_with_one() {
        let prefixes =
            Prefixes::new(["HEAD", "refs/heads/a", "refs/heads/b/", "refs/tags/"].map(str::to_owned).to_vec());
        for name in ["HEAD", "refs/heads/a", "refs/heads/abc", "refs/heads/b/c", "refs/tags/v1"] {
            assert!(prefixes.cover(name), "{name}");
        }
        for name in ["", "HEA", "refs/heads/", "refs/heads/b", "refs/heads/c", "refs/zoo"] {
            assert!(!prefixes.cover(name), "{name}");
        }
        assert!(Prefixes::all().cover("HEAD") && Prefixes::all().cover(""));
    }

    #[test]
    fn many_prefixes_become_one_query() {
        let many = |count: usize| Prefixes::new((0..count).map(|number| format!("refs/heads/{number}-")).collect());
        assert_eq!(many(QUERIES_MAX).queries().len(), QUERIES_MAX);
        assert_eq!(many(QUERIES_MAX + 1).queries(), [""]);
    }
}
