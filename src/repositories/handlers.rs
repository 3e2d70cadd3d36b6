//! Steps of the operations on repositories.

use super::{json, rules};
use crate::api::access::table::{CreateOrgRepo, CreateOwnRepo, DeleteRepo, GetRepo};
use crate::api::access::{Allowed, Endpoint, Org, OwnAccount, RepoTarget, Target};
use crate::api::body::Json;
use crate::api::reply::Reply;
use crate::app::App;
use crate::clock::Timestamp;
use crate::db::Transaction;
use crate::error::{Error, Result};
use crate::ids::AccountId;
use crate::repos::RepoRole;
use crate::repos::json::Repository;
use crate::repos::store::{self, Found, NewRepo};
use crate::tokens::Principal;

const DEFAULT_BRANCH: &str = "main";

pub async fn get(access: Allowed<GetRepo, RepoTarget>) -> Result<Reply> {
    let mut repository = Repository::new(&access.repo, access.urls());
    if !matches!(access.caller(), Principal::Anonymous) {
        let everyone = (!access.private).then_some(RepoRole::Read);
        repository = repository.with_permissions(access.role.max(everyone));
    }
    let changed = access.pushed_at.max(Some(access.updated_at));
    Ok(Reply::ok(&repository).with_last_modified(changed))
}

pub async fn create_own(
    access: Allowed<CreateOwnRepo, OwnAccount>,
    app: App,
    Json(new): Json<json::NewRepository>,
) -> Result<Reply> {
    rules::check_new(&new)?;
    create(&app, &access, access.target.0.id, new).await
}

pub async fn create_in_org(
    access: Allowed<CreateOrgRepo, Org>,
    app: App,
    Json(new): Json<json::NewRepository>,
) -> Result<Reply> {
    rules::check_new(&new)?;
    create(&app, &access, access.target.0.id, new).await
}

pub async fn delete(access: Allowed<DeleteRepo, RepoTarget>, app: App) -> Result<Reply> {
    let id = access.repo.id;
    access.write(&app.store, id, |tx, id| Box::pin(async move { Ok(store::delete(tx, *id).await?) })).await?;
    // The repository is gone already, and its number never comes back: the folder only takes room.
    if let Err(error) = app.objects.remove_repository(id).await {
        tracing::warn!(%error, %id, "the folder of a deleted repository could not be removed");
    }
    Ok(Reply::no_content())
}

async fn create<E: Endpoint, T: Target>(
    app: &App,
    access: &Allowed<E, T>,
    owner: AccountId,
    new: json::NewRepository,
) -> Result<Reply> {
    rules::check_scope(&new, access.caller())?;
    let context = (owner, new, app.clock.now());
    let found = access
        .write_current(&app.store, context, |tx, current, (owner, new, now)| {
            Box::pin(async move {
                // What the scopes were when the request began does not count any more.
                rules::check_scope(new, &current.caller)?;
                insert(tx, *owner, current.caller.user_id(), new, *now).await
            })
        })
        .await?;
    // A folder that a killed process left under this number must not lend its objects to the new repository.
    app.objects.remove_repository(found.repo.id).await?;
    let urls = access.urls();
    let repository = Repository::new(&found.repo, urls).with_permissions(found.role);
    let location = urls.repo(&found.repo.owner_login, &found.repo.name);
    Ok(Reply::created(&repository, location))
}

/// Makes the repository; whoever makes one for an organization administers it.
async fn insert(
    tx: &mut Transaction,
    owner: AccountId,
    user: Option<AccountId>,
    new: &json::NewRepository,
    now: Timestamp,
) -> Result<Found> {
    let row = NewRepo {
        owner,
        name: &new.name,
        description: new.description.as_deref(),
        private: new.private,
        default_branch: DEFAULT_BRANCH,
    };
    let id = store::insert(tx, &row, now).await?;
    if let Some(user) = user.filter(|user| *user != owner) {
        store::upsert_collaborator(tx, id, user, RepoRole::Admin).await?;
    }
    store::find_by_id(tx, id, user).await?.ok_or_else(|| Error::internal("a repository was just stored"))
}
