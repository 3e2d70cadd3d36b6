//! The handler of a comparison of two commits.

use super::json::{CommitComparison, Found};
use crate::app::App;
use crate::negotiation::Media;
use crate::policy::table::CompareCommits;
use crate::pulls::{COMMITS_MAX, FileReader, find_people, find_target, patch, read_commits, shown_bytes};
use crate::request::context::RequestContext;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;
use plinth_core::objects::Large;
use plinth_core::paging::Page;
use plinth_core::pulls::diff_context::{DiffContext, Range, with_diff_context_large};
use plinth_core::repos::{Repo, RepoTarget};
use plinth_git::Commit;

/// More files are not returned.
const FILES_MAX: usize = 300;
/// Commits on all pages; of more, the newest.
const LISTED_MAX: usize = 100_000;

pub async fn get(access: Allowed<CompareCommits, RepoTarget>, app: App) -> Result<ApiResponse> {
    let (context, repo) = (access.context(), &access.repo);
    let basehead = context.params.get("basehead");
    let names = Names::parse(basehead, repo).ok_or(Error::NotFound)?;
    let base = find_target(&app, repo, names.base).await?.ok_or(Error::NotFound)?;
    let head = find_target(&app, repo, names.head).await?.ok_or(Error::NotFound)?;
    let ends = Ends { base, head, dots: names.dots };
    match context.media {
        Media::Diff => patch::diff_in(&app, repo.id, move |diffs| Ok(ends.resolve(diffs)?.changes)).await,
        Media::Patch => patch::patch_in(&app, repo.id, move |diffs| commits_of_patch(diffs, &ends)).await,
        Media::Json | Media::Raw | Media::Text | Media::Html | Media::Full | Media::Sha | Media::Object => {
            let window = Window::of(context);
            let found = with_diff_context_large(&app, repo.id, move |diffs| compare(&diffs, &ends, window)).await?;
            let Large { value: found, reserved } = found;
            let shown = found.commits.iter().chain([&found.base, &found.merge_base]);
            let people = find_people(&app, shown.map(|(_, commit)| commit)).await?;
            let link = match window {
                Window::Newest => None,
                Window::Page(page) => page::link(page, context, i64::try_from(found.listed).unwrap_or(i64::MAX)),
            };
            let shown = CommitComparison::new(&found, basehead, &people, repo, access.urls());
            ApiResponse::ok(&shown).with_link(link).holding(reserved)
        }
    }
}

/// What the files of the head are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dots {
    /// The base.
    Two,
    /// The merge base.
    Three,
}

/// The names of two commits in a path.
#[derive(Debug, PartialEq, Eq)]
struct Names<'a> {
    base: &'a str,
    head: &'a str,
    dots: Dots,
}

impl<'a> Names<'a> {
    /// No name of a ref contains two dots in a row or a colon.
    fn parse(text: &'a str, repo: &Repo) -> Option<Self> {
        let three = text.split_once("...").map(|sides| (sides, Dots::Three));
        let ((base, head), dots) = three.or_else(|| text.split_once("..").map(|sides| (sides, Dots::Two)))?;
        Some(Self { base: without_owner(base, repo)?, head: without_owner(head, repo)?, dots })
    }
}

/// The name after `owner:` or `owner:repo:`. There are no forks, so only this repository can be meant.
fn without_owner<'a>(name: &'a str, repo: &Repo) -> Option<&'a str> {
    let Some((owner, rest)) = name.split_once(':') else { return Some(name) };
    let is_owner = owner.eq_ignore_ascii_case(&repo.owner_login);
    match rest.split_once(':') {
        Some((name, rest)) => (is_owner && name.eq_ignore_ascii_case(&repo.name)).then_some(rest),
        None => is_owner.then_some(rest),
    }
}

/// The objects that were named.
struct Ends {
    base: Sha,
    head: Sha,
    dots: Dots,
}

/// The commits behind them.
struct Resolved {
    base: (Sha, Commit),
    head: Sha,
    merge_base: Sha,
    changes: Range,
}

impl Ends {
    /// Commits without a common history cannot be compared.
    fn resolve(&self, diffs: &DiffContext<'_>) -> Result<Resolved> {
        let base = patch::find_commit(diffs, &self.base)?.ok_or(Error::NotFound)?;
        let (head, _) = patch::find_commit(diffs, &self.head)?.ok_or(Error::NotFound)?;
        let merge_base = diffs.comparisons.merge_base(diffs.repo, diffs.reader, &base.0, &head)?;
        let merge_base = merge_base.ok_or(Error::NotFound)?;
        let from = match self.dots {
            Dots::Two => base.0,
            Dots::Three => merge_base,
        };
        Ok(Resolved { base, head, merge_base, changes: Range { base: from, head } })
    }
}

/// Which commits are shown.
#[derive(Debug, Clone, Copy)]
enum Window {
    /// Without parameters for pages: the newest [`COMMITS_MAX`].
    Newest,
    Page(Page),
}

impl Window {
    fn of(context: &RequestContext) -> Self {
        let is_paged = ["page", "per_page"].iter().any(|name| context.query(name).is_some());
        if is_paged { Window::Page(page::of(context)) } else { Window::Newest }
    }

    fn has_files(self) -> bool {
        match self {
            Window::Newest => true,
            Window::Page(page) => page.number == 1,
        }
    }

    /// The part of the commits, which are sorted with the oldest first.
    fn part(self, commit_ids: &[Sha]) -> Vec<Sha> {
        let (skip, take) = match self {
            Window::Newest => (commit_ids.len().saturating_sub(COMMITS_MAX), COMMITS_MAX),
            Window::Page(page) => {
                let skip = usize::try_from(page.offset()).unwrap_or(usize::MAX);
                (skip, usize::try_from(page.limit()).unwrap_or_default())
            }
        };
        commit_ids.iter().skip(skip).take(take).copied().collect()
    }
}

fn compare(diffs: &DiffContext<'_>, ends: &Ends, window: Window) -> Result<Found> {
    let Resolved { base, head, merge_base, changes } = ends.resolve(diffs)?;
    let reader = diffs.reader;
    reader.budget().retain(shown_bytes(&base.1))?;
    let mut ahead = reader.commits_between(&base.0, &head, LISTED_MAX)?;
    let behind = reader.commits_between(&head, &base.0, 0)?;
    ahead.commit_ids.reverse();
    let commits = read_commits(reader, window.part(&ahead.commit_ids))?;
    let merge_base = read_commits(reader, [merge_base])?.remove(0);
    let mut files = Vec::new();
    if window.has_files() {
        let comparison = diffs.comparison(&changes)?;
        let mut file_reader = FileReader::new(*diffs);
        for change in comparison.changes().iter().take(FILES_MAX) {
            files.push(file_reader.read(change)?);
        }
    }
    let listed = ahead.commit_ids.len();
    Ok(Found { base, head, merge_base, ahead: ahead.total, behind: behind.total, commits, listed, files })
}

/// Oldest first.
fn commits_of_patch(diffs: &DiffContext<'_>, ends: &Ends) -> Result<Vec<(Sha, Commit)>> {
    let Resolved { base, head, .. } = ends.resolve(diffs)?;
    let range = diffs.reader.commits_between(&base.0, &head, COMMITS_MAX)?;
    read_commits(diffs.reader, range.commit_ids.into_iter().rev())
}
