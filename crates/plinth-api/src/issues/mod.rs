//! Issues, and pull requests as issues, with their labels, assignees and values of issue fields.

mod across;
mod assignees;
pub mod body;
mod extract;
mod field_values;
mod handlers;
pub mod json;
mod labels;
mod ready;

pub use extract::{FoundConversation, check};
pub use ready::complete;

use crate::policy::table::{
    AddAssignees, AddFieldValues, AddLabels, CheckAssignee, CheckAssigneeOfIssue, CreateIssue, DeleteFieldValue,
    GetIssue, ListAllIssues, ListAssignees, ListFieldValues, ListIssues, ListLabelsOfIssue, ListOrgIssues,
    ListOwnIssues, RemoveAllLabels, RemoveAssignees, RemoveLabel, SetFieldValues, SetLabels, UpdateIssue,
};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListAllIssues, _, _>(across::list_all)
        .on::<ListOwnIssues, _, _>(across::list_own)
        .on::<ListOrgIssues, _, _>(across::list_of_org)
        .on::<ListIssues, _, _>(handlers::list)
        .on::<CreateIssue, _, _>(handlers::create)
        .on::<GetIssue, _, _>(handlers::get)
        .on::<UpdateIssue, _, _>(handlers::update)
        .on::<ListLabelsOfIssue, _, _>(labels::list)
        .on::<AddLabels, _, _>(labels::add)
        .on::<SetLabels, _, _>(labels::set)
        .on::<RemoveAllLabels, _, _>(labels::remove_all)
        .on::<RemoveLabel, _, _>(labels::remove)
        .on::<ListAssignees, _, _>(assignees::list)
        .on::<CheckAssignee, _, _>(assignees::check_assignee)
        .on::<CheckAssigneeOfIssue, _, _>(assignees::check_assignee_of_issue)
        .on::<AddAssignees, _, _>(assignees::add)
        .on::<RemoveAssignees, _, _>(assignees::remove)
        .on::<ListFieldValues, _, _>(field_values::list)
        .on::<AddFieldValues, _, _>(field_values::add)
        .on::<SetFieldValues, _, _>(field_values::set)
        .on::<DeleteFieldValue, _, _>(field_values::delete)
}
