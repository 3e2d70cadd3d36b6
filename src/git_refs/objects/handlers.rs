//! Steps of the operations that show objects.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;

use super::blob_body::BlobBody;
use super::{json, rules};
use crate::api::access::table::{GetBlob, GetCommit, GetTag, GetTree};
use crate::api::access::{Allowed, Endpoint, RepoTarget};
use crate::api::large_body;
use crate::api::reply::Reply;
use crate::app::App;
use crate::error::{Error, Result};
use crate::git::{ObjectKind, PathEntry, RawObject, Reader, RefName};
use crate::git_refs::listing::check_not_empty;
use crate::ids::Sha;
use crate::refs;
use crate::repos::Repo;

/// Larger blobs are for a clone.
const BLOB_SIZE_MAX: u64 = 32 << 20;
/// Entries of a tree in one answer; the rest is left out, and the answer says so.
const TREE_ENTRIES_MAX: usize = 100_000;

pub async fn get_commit(access: Allowed<GetCommit, RepoTarget>, State(app): State<App>) -> Result<Reply> {
    let sha = param(&access, "commit_sha").parse().map_err(|_| Error::NotFound)?;
    let commit = find(&app, &access.repo, move |reader| reader.find_commit(&sha)).await?;
    Ok(Reply::ok(&json::Commit::new(sha, &commit, &access.repo, access.urls())))
}

pub async fn get_tag(access: Allowed<GetTag, RepoTarget>, State(app): State<App>) -> Result<Reply> {
    let sha = param(&access, "tag_sha").parse().map_err(|_| Error::NotFound)?;
    let tag = find(&app, &access.repo, move |reader| reader.find_tag(&sha)).await?;
    Ok(Reply::ok(&json::Tag::new(sha, &tag, &access.repo, access.urls())))
}

pub async fn get_blob(access: Allowed<GetBlob, RepoTarget>, State(app): State<App>) -> Result<Reply> {
    let sha: Sha = rules::check_sha(param(&access, "file_sha"))?;
    let repo = &access.repo;
    let found = find(&app, repo, move |reader| find_small_blob(reader, &sha)).await?;
    let size = match found {
        FoundBlob::Small(blob) => return Ok(Reply::ok(&json::Blob::new(sha, blob.data(), repo, access.urls()))),
        FoundBlob::Large(size) => size,
    };
    let load = async {
        let permit = large_body::acquire(&app, access.exchange(), size).await?;
        let blob = find(&app, repo, move |reader| reader.find_blob(&sha, BLOB_SIZE_MAX)).await?;
        Ok((blob, permit))
    };
    let content = app.shared_objects.get((repo.id, sha), load).await?;
    let head = json::BlobHead::new(sha, size, repo, access.urls()).to_json();
    Ok(Reply::streamed(Body::new(BlobBody::new(head.clone(), content)), head))
}

/// A blob that is small enough to be sent as a whole, or the size of one that is not.
enum FoundBlob {
    Small(Arc<RawObject>),
    Large(usize),
}

fn find_small_blob(reader: &Reader<'_>, sha: &Sha) -> Result<Option<FoundBlob>> {
    let size = match reader.find_header(sha)? {
        Some(header) if header.kind == ObjectKind::Blob => usize::try_from(header.size).unwrap_or(usize::MAX),
        Some(_) | None => return Ok(None),
    };
    if (large_body::SIZE_MIN..=BLOB_SIZE_MAX as usize).contains(&size) {
        return Ok(Some(FoundBlob::Large(size)));
    }
    Ok(reader.find_blob(sha, BLOB_SIZE_MAX)?.map(FoundBlob::Small))
}

pub async fn get_tree(access: Allowed<GetTree, RepoTarget>, State(app): State<App>) -> Result<Reply> {
    let depth = if access.exchange().query("recursive").is_some() { Depth::All } else { Depth::One };
    let root = find_named(&app, &access.repo, param(&access, "tree_sha")).await?;
    let found = find(&app, &access.repo, move |reader| find_tree(reader, root, depth)).await?;
    Ok(Reply::ok(&json::Tree::new(&found, &access.repo, access.urls())))
}

/// How much of a tree is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    One,
    All,
}

/// A tree, or that of a commit or tag, with the sizes of its files.
pub fn find_tree(reader: &Reader<'_>, named: Sha, depth: Depth) -> Result<Option<json::FoundTree>> {
    let Some(sha) = rules::find_tree_of(reader, &named)? else { return Ok(None) };
    let (listed, is_truncated) = match depth {
        Depth::All => match reader.find_tree_recursive(&sha, TREE_ENTRIES_MAX)? {
            Some(tree) => (tree.entries, tree.is_truncated),
            None => return Ok(None),
        },
        Depth::One => {
            let Some(tree) = reader.find_tree(&sha)? else { return Ok(None) };
            let is_truncated = tree.len() > TREE_ENTRIES_MAX;
            let shown = tree.into_iter().take(TREE_ENTRIES_MAX);
            (
                shown.map(|entry| PathEntry { path: entry.name, mode: entry.mode, sha: entry.sha }).collect(),
                is_truncated,
            )
        }
    };
    let mut entries = Vec::with_capacity(listed.len());
    for entry in listed {
        let is_file = entry.mode.object_kind() == ObjectKind::Blob;
        let size = if is_file { reader.find_header(&entry.sha)?.map(|header| header.size) } else { None };
        entries.push((entry, size));
    }
    Ok(Some(json::FoundTree { sha, entries, is_truncated }))
}

/// Looks for an object; one that is not there may be missing because nothing is.
async fn find<T: Send + 'static>(
    app: &App,
    repo: &Repo,
    look: impl FnOnce(&Reader<'_>) -> Result<Option<T>> + Send + 'static,
) -> Result<T> {
    match app.objects.read(repo.id, look).await? {
        Some(found) => Ok(found),
        None => {
            check_not_empty(&mut app.store.read().await?, repo.id).await?;
            Err(Error::NotFound)
        }
    }
}

/// An object by its name, or what a branch or tag of that name points at.
async fn find_named(app: &App, repo: &Repo, text: &str) -> Result<Sha> {
    if let Ok(sha) = text.parse() {
        return Ok(sha);
    }
    let mut db = app.store.read().await?;
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
    access.exchange().params.get(name)
}
