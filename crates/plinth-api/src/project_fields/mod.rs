//! Fields of projects.

pub mod body;
mod body_parts;
mod handlers;
pub mod json;

use body::{AddOrgFieldBody, AddUserFieldBody};
use handlers::{add, get, list};

use crate::policy::table::{
    AddOrgProjectField, AddUserProjectField, GetOrgProjectField, GetUserProjectField, ListOrgProjectFields,
    ListUserProjectFields,
};
use crate::routes::Routes;
use plinth_core::projects::{OrgProject, UserProject};

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListOrgProjectFields, _, _>(list::<ListOrgProjectFields, OrgProject>)
        .on::<AddOrgProjectField, _, _>(add::<AddOrgProjectField, OrgProject, AddOrgFieldBody>)
        .on::<GetOrgProjectField, _, _>(get::<GetOrgProjectField, OrgProject>)
        .on::<ListUserProjectFields, _, _>(list::<ListUserProjectFields, UserProject>)
        .on::<AddUserProjectField, _, _>(add::<AddUserProjectField, UserProject, AddUserFieldBody>)
        .on::<GetUserProjectField, _, _>(get::<GetUserProjectField, UserProject>)
}
