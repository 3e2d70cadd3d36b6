//! Fields of projects: listed, shown, and added in four forms.

pub mod changes;
mod contents;
mod handlers;
pub mod input;
mod json;
pub mod model;
pub mod rules;
pub mod store;

use handlers::{add, get, list};
use input::{NewField, NewUserField};

use crate::api::access::table::{
    AddOrgProjectField, AddUserProjectField, GetOrgProjectField, GetUserProjectField, ListOrgProjectFields,
    ListUserProjectFields,
};
use crate::api::routes::Routes;
use crate::projects::{OrgProject, UserProject};

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListOrgProjectFields, _, _>(list::<ListOrgProjectFields, OrgProject>)
        .on::<AddOrgProjectField, _, _>(add::<AddOrgProjectField, OrgProject, NewField>)
        .on::<GetOrgProjectField, _, _>(get::<GetOrgProjectField, OrgProject>)
        .on::<ListUserProjectFields, _, _>(list::<ListUserProjectFields, UserProject>)
        .on::<AddUserProjectField, _, _>(add::<AddUserProjectField, UserProject, NewUserField>)
        .on::<GetUserProjectField, _, _>(get::<GetUserProjectField, UserProject>)
}
