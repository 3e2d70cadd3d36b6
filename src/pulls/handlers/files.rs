//! The files of a pull request.

use axum::extract::State;
use serde::Serialize;

use super::find;
use crate::api::access::table::ListPullFiles;
use crate::api::access::{Allowed, RepoTarget};
use crate::api::page::Page;
use crate::api::reply::Reply;
use crate::app::App;
use crate::error::{Error, Result};
use crate::git::diff::{FileChange, Status};
use crate::ids::Sha;
use crate::pulls::model::Version;
use crate::pulls::range::{Desk, at_desk};
use crate::repos::Repo;
use crate::urls::Part::{Fixed, Path};
use crate::urls::{Url, Urls};

/// More files than this are not listed, whatever the page.
pub const FILES_MAX: i64 = 3_000;

pub async fn list(access: Allowed<ListPullFiles, RepoTarget>, State(app): State<App>) -> Result<Reply> {
    let pull = find(&app, &access).await?;
    let page = Page::of(access.exchange());
    let version = pull.version;
    let (found, total) = at_desk(&app, pull.repo_id, move |desk| files(&desk, &version, page)).await?;
    let head = version.head_sha;
    let shown: Vec<_> = found.iter().map(|file| ChangedFile::new(file, head, &access.repo, access.urls())).collect();
    Ok(Reply::ok(&shown).with_link(page.link(access.exchange(), total)))
}

/// What became of one file.
pub struct File {
    sha: Sha,
    path: String,
    previous_path: Option<String>,
    status: &'static str,
    pub additions: u32,
    pub deletions: u32,
    patch: Option<String>,
}

/// Only the files of the page are compared line by line.
fn files(desk: &Desk<'_>, version: &Version, page: Page) -> Result<(Vec<File>, i64)> {
    let comparison = desk.comparison(&desk.range(version)?)?;
    let total = i64::try_from(comparison.changes().len()).unwrap_or(FILES_MAX).min(FILES_MAX);
    let skip = usize::try_from(page.offset()).unwrap_or(usize::MAX);
    let take = usize::try_from((total - page.offset()).clamp(0, page.limit())).unwrap_or_default();
    let on_page = comparison.changes().iter().skip(skip).take(take);
    let found: Result<Vec<_>> = on_page.map(|change| File::read(desk, change)).collect();
    Ok((found?, total))
}

impl File {
    /// Compares a file line by line.
    pub fn read(desk: &Desk<'_>, change: &FileChange) -> Result<Self> {
        let diff = desk.diff(change)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let entry = change.new.as_ref().or(change.old.as_ref()).ok_or(Error::NotFound)?;
        Ok(Self {
            sha: entry.id,
            path: text(change.path()),
            previous_path: change.previous_path().map(text),
            status: status(change.status()),
            additions: diff.additions(),
            deletions: diff.deletions(),
            patch: diff.patch().map(text),
        })
    }
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Added => "added",
        Status::Deleted => "removed",
        Status::Modified => "modified",
        Status::Renamed => "renamed",
        Status::TypeChanged => "changed",
    }
}

/// A file as it is shown, with where to find it after a commit.
#[derive(Serialize)]
pub struct ChangedFile<'a> {
    sha: Sha,
    filename: &'a str,
    status: &'static str,
    additions: u32,
    deletions: u32,
    changes: u32,
    blob_url: Url<'a>,
    raw_url: Url<'a>,
    contents_url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_filename: Option<&'a str>,
}

impl<'a> ChangedFile<'a> {
    pub fn new(file: &'a File, head: Sha, repo: &'a Repo, urls: &'a Urls) -> Self {
        let page = urls.repo_page(&repo.owner_login, &repo.name);
        let at =
            |word| page.then(Fixed(word)).then(crate::urls::Part::Sha(head)).then(Fixed("/")).then(Path(&file.path));
        let contents = urls.repo(&repo.owner_login, &repo.name).then(Fixed("/contents/")).then(Path(&file.path));
        Self {
            sha: file.sha,
            filename: &file.path,
            status: file.status,
            additions: file.additions,
            deletions: file.deletions,
            changes: file.additions + file.deletions,
            blob_url: at("/blob/"),
            raw_url: at("/raw/"),
            contents_url: format!("{contents}?ref={head}"),
            patch: file.patch.as_deref(),
            previous_filename: file.previous_path.as_deref(),
        }
    }
}
