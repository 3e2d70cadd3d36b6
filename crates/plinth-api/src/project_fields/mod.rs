//! Fields of projects: listed, shown, and added in four forms.

mod body;
mod handlers;
mod json;

use body::NewUserField;
use handlers::{add, get, list};
use plinth_core::project_fields::NewField;

use crate::policy::table::{
    AddOrgProjectField, AddUserProjectField, GetOrgProjectField, GetUserProjectField, ListOrgProjectFields,
    ListUserProjectFields,
};
use crate::routes::Routes;
use plinth_core::projects::{OrgProject, UserProject};

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListOrgProjectFields, _, _>(list::<ListOrgProjectFields, OrgProject>)
        .on::<AddOrgProjectField, _, _>(add::<AddOrgProjectField, OrgProject, NewField>)
        .on::<GetOrgProjectField, _, _>(get::<GetOrgProjectField, OrgProject>)
        .on::<ListUserProjectFields, _, _>(list::<ListUserProjectFields, UserProject>)
        .on::<AddUserProjectField, _, _>(add::<AddUserProjectField, UserProject, NewUserField>)
        .on::<GetUserProjectField, _, _>(get::<GetUserProjectField, UserProject>)
}
