//! Creating objects, each in one transaction.

use std::sync::Arc;

use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, RepoId, Sha};
use plinth_git::{self as git, Commit, Date, EMPTY_TREE, Identity, MemoryObjects, RawObject, Reader, Tag};

use super::{NewBlob, NewCommit, NewTag, NewTree, rules};
use crate::Core;
use crate::access::WriteAccess;
use crate::accounts::{self, commit_identity};
use crate::ref_updates::check_not_empty;
use crate::repos::RepoTarget;

pub async fn create_blob(core: &Core, access: &WriteAccess<RepoTarget>, new: NewBlob) -> Result<Sha> {
    check_not_empty(&mut core.read().await?, access.repo.id).await?;
    insert(core, access, RawObject::blob(rules::content_of(new))?).await
}

/// Creates a tree and all new objects in it.
pub async fn create_tree(core: &Core, access: &WriteAccess<RepoTarget>, new: NewTree) -> Result<Sha> {
    let repo = access.repo.id;
    check_not_empty(&mut core.read().await?, repo).await?;
    // Objects that the new tree refers to must not be removed before it is stored.
    let _removal_lock = core.objects.prevent_removal(repo).await?;
    let (sha, made, needs_git) = core
        .objects
        .read(repo, move |reader| {
            let edit = rules::edit_of(reader, new.base_tree.as_deref(), new.entries)?;
            let needs_git = edit.has_submodules_file();
            let mut made = MemoryObjects::default();
            let sha = edit.build(reader, &mut made, reader.budget())?;
            Ok((sha, made.into_sorted(), needs_git))
        })
        .await?;
    if needs_git {
        check_submodules(core, repo, &made).await?;
    }
    core.objects.insert(access.authority(), repo, made, core.clock.now()).await?;
    Ok(sha)
}

/// Lets git check new objects with a `.gitmodules` file, after a flush that lets git see all objects.
pub(crate) async fn check_submodules(core: &Core, repo: RepoId, made: &[Arc<RawObject>]) -> Result<()> {
    core.objects.flush(repo).await?;
    let (objects, checked) = (core.objects.clone(), made.to_vec());
    core.objects.run(move || objects.repository(repo)?.check_objects(&checked, &[])).await
}

pub async fn create_commit(core: &Core, access: &WriteAccess<RepoTarget>, new: NewCommit) -> Result<(Sha, Commit)> {
    let repo = access.repo.id;
    check_not_empty(&mut core.read().await?, repo).await?;
    let caller = caller_identity(core, access).await?;
    let _removal_lock = core.objects.prevent_removal(repo).await?;
    let (object, tree_id) = core.objects.read(repo, move |reader| commit_object(reader, new, &caller)).await?;
    if tree_id == EMPTY_TREE {
        // It may not be stored, and not every git client can do without it.
        insert(core, access, RawObject::empty_tree()).await?;
    }
    let sha = insert(core, access, object).await?;
    let made = core.objects.read(repo, move |reader| reader.find_commit(&sha)).await?;
    Ok((sha, made.ok_or_else(|| Error::internal("a commit that was just stored is missing"))?))
}

pub async fn create_tag(core: &Core, access: &WriteAccess<RepoTarget>, new: NewTag) -> Result<(Sha, Tag)> {
    let repo = access.repo.id;
    check_not_empty(&mut core.read().await?, repo).await?;
    let caller = caller_identity(core, access).await?;
    let _removal_lock = core.objects.prevent_removal(repo).await?;
    let object = core.objects.read(repo, move |reader| tag_object(reader, new, &caller)).await?;
    let sha = insert(core, access, object).await?;
    let made = core.objects.read(repo, move |reader| reader.find_tag(&sha)).await?;
    Ok((sha, made.ok_or_else(|| Error::internal("a tag that was just stored is missing"))?))
}

async fn insert(core: &Core, access: &WriteAccess<RepoTarget>, object: RawObject) -> Result<Sha> {
    let sha = object.sha();
    core.objects.insert(access.authority(), access.repo.id, vec![Arc::new(object)], core.clock.now()).await?;
    Ok(sha)
}

fn commit_object(reader: &Reader<'_>, new: NewCommit, caller: &Identity) -> Result<(RawObject, Sha)> {
    let author = rules::identity("author", new.author, caller)?;
    let commit = git::NewCommit {
        tree_id: rules::check_tree(reader, &new.tree)?,
        parent_ids: new.parents.iter().map(|parent| rules::check_parent(reader, parent)).collect::<Result<_>>()?,
        // The committer defaults to the author.
        committer: rules::identity("committer", new.committer, &author)?,
        author,
        message: new.message,
        signature: new.signature,
    };
    Ok((commit.to_object()?, commit.tree_id))
}

fn tag_object(reader: &Reader<'_>, new: NewTag, caller: &Identity) -> Result<RawObject> {
    let target_kind = ObjectKind::parse(&new.kind).ok_or_else(|| Error::internal("the kind of a tag was checked"))?;
    let tag = git::NewTag {
        name: new.tag,
        target_id: rules::check_tagged(reader, &new.object, target_kind)?,
        target_kind,
        tagger: rules::identity("tagger", new.tagger, caller)?,
        message: new.message,
    };
    tag.to_object()
}

/// The caller's name and email address, with the current time.
pub(crate) async fn caller_identity(core: &Core, access: &WriteAccess<RepoTarget>) -> Result<Identity> {
    let actor = access.caller().actor().ok_or(Error::NotFound)?;
    let account = accounts::store::find(&mut core.read().await?, actor).await?.ok_or(Error::NotFound)?;
    let (name, email) = commit_identity(&account.login, account.name.as_deref(), account.email.as_deref());
    Ok(Identity { name, email, date: Date::utc(core.clock.now().0) })
}
