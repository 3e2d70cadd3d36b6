//! Repositories.

pub mod body;
pub mod collaborators;
mod handlers;
pub mod json;
pub mod languages;
mod license;
mod lists;
pub mod topics;

use crate::policy::table::{
    AddCollaborator, CheckCollaborator, CreateOrgRepo, CreateOwnRepo, DeleteRepo, GetCollaboratorPermission, GetRepo,
    GetTopics, ListCollaborators, ListLanguages, ListOrgRepos, ListOwnRepos, ListUserRepos, RemoveCollaborator,
    ReplaceTopics, UpdateRepo,
};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<GetRepo, _, _>(handlers::get)
        .on::<CreateOwnRepo, _, _>(handlers::create_own)
        .on::<CreateOrgRepo, _, _>(handlers::create_in_org)
        .on::<DeleteRepo, _, _>(handlers::delete)
        .on::<UpdateRepo, _, _>(handlers::update)
        .on::<ListLanguages, _, _>(languages::list)
        .on::<GetTopics, _, _>(topics::get)
        .on::<ReplaceTopics, _, _>(topics::replace)
        .on::<ListOwnRepos, _, _>(lists::list_own)
        .on::<ListOrgRepos, _, _>(lists::list_of_org)
        .on::<ListUserRepos, _, _>(lists::list_of_user)
        .on::<ListCollaborators, _, _>(collaborators::list)
        .on::<CheckCollaborator, _, _>(collaborators::check)
        .on::<AddCollaborator, _, _>(collaborators::add)
        .on::<RemoveCollaborator, _, _>(collaborators::remove)
        .on::<GetCollaboratorPermission, _, _>(collaborators::get_permission)
}
