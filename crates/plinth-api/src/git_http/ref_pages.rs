//! The references of a repository, page by page, so that memory does not grow with their number.

use std::collections::VecDeque;

use super::prefixes::Prefixes;
use crate::app::App;
use plinth_base::error::Result;
use plinth_base::ids::{RepoId, Sha};
use plinth_core::refs::{self, Ref};
use plinth_git::{ObjectKind, Reader, RefName};

const PAGE_LENGTH: i64 = 1_000;

/// Whether tags are followed to what they tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peeling {
    Peel,
    Leave,
}

/// A reference, and what its tag tags where that was asked for.
#[derive(Debug)]
pub struct Listed {
    pub reference: Ref,
    pub peeled: Option<Sha>,
}

/// What is left to list. Each page shows the names as they are when it is read.
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

    /// The next page, or nothing when all are listed.
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

/// What `HEAD` stands for: the default branch, which need not exist yet.
pub struct Head {
    pub branch: RefName,
    pub target: Option<Sha>,
}

impl Head {
    /// Nothing where the default branch has a name that no branch can have.
    pub async fn find(app: &App, repo: RepoId, default_branch: &str) -> Result<Option<Self>> {
        let Ok(branch) = RefName::parse(&format!("refs/heads/{default_branch}")) else { return Ok(None) };
        let mut db = app.read().await?;
        let found = refs::store::find(&mut db, repo, &branch).await?;
        Ok(Some(Self { target: found.map(|reference| reference.target), branch }))
    }
}
