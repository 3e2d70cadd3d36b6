//! Steps of the operations that make objects.

use std::sync::Arc;

use super::handlers::{Depth, find_tree};
use super::new::{NewBlob, NewCommit, NewTag, NewTree};
use super::{json, rules};
use crate::accounts::{self, commit_identity};
use crate::api::access::table::{CreateBlob, CreateCommit, CreateTag, CreateTree};
use crate::api::access::{Allowed, Endpoint, RepoTarget};
use crate::api::body::Json;
use crate::api::reply::Reply;
use crate::app::App;
use crate::error::{Error, Result};
use crate::git::{self, Date, Identity, MemoryObjects, ObjectKind, RawObject};
use crate::git_refs::listing::check_not_empty;
use crate::ids::Sha;

pub async fn blob(access: Allowed<CreateBlob, RepoTarget>, app: App, Json(new): Json<NewBlob>) -> Result<Reply> {
    check_not_empty(&mut app.store.read().await?, access.repo.id).await?;
    let object = RawObject::blob(rules::content_of(new)?)?;
    let sha = insert(&app, &access, object).await?;
    let named = json::Named::new(ObjectKind::Blob, sha, &access.repo, access.urls());
    Ok(Reply::created(&named, json::url(ObjectKind::Blob, sha, &access.repo, access.urls())))
}

pub async fn tree(access: Allowed<CreateTree, RepoTarget>, app: App, Json(new): Json<NewTree>) -> Result<Reply> {
    check_not_empty(&mut app.store.read().await?, access.repo.id).await?;
    let _held = app.objects.hold(access.repo.id).await;
    let sha = make_tree(&app, &access, new).await?;
    let found = app.objects.read(access.repo.id, move |reader| find_tree(reader, sha, Depth::One)).await?;
    let found = found.ok_or_else(|| Error::internal("a tree just made is gone"))?;
    let location = json::url(ObjectKind::Tree, sha, &access.repo, access.urls());
    Ok(Reply::created(&json::Tree::new(&found, &access.repo, access.urls()), location))
}

pub async fn commit(access: Allowed<CreateCommit, RepoTarget>, app: App, Json(new): Json<NewCommit>) -> Result<Reply> {
    check_not_empty(&mut app.store.read().await?, access.repo.id).await?;
    let caller = caller_identity(&app, &access).await?;
    let _held = app.objects.hold(access.repo.id).await;
    let object = app.objects.read(access.repo.id, move |reader| commit_object(reader, new, &caller)).await?;
    let sha = insert(&app, &access, object).await?;
    let made = app.objects.read(access.repo.id, move |reader| reader.find_commit(&sha)).await?;
    let made = made.ok_or_else(|| Error::internal("a commit just made is gone"))?;
    let location = json::url(ObjectKind::Commit, sha, &access.repo, access.urls());
    Ok(Reply::created(&json::Commit::new(sha, &made, &access.repo, access.urls()), location))
}

pub async fn tag(access: Allowed<CreateTag, RepoTarget>, app: App, Json(new): Json<NewTag>) -> Result<Reply> {
    check_not_empty(&mut app.store.read().await?, access.repo.id).await?;
    let caller = caller_identity(&app, &access).await?;
    let _held = app.objects.hold(access.repo.id).await;
    let object = app.objects.read(access.repo.id, move |reader| tag_object(reader, new, &caller)).await?;
    let sha = insert(&app, &access, object).await?;
    let made = app.objects.read(access.repo.id, move |reader| reader.find_tag(&sha)).await?;
    let made = made.ok_or_else(|| Error::internal("a tag just made is gone"))?;
    let location = json::url(ObjectKind::Tag, sha, &access.repo, access.urls());
    Ok(Reply::created(&json::Tag::new(sha, &made, &access.repo, access.urls()), location))
}

async fn insert<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>, object: RawObject) -> Result<Sha> {
    let sha = object.sha();
    app.objects.insert(access.authority(), access.repo.id, vec![Arc::new(object)], app.clock.now()).await?;
    Ok(sha)
}

/// Makes a tree and all new objects below it. What only git can judge is judged by git, with everything in sight.
async fn make_tree<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>, new: NewTree) -> Result<Sha> {
    let repo = &access.repo;
    let (sha, made, needs_git) = app
        .objects
        .read(repo.id, move |reader| {
            let edit = rules::edit_of(reader, new.base_tree.as_deref(), new.entries)?;
            let needs_git = edit.has_submodules_file();
            let mut made = MemoryObjects::default();
            let sha = edit.build(reader, &mut made, reader.budget())?;
            Ok((sha, made.into_sorted(), needs_git))
        })
        .await?;
    if needs_git {
        app.objects.flush(repo.id).await?;
        let (objects, id, judged) = (app.objects.clone(), repo.id, made.clone());
        app.objects.run(move || objects.repository(id)?.check_objects(&judged, &[])).await?;
    }
    app.objects.insert(access.authority(), repo.id, made, app.clock.now()).await?;
    Ok(sha)
}

fn commit_object(reader: &git::Reader<'_>, new: NewCommit, caller: &Identity) -> Result<RawObject> {
    let author = rules::identity(new.author, caller)?;
    let commit = git::NewCommit {
        tree_id: rules::check_tree(reader, &new.tree)?,
        parent_ids: new.parents.iter().map(|parent| rules::check_parent(reader, parent)).collect::<Result<_>>()?,
        // Whoever is told as the author made the commit as well, unless someone else is told.
        committer: rules::identity(new.committer, &author)?,
        author,
        message: new.message,
        signature: new.signature,
    };
    commit.to_object()
}

fn tag_object(reader: &git::Reader<'_>, new: NewTag, caller: &Identity) -> Result<RawObject> {
    let target_kind = ObjectKind::parse(&new.kind).ok_or_else(|| Error::internal("the kind of a tag was checked"))?;
    let tag = git::NewTag {
        name: new.tag,
        target_id: rules::check_tagged(reader, &new.object, target_kind)?,
        target_kind,
        tagger: rules::identity(new.tagger, caller)?,
        message: new.message,
    };
    tag.to_object()
}

/// The caller, here and now.
async fn caller_identity<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>) -> Result<Identity> {
    let actor = access.caller().actor().ok_or(Error::NotFound)?;
    let account = accounts::store::find(&mut app.store.read().await?, actor).await?.ok_or(Error::NotFound)?;
    let (name, email) = commit_identity(&account.login, account.name.as_deref(), account.email.as_deref());
    Ok(Identity { name, email, date: Date::utc(app.clock.now().0) })
}
