//! Handlers of the operations on git objects.

use axum::body::Body;
use bytes::Bytes;
use plinth_core::repos::RepoTarget;

use super::blob_body::BlobBody;
use super::body::{CreateBlobBody, CreateCommitBody, CreateTagBody, CreateTreeBody};
use super::json;
use crate::app::App;
use crate::negotiation::Media;
use crate::policy::Endpoint;
use crate::policy::table::{CreateBlob, CreateCommit, CreateTag, CreateTree, GetBlob, GetCommit, GetTag, GetTree};
use crate::request::body::Json;
use crate::request::{Allowed, response_memory};
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;
use plinth_core::git_objects::{self, rules};
use plinth_core::objects::Large;
use plinth_core::ref_updates::check_not_empty;
use plinth_core::refs;
use plinth_core::repos::Repo;
use plinth_git::{EMPTY_TREE, ObjectKind, Reader, RefName, TreeLimits, TreeListing};

/// The type of a blob whose content is the whole response.
pub const RAW: &str = "application/vnd.github.raw; charset=utf-8";
/// Larger blobs need a clone.
const BLOB_SIZE_MAX: u64 = 32 << 20;
/// Entries of a tree in one response, and bytes of their paths; the rest is left out, and `truncated` is set.
const TREE_ENTRIES_MAX: usize = 100_000;
const TREE_PATH_BYTES_MAX: usize = 7 << 20;

pub async fn get_commit(access: Allowed<GetCommit, RepoTarget>, app: App) -> Result<ApiResponse> {
    let sha = param(&access, "commit_sha").parse().map_err(|_| Error::NotFound)?;
    let commit = find(&app, &access.repo, move |reader| {
        let found = reader.find_commit(&sha)?;
        found.iter().try_for_each(|commit| reader.budget().retain(json::commit_bytes(commit)))?;
        Ok(found)
    });
    let commit = commit.await?;
    ApiResponse::ok(&json::Commit::new(sha, &commit.value, &access.repo, access.urls())).holding(commit.reserved)
}

pub async fn get_tag(access: Allowed<GetTag, RepoTarget>, app: App) -> Result<ApiResponse> {
    let sha = param(&access, "tag_sha").parse().map_err(|_| Error::NotFound)?;
    let tag = find(&app, &access.repo, move |reader| {
        let found = reader.find_tag(&sha)?;
        found.iter().try_for_each(|tag| reader.budget().retain(json::tag_bytes(tag)))?;
        Ok(found)
    });
    let tag = tag.await?;
    ApiResponse::ok(&json::Tag::new(sha, &tag.value, &access.repo, access.urls())).holding(tag.reserved)
}

pub async fn get_blob(access: Allowed<GetBlob, RepoTarget>, app: App) -> Result<ApiResponse> {
    let sha: Sha = rules::check_sha(param(&access, "file_sha"))?;
    let is_raw = access.context().media == Media::Raw;
    let (repo, urls) = (access.repo.clone(), access.urls().clone());
    let write = move |content: &[u8]| match is_raw {
        true => content.to_vec(),
        false => json::write_blob(sha, content, &repo, &urls),
    };
    let found = find(&app, &access.repo, move |reader| find_small_blob(reader, sha, write)).await?;
    let size = match found.value {
        FoundBlob::Small(raw) if is_raw => return ApiResponse::text(RAW, raw).holding(found.reserved),
        FoundBlob::Small(json) => return ApiResponse::written_json(json).holding(found.reserved),
        FoundBlob::Large(size) => size,
    };
    let repo = &access.repo;
    let load = async {
        let permit = response_memory::acquire(&app, access.context(), size).await?;
        let blob = find(&app, repo, move |reader| reader.find_blob(&sha, BLOB_SIZE_MAX)).await?;
        Ok((blob.value, permit))
    };
    let content = app.shared_objects.get((repo.id, sha), load).await?;
    let head = json::blob_head(sha, size, repo, access.urls());
    if is_raw {
        return Ok(ApiResponse::streamed(Bytes::from_owner(content).into(), head).with_content_type(RAW));
    }
    Ok(ApiResponse::streamed(Body::new(BlobBody::new(head.clone(), content)), head))
}

/// A small blob as it is sent, or the size of a large one, which is streamed.
enum FoundBlob {
    Small(Vec<u8>),
    Large(usize),
}

fn find_small_blob(reader: &Reader<'_>, sha: Sha, write: impl FnOnce(&[u8]) -> Vec<u8>) -> Result<Option<FoundBlob>> {
    if let Some(header) = reader.find_header(&sha)?
        && header.kind == ObjectKind::Blob
        && let Ok(size) = usize::try_from(header.size)
        && (response_memory::SIZE_MIN..=BLOB_SIZE_MAX as usize).contains(&size)
    {
        return Ok(Some(FoundBlob::Large(size)));
    }
    // The header of a damaged object may be wrong, so its content decides whether it is a blob.
    let Some(blob) = reader.find_blob(&sha, BLOB_SIZE_MAX)? else { return Ok(None) };
    Ok(Some(FoundBlob::Small(write(blob.data()))))
}

