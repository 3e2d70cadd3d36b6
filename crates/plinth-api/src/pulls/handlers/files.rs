//! The files of a pull request.

use plinth_core::repos::RepoTarget;
use std::sync::Arc;

use super::find_pull;
use crate::app::App;
use crate::policy::table::ListPullFiles;
use crate::pulls::json::file::{ChangedFile, File};
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use plinth_base::error::Result;
use plinth_core::objects::Large;
use plinth_core::pulls::diff_context::{DiffContext, with_diff_context_large, within_budget};
use plinth_core::pulls::model::Version;
use plinth_git::diff::{FileChange, FileDiff};

/// More files are not listed on any page.
pub const FILES_MAX: i64 = 3_000;
/// When the patches of one response have so many bytes, those of the other files are left out: whoever reads so much
/// has a clone.
const PATCHES_BYTES_MAX: usize = 8 << 20;
/// When so many bytes were compared for one response, the lines of the other files are not counted.
const COMPARED_BYTES_MAX: u64 = 96 << 20;
/// The memory for each byte of a patch, as text and in the response.
const MEMORY_PER_BYTE: usize = 3;
/// The memory of a file besides its path and patch.
const FILE_BYTES: usize = 1_024;

pub async fn list(access: Allowed<ListPullFiles, RepoTarget>, app: App) -> Result<ApiResponse> {
    let pull = find_pull(&app, &access).await?;
    let page = page::of(access.context());
    let version = pull.version;
    let found = with_diff_context_large(&app, pull.repo_id, move |diffs| files(&diffs, &version, page)).await?;
    let Large { value: (found, total), reserved } = found;
    let head = version.head_sha;
    let shown: Vec<_> = found.iter().map(|file| ChangedFile::new(file, head, &access.repo, access.urls())).collect();
    ApiResponse::ok(&shown).with_link(page::link(page, access.context(), total)).holding(reserved)
}

/// Only the files of the page are compared line by line.
fn files(diffs: &DiffContext<'_>, version: &Version, page: plinth_core::paging::Page) -> Result<(Vec<File>, i64)> {
    let comparison = diffs.comparison(&diffs.range(version)?)?;
    let total = i64::try_from(comparison.changes().len()).unwrap_or(FILES_MAX).min(FILES_MAX);
    let skip = usize::try_from(page.offset()).unwrap_or(usize::MAX);
    let take = usize::try_from((total - page.offset()).clamp(0, page.limit())).unwrap_or_default();
    let on_page = comparison.changes().iter().skip(skip).take(take);
    let mut reader = FileReader::new(*diffs);
    let found: Result<Vec<_>> = on_page.map(|change| reader.read(change)).collect();
    Ok((found?, total))
}

/// Compares the files of one response line by line, as far as its limits allow. They are sizes, so that the same files
/// are always shown in the same way.
pub struct FileReader<'a> {
    diffs: DiffContext<'a>,
    patch_bytes: usize,
    compared_bytes: u64,
}

impl<'a> FileReader<'a> {
    pub fn new(diffs: DiffContext<'a>) -> Self {
        Self { diffs, patch_bytes: 0, compared_bytes: 0 }
    }

    /// What changed in a file; one that would take too much has no lines, like a binary one.
    pub fn diff(&mut self, change: &FileChange) -> Result<Arc<FileDiff>> {
        if self.compared_bytes > COMPARED_BYTES_MAX {
            return Ok(Arc::new(FileDiff::without_lines()));
        }
        let diff =
            within_budget(self.diffs.listed_diff(change))?.unwrap_or_else(|| Arc::new(FileDiff::without_lines()));
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
        self.diffs.reader.budget().retain((MEMORY_PER_BYTE * (patch_bytes + 4 * paths) + FILE_BYTES) as u64)?;
        File::new(change, &diff, patch)
    }
}
