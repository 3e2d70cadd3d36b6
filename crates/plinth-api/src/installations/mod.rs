//! App installations: the access that apps have on accounts, and their tokens.

pub mod body;
mod handlers;
pub mod json;

use crate::policy::table::{
    AddInstallationRepository, CreateInstallationToken, DeleteAppInstallation, GetApp, GetAppInstallation,
    GetOrgInstallation, GetRepoInstallation, GetUserInstallation, ListAppInstallations, ListInstallationRepositories,
    ListUserInstallationRepositories, ListUserInstallations, RemoveInstallationRepository, RevokeInstallationToken,
    SuspendInstallation, UnsuspendInstallation,
};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListInstallationRepositories, _, _>(handlers::list_repositories)
        .on::<RevokeInstallationToken, _, _>(handlers::revoke_token)
        .on::<ListUserInstallations, _, _>(handlers::list_of_user)
        .on::<ListUserInstallationRepositories, _, _>(handlers::list_repositories_of_user)
        .on::<AddInstallationRepository, _, _>(handlers::add_repository)
        .on::<RemoveInstallationRepository, _, _>(handlers::remove_repository)
        .on::<GetApp, _, _>(handlers::get_app)
        .on::<ListAppInstallations, _, _>(handlers::list_of_app)
        .on::<GetAppInstallation, _, _>(handlers::get_installation)
        .on::<DeleteAppInstallation, _, _>(handlers::delete)
        .on::<CreateInstallationToken, _, _>(handlers::create_access_token)
        .on::<SuspendInstallation, _, _>(handlers::suspend)
        .on::<UnsuspendInstallation, _, _>(handlers::unsuspend)
        .on::<GetRepoInstallation, _, _>(handlers::get_of_repo)
        .on::<GetOrgInstallation, _, _>(handlers::get_of_org)
        .on::<GetUserInstallation, _, _>(handlers::get_of_user)
}
