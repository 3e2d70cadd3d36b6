//! Handlers of merges.

use plinth_base::error::{Error, Result};
use plinth_core::merges::{self, BranchMerge, PullMerge};
use plinth_core::repos::RepoTarget;

use super::body::{MergeBranchBody, MergePullBody, UpdateBranchBody};
use super::json::{BranchUpdate, MergeResult};
use crate::app::App;
use crate::policy::table::{CheckPullMerged, MergeBranch, MergePull, UpdatePullBranch};
use crate::pulls::json::commit::CommitItem;
use crate::pulls::{FoundPull, find_people, find_pull};
use crate::request::Allowed;
use crate::request::body::Json;
use crate::request::shape::flatten;
use crate::response::api_response::ApiResponse;

pub async fn check_merged(access: Allowed<CheckPullMerged, RepoTarget>, app: App) -> Result<ApiResponse> {
    match find_pull(&app, &access).await?.merged {
        Some(_) => Ok(ApiResponse::no_content()),
        None => Err(Error::NotFound),
    }
}

pub async fn merge_pull(
    access: Allowed<MergePull, RepoTarget>,
    app: App,
    FoundPull(pull): FoundPull,
    Json(body): Json<MergePullBody>,
) -> Result<ApiResponse> {
    let merge = PullMerge::from(body);
    let sha = merges::merge_pull(&app, &access.for_writing(), pull.number, &merge).await?;
    Ok(ApiResponse::ok(&MergeResult::new(sha)))
}

pub async fn update_branch(
    access: Allowed<UpdatePullBranch, RepoTarget>,
    app: App,
    FoundPull(pull): FoundPull,
    Json(body): Json<UpdateBranchBody>,
) -> Result<ApiResponse> {
    let expected = flatten(body.expected_head_sha);
    merges::update_branch(&app, &access.for_writing(), pull.number, expected.as_deref()).await?;
    let url = access.urls().pull(&access.repo.owner_login, &access.repo.name, pull.number);
    Ok(ApiResponse::accepted(&BranchUpdate::new(url)))
}

pub async fn merge_branch(
    access: Allowed<MergeBranch, RepoTarget>,
    app: App,
    Json(body): Json<MergeBranchBody>,
) -> Result<ApiResponse> {
    match merges::merge_branch(&app, &access.for_writing(), &body.into()).await? {
        BranchMerge::UpToDate => Ok(ApiResponse::no_content()),
        BranchMerge::Merged(sha, commit) => {
            let people = find_people(&app, std::iter::once(&*commit)).await?;
            let (repo, urls) = (&access.repo, access.urls());
            let location = urls.commit(&repo.owner_login, &repo.name, sha);
            Ok(ApiResponse::created(&CommitItem::new(sha, &commit, &people, repo, urls), location))
        }
    }
}
