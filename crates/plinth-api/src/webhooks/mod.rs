//! Webhooks: hooks of repositories, organizations and apps, their deliveries, and the payloads that they receive.

pub mod body;
mod handlers;
pub mod json;
pub mod payloads;

use plinth_core::access::Org;
use plinth_core::repos::RepoTarget;

use crate::policy::table::*;
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListRepoHooks, _, _>(handlers::list::<ListRepoHooks, RepoTarget>)
        .on::<CreateRepoHook, _, _>(handlers::create_in_repo)
        .on::<GetRepoHook, _, _>(handlers::get::<GetRepoHook, RepoTarget>)
        .on::<UpdateRepoHook, _, _>(handlers::update::<UpdateRepoHook, RepoTarget>)
        .on::<DeleteRepoHook, _, _>(handlers::delete::<DeleteRepoHook, RepoTarget>)
        .on::<GetRepoHookConfig, _, _>(handlers::get_config::<GetRepoHookConfig, RepoTarget>)
        .on::<UpdateRepoHookConfig, _, _>(handlers::update_config::<UpdateRepoHookConfig, RepoTarget>)
        .on::<PingRepoHook, _, _>(handlers::ping::<PingRepoHook, RepoTarget>)
        .on::<TestRepoHook, _, _>(handlers::test)
        .on::<ListRepoHookDeliveries, _, _>(handlers::list_deliveries::<ListRepoHookDeliveries, RepoTarget>)
        .on::<GetRepoHookDelivery, _, _>(handlers::get_delivery::<GetRepoHookDelivery, RepoTarget>)
        .on::<RedeliverRepoHook, _, _>(handlers::redeliver::<RedeliverRepoHook, RepoTarget>)
        .on::<ListOrgHooks, _, _>(handlers::list::<ListOrgHooks, Org>)
        .on::<CreateOrgHook, _, _>(handlers::create_in_org)
        .on::<GetOrgHook, _, _>(handlers::get::<GetOrgHook, Org>)
        .on::<UpdateOrgHook, _, _>(handlers::update::<UpdateOrgHook, Org>)
        .on::<DeleteOrgHook, _, _>(handlers::delete::<DeleteOrgHook, Org>)
        .on::<GetOrgHookConfig, _, _>(handlers::get_config::<GetOrgHookConfig, Org>)
        .on::<UpdateOrgHookConfig, _, _>(handlers::update_config::<UpdateOrgHookConfig, Org>)
        .on::<PingOrgHook, _, _>(handlers::ping::<PingOrgHook, Org>)
        .on::<ListOrgHookDeliveries, _, _>(handlers::list_deliveries::<ListOrgHookDeliveries, Org>)
        .on::<GetOrgHookDelivery, _, _>(handlers::get_delivery::<GetOrgHookDelivery, Org>)
        .on::<RedeliverOrgHook, _, _>(handlers::redeliver::<RedeliverOrgHook, Org>)
        .on::<GetAppHookConfig, _, _>(handlers::get_app_config)
        .on::<UpdateAppHookConfig, _, _>(handlers::update_app_config)
        .on::<ListAppHookDeliveries, _, _>(handlers::list_app_deliveries)
        .on::<GetAppHookDelivery, _, _>(handlers::get_app_delivery)
        .on::<RedeliverAppHook, _, _>(handlers::redeliver_of_app)
}