pub async fn get_tree(access: Allowed<GetTree, RepoTarget>, app: App) -> Result<ApiResponse> {
    let depth = if access.context().has_query_value("recursive") { Depth::All } else { Depth::One };
    let root = find_named(&app, &access.repo, param(&access, "tree_sha")).await?;
    if root == EMPTY_TREE {
        check_not_empty(&mut app.read().await?, access.repo.id).await?;
    }
    let (repo, urls) = (access.repo.clone(), access.urls().clone());
    let body = find(&app, &access.repo, move |reader| {
        let found = find_tree(reader, root, depth)?;
        Ok(found.map(|found| json::write_tree(&found, &repo, &urls)))
    });
    let body = body.await?;
    ApiResponse::written_json(body.value).holding(body.reserved)
}

/// How much of a tree is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    One,
    All,
}

/// A tree, or that of a commit or tag, with the sizes of its files.
fn find_tree(reader: &Reader<'_>, named: Sha, depth: Depth) -> Result<Option<json::FoundTree>> {
    let Some(sha) = rules::find_tree_of(reader, &named)? else { return Ok(None) };
    let recursive = depth == Depth::All;
    let limits = TreeLimits { entries: TREE_ENTRIES_MAX, path_bytes: TREE_PATH_BYTES_MAX, recursive };
    let Some(TreeListing { entries: listed, is_truncated, .. }) = reader.list_tree(&sha, limits)? else {
        return Err(reader.missing(&sha));
    };
    let mut entries = Vec::with_capacity(listed.len());
    for entry in listed {
        let size = match entry.mode.object_kind() {
            ObjectKind::Blob => {
                let header = reader.find_header(&entry.sha)?.ok_or_else(|| reader.missing(&entry.sha))?;
                Some(header.size)
            }
            ObjectKind::Commit | ObjectKind::Tree | ObjectKind::Tag => None,
        };
        entries.push((entry, size));
    }
    Ok(Some(json::FoundTree { sha, entries, is_truncated }))
}

/// Reads an object. If it does not exist, the error for an empty repository takes precedence.
async fn find<T: Send + 'static>(
    app: &App,
    repo: &Repo,
    read: impl FnOnce(&Reader<'_>) -> Result<Option<T>> + Send + 'static,
) -> Result<Large<T>> {
    let Large { value, reserved } = app.objects.read_large(repo.id, read).await?;
    match value {
        Some(value) => Ok(Large { value, reserved }),
        None => {
            check_not_empty(&mut app.read().await?, repo.id).await?;
            Err(Error::NotFound)
        }
    }
}

/// An object by its id, or the target of a branch or tag of that name.
async fn find_named(app: &App, repo: &Repo, text: &str) -> Result<Sha> {
    if let Ok(sha) = text.parse() {
        return Ok(sha);
    }
    let mut db = app.read().await?;
    for namespace in ["refs/", "refs/heads/", "refs/tags/"] {
        let Ok(name) = RefName::parse(&format!("{namespace}{text}")) else { continue };
        if let Some(found) = refs::store::find(&mut db, repo.id, &name).await? {
            return Ok(found.target);
        }
    }
    check_not_empty(&mut db, repo.id).await?;
    Err(Error::NotFound)
}

fn param<'a, E: Endpoint>(access: &'a Allowed<E, RepoTarget>, name: &str) -> &'a str {
    access.context().params.get(name)
}

pub async fn create_blob(
    access: Allowed<CreateBlob, RepoTarget>,
    app: App,
    Json(body): Json<CreateBlobBody>,
) -> Result<ApiResponse> {
    let sha = git_objects::create_blob(&app, &access.for_writing(), body.into()).await?;
    let named = json::Named::new(ObjectKind::Blob, sha, &access.repo, access.urls());
    Ok(ApiResponse::created(&named, json::url(ObjectKind::Blob, sha, &access.repo, access.urls())))
}

pub async fn create_tree(
    access: Allowed<CreateTree, RepoTarget>,
    app: App,
    Json(body): Json<CreateTreeBody>,
) -> Result<ApiResponse> {
    let sha = git_objects::create_tree(&app, &access.for_writing(), body.into()).await?;
    let found = app.objects.read(access.repo.id, move |reader| find_tree(reader, sha, Depth::One)).await?;
    let found = found.ok_or_else(|| Error::internal("a tree that was just created is missing"))?;
    let location = json::url(ObjectKind::Tree, sha, &access.repo, access.urls());
    Ok(ApiResponse::created(&json::Tree::new(&found, &access.repo, access.urls()), location))
}

pub async fn create_commit(
    access: Allowed<CreateCommit, RepoTarget>,
    app: App,
    Json(body): Json<CreateCommitBody>,
) -> Result<ApiResponse> {
    let (sha, created) = git_objects::create_commit(&app, &access.for_writing(), body.into()).await?;
    let location = json::url(ObjectKind::Commit, sha, &access.repo, access.urls());
    Ok(ApiResponse::created(&json::Commit::new(sha, &created, &access.repo, access.urls()), location))
}

pub async fn create_tag(
    access: Allowed<CreateTag, RepoTarget>,
    app: App,
    Json(body): Json<CreateTagBody>,
) -> Result<ApiResponse> {
    let (sha, created) = git_objects::create_tag(&app, &access.for_writing(), body.into()).await?;
    let location = json::url(ObjectKind::Tag, sha, &access.repo, access.urls());
    Ok(ApiResponse::created(&json::Tag::new(sha, &created, &access.repo, access.urls()), location))
}
