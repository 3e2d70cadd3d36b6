//! Items of projects: issues and pull requests, with the values of the project's fields.

pub mod body;
mod handlers;
pub mod json;
mod ready;
mod selection;
mod values;

use handlers::{add, delete, get, list, update};

use crate::policy::table::{
    AddOrgProjectItem, AddUserProjectItem, DeleteOrgProjectItem, DeleteUserProjectItem, GetOrgProjectItem,
    GetUserProjectItem, ListOrgProjectItems, ListUserProjectItems, UpdateOrgProjectItem, UpdateUserProjectItem,
};
use crate::routes::Routes;
use plinth_core::projects::{OrgProject, UserProject};

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListOrgProjectItems, _, _>(list::<ListOrgProjectItems, OrgProject>)
        .on::<AddOrgProjectItem, _, _>(add::<AddOrgProjectItem, OrgProject>)
        .on::<GetOrgProjectItem, _, _>(get::<GetOrgProjectItem, OrgProject>)
        .on::<UpdateOrgProjectItem, _, _>(update::<UpdateOrgProjectItem, OrgProject>)
        .on::<DeleteOrgProjectItem, _, _>(delete::<DeleteOrgProjectItem, OrgProject>)
        .on::<ListUserProjectItems, _, _>(list::<ListUserProjectItems, UserProject>)
        .on::<AddUserProjectItem, _, _>(add::<AddUserProjectItem, UserProject>)
        .on::<GetUserProjectItem, _, _>(get::<GetUserProjectItem, UserProject>)
        .on::<UpdateUserProjectItem, _, _>(update::<UpdateUserProjectItem, UserProject>)
        .on::<DeleteUserProjectItem, _, _>(delete::<DeleteUserProjectItem, UserProject>)
}
