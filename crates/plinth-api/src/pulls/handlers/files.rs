//! The files of a pull request.

use std::sync::Arc;

use serde::Serialize;

use super::find_pull;
use crate::app::App;
use crate::policy::table::ListPullFiles;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;
use plinth_base::urls::Part::{Fixed, Path};
use plinth_base::urls::{Url, Urls};
use plinth_core::objects::Large;
use plinth_core::pulls::diff_context::{DiffContext, with_diff_context_large, within_budget};
use plinth_core::pulls::model::Version;
use plinth_core::repos::Repo;
use plinth_core::repos::RepoTarget;
use plinth_git::diff::{FileChange, FileDiff, Status};

/// More files than this are not listed, whatever the page.
pub const FILES_MAX: i64 = 3_000;
/// When the patches of one response have so many bytes, those of the other files are left out: whoever reads so much
/// has a clone.
const PATCHES_BYTES_MAX: usize = 8 << 20;
/// When so many bytes were compared for one response, the lines of the other files are not counted.
const COMPARED_BYTES_MAX: u64 = 96 << 20;
/// What a patch takes, for each of its bytes, as text and in the response.
const MEMORY_PER_BYTE: usize = 3;
/// What a file takes beside its path and patch.
const FILE_BYTES: usize = 1_024;

pub async fn list(access: Allowed<ListPullFiles, RepoTarget>, app: App) -> Result<ApiResponse> {
    let pull = find_pull(&app, &access).await?;
    let page = page::of(access.context());
    let version = pull.version;
    let found = with_diff_context_large(&app, pull.repo_id, move |desk| files(&desk, &version, page)).await?;
    let Large { value: (found, total), reserved } = found;
    let head = version.head_sha;
    let shown: Vec<_> = found.iter().map(|file| ChangedFile::new(file, head, &access.repo, access.urls())).collect();
    ApiResponse::ok(&shown).with_link(page::link(page, access.context(), total)).holding(reserved)
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
fn files(desk: &DiffContext<'_>, version: &Version, page: plinth_core::paging::Page) -> Result<(Vec<File>, i64)> {
    let comparison = desk.comparison(&desk.range(version)?)?;
    let total = i64::try_from(comparison.changes().len()).unwrap_or(FILES_MAX).min(FILES_MAX);
    let skip = usize::try_from(page.offset()).unwrap_or(usize::MAX);
    let take = usize::try_from((total - page.offset()).clamp(0, page.limit())).unwrap_or_default();
    let on_page = comparison.changes().iter().skip(skip).take(take);
    let mut reader = FileReader::new(*desk);
    let found: Result<Vec<_>> = on_page.map(|change| reader.read(change)).collect();
    Ok((found?, total))
}

/// Compares the files of one response line by line, as far as its limits allow. They are sizes, so that the same files
/// are always shown in the same way.
pub struct FileReader<'a> {
    desk: DiffContext<'a>,
    patch_bytes: usize,
    compared_bytes: u64,
}

impl<'a> FileReader<'a> {
    pub fn new(desk: DiffContext<'a>) -> Self {
        Self { desk, patch_bytes: 0, compared_bytes: 0 }
    }

    /// What changed in a file; one that would take too much has no lines, like a binary one.
    pub fn diff(&mut self, change: &FileChange) -> Result<Arc<FileDiff>> {
        if self.compared_bytes > COMPARED_BYTES_MAX {
            return Ok(Arc::new(FileDiff::without_lines()));
        }
        let diff = within_budget(self.desk.listed_diff(change))?.unwrap_or_else(|| Arc::new(FileDiff::without_lines()));
        self.compared_bytes += diff.compared_bytes();
        Ok(diff)
    }

    /// A file as it is shown.
    pub fn read(&mut self, change: &FileChange) -> Result<File> {
        let diff = self.diff(change)?;
        let patch = diff.patch().filter(|patch| self.patch_bytes + patch.len() <= PATCHES_BYTES_MAX);
        let patch_bytes = patch.map_or(0, <[u8]>::len);
        self.patch_bytes += patch_bytes;
        let paths = change.path().len() + change.previous_path().map_or(0, <[u8]>::len);
        self.desk.reader.budget().retain((MEMORY_PER_BYTE * (patch_bytes + 4 * paths) + FILE_BYTES) as u64)?;
        File::new(change, &diff, patch)
    }
}

impl File {
    fn new(change: &FileChange, diff: &FileDiff, patch: Option<&[u8]>) -> Result<Self> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let entry = change.new.as_ref().or(change.old.as_ref()).ok_or(Error::NotFound)?;
        Ok(Self {
            sha: entry.id,
            path: text(change.path()),
            previous_path: change.previous_path().map(text),
            status: status(change.status()),
            additions: diff.additions(),
            deletions: diff.deletions(),
            patch: patch.map(text),
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
        let at = |word| {
            page.then(Fixed(word)).then(plinth_base::urls::Part::Sha(head)).then(Fixed("/")).then(Path(&file.path))
        };
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
