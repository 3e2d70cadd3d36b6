//! Texts of the operations on issues, their comments, labels and assignees.

use crate::accounts::json::User;
use crate::issue_comments::json::IssueComment;
use crate::issues::body::{AssigneesBody, CreateIssueBody, FieldValuesBody, LabelsBody, UpdateIssueBody};
use crate::issues::json::{FieldValue, Issue};
use crate::labels::body::{CreateLabelBody, UpdateLabelBody};
use crate::labels::json::Label;
use crate::openapi::operation::{Area, Operation, Parameter, choice, created, no_content, ok, parameter};
use crate::openapi::parameters::{ABOUT_FORMS, PAGE, PAGES, PER_PAGE};
use crate::openapi::schema::of;
use crate::review_comments::body::TextBody;
use plinth_base::clock::Timestamp;

/// The media types that choose the form of a body.
const FORMS: &[&str] = &[
    "application/vnd.plinth.raw+json",
    "application/vnd.plinth.text+json",
    "application/vnd.plinth.html+json",
    "application/vnd.plinth.full+json",
];
const INVALID: &[(u16, &str)] = &[(422, "A field is not valid.")];
const INVALID_QUERY: &[(u16, &str)] = &[(422, "A parameter of the query is not valid.")];
const TOO_QUICK: &[(u16, &str)] = &[(422, "A field is not valid, or the endpoint has been spammed.")];

const SINCE: Parameter = parameter(
    "since",
    of::<Timestamp>,
    "Only those updated then or later; a date alone is the start of that day in UTC.",
);
const DIRECTION: Parameter = choice("direction", &["asc", "desc"], "Ignored without `sort`.");

const ABOUT_CREATE: &str = "For everyone who can read the repository. Labels and assignees are ignored without the role triage, and \
    values of issue fields without the role write. Notifies mentioned users and assignees.";
const ABOUT_UPDATE: &str = "For its author, and for callers with the role triage; for a pull request, with the role write. Labels and \
    assignees are ignored without the role triage.";
const ABOUT_LABELS: &str = "Labels that do not exist are created.";
const ABOUT_EDIT: &str = "For its author, and for callers with write access to the repository.";
const ABOUT_COMMENT: &str =
    "Notifies the participants. Creating comments too quickly exceeds the secondary rate limit.";
const LABELS: &str = r#"{"labels": ["bug", "later"]}"#;
const ASSIGNEES: &str = r#"{"assignees": ["mona"]}"#;
const VALUES: &str = r#"{"issue_field_values": [{"field_id": 1, "value": "High"}]}"#;

const ABOUT_SUBSCRIBED: &str = "`assigned` by default. `subscribed` is what the caller is assigned to, has created or is mentioned in; `repos` and `all` mean the same.";
const ACROSS: &[Parameter] = &[
    choice("filter", &["assigned", "created", "mentioned", "subscribed", "repos", "all"], ABOUT_SUBSCRIBED),
    choice("state", &["open", "closed", "all"], "`open` by default."),
    parameter("labels", of::<String>, "Names with commas between them, of which issues have all; at most 16."),
    choice("sort", &["created", "updated", "comments"], "`created` by default."),
    choice("direction", &["asc", "desc"], "`desc` by default."),
    SINCE,
    PER_PAGE,
    PAGE,
];

pub const AREA: Area = Area {
    name: "Issues",
    about: "Issues, and what pull requests have in common with them: comments, labels and assignees.",
    operations: &[
        Operation::new(
            "issues/list",
            "List the issues of the caller",
            "In all repositories that the caller can read; `repos` and `all` list those of the caller's own repositories.",
            ok("The issues and pull requests, with their repositories.", of::<Vec<Issue>>).or(FORMS),
        )
        .query(ACROSS)
        .errors(INVALID_QUERY),
        Operation::new(
            "issues/list-for-authenticated-user",
            "List the issues of the caller in own repositories",
            "In repositories that the caller owns or has a role in.",
            ok("The issues and pull requests, with their repositories.", of::<Vec<Issue>>).or(FORMS),
        )
        .query(ACROSS)
        .errors(INVALID_QUERY),
        Operation::new(
            "issues/list-for-org",
            "List the issues of the caller in an organization",
            "In the organization's repositories that the caller can read.",
            ok("The issues and pull requests, with their repositories.", of::<Vec<Issue>>).or(FORMS),
        )
        .query(ACROSS)
        .errors(INVALID_QUERY),
        Operation::new(
            "issues/list-for-repo",
            "List issues and pull requests",
            ABOUT_FORMS,
            ok("The issues; pull requests among them have `pull_request`.", of::<Vec<Issue>>).or(FORMS),
        )
        .query(&[
            choice("state", &["open", "closed", "all"], "`open` by default."),
            parameter("labels", of::<String>, "Names with commas between them, of which issues have all; at most 16."),
            parameter("assignee", of::<String>, "A login, `none` or `*`."),
            parameter("creator", of::<String>, "A login."),
            parameter("mentioned", of::<String>, "A login."),
            parameter("milestone", of::<String>, "There are no milestones: `none` matches everything."),
            choice("sort", &["created", "updated", "comments"], "`created` by default."),
            choice("direction", &["asc", "desc"], "`desc` by default."),
            SINCE,
            PER_PAGE,
            PAGE,
        ])
        .errors(INVALID_QUERY),
        Operation::new(
            "issues/create",
            "Create an issue",
            ABOUT_CREATE,
            created("The new issue.", of::<Issue>).or(FORMS),
        )
        .body(of::<CreateIssueBody>, r#"{"title": "It does not start", "body": "Since yesterday", "labels": ["bug"]}"#)
        .errors(TOO_QUICK),
        Operation::new(
            "issues/get",
            "Get an issue or a pull request",
            ABOUT_FORMS,
            ok("The issue.", of::<Issue>).or(FORMS),
        ),
        Operation::new(
            "issues/update",
            "Update an issue or a pull request",
            ABOUT_UPDATE,
            ok("The issue after the change.", of::<Issue>).or(FORMS),
        )
        .optional_body(of::<UpdateIssueBody>, r#"{"state": "closed", "state_reason": "not_planned"}"#)
        .errors(INVALID),
        Operation::new(
            "issues/list-comments-for-repo",
            "List the comments of a repository",
            ABOUT_FORMS,
            ok("The comments on issues and pull requests, by `id` unless sorted.", of::<Vec<IssueComment>>).or(FORMS),
        )
        .query(&[
            choice("sort", &["created", "updated"], "The key to sort by; `id` by default."),
            DIRECTION,
            SINCE,
            PER_PAGE,
            PAGE,
        ])
        .errors(INVALID_QUERY),
        Operation::new(
            "issues/get-comment",
            "Get a comment",
            ABOUT_FORMS,
            ok("The comment.", of::<IssueComment>).or(FORMS),
        ),
        Operation::new(
            "issues/update-comment",
            "Update a comment",
            ABOUT_EDIT,
            ok("The comment after the change.", of::<IssueComment>).or(FORMS),
        )
        .body(of::<TextBody>, r#"{"body": "Better now"}"#)
        .errors(INVALID),
        Operation::new("issues/delete-comment", "Delete a comment", ABOUT_EDIT, no_content("Deleted.")),
        Operation::new(
            "issues/list-comments",
            "List the comments on an issue or a pull request",
            ABOUT_FORMS,
            ok("The comments, by `id`.", of::<Vec<IssueComment>>).or(FORMS),
        )
        .query(&[SINCE, PER_PAGE, PAGE])
        .errors(INVALID_QUERY),
        Operation::new(
            "issues/create-comment",
            "Comment on an issue or a pull request",
            ABOUT_COMMENT,
            created("The new comment.", of::<IssueComment>).or(FORMS),
        )
        .body(of::<TextBody>, r#"{"body": "Me, too"}"#)
        .errors(TOO_QUICK),
        Operation::new(
            "issues/list-labels-for-repo",
            "List the labels of a repository",
            "",
            ok("A page of labels, by `id`.", of::<Vec<Label>>),
        )
        .query(PAGES),
        Operation::new("issues/create-label", "Create a label", "", created("The new label.", of::<Label>))
            .body(of::<CreateLabelBody>, r#"{"name": "bug", "color": "d73a4a", "description": "It is broken"}"#)
            .errors(INVALID),
        Operation::new("issues/get-label", "Get a label", "", ok("The label.", of::<Label>)),
        Operation::new(
            "issues/update-label",
            "Update a label",
            "Keys that are absent leave their value unchanged.",
            ok("The label after the change.", of::<Label>),
        )
        .optional_body(of::<UpdateLabelBody>, r#"{"new_name": "defect"}"#)
        .errors(INVALID),
        Operation::new(
            "issues/delete-label",
            "Delete a label",
            "It is removed from all issues and pull requests.",
            no_content("Deleted."),
        ),
        Operation::new(
            "issues/list-labels-on-issue",
            "List the labels of an issue or a pull request",
            "",
            ok("A page of labels.", of::<Vec<Label>>),
        )
        .query(PAGES),
        Operation::new(
            "issues/add-labels",
            "Add labels to an issue or a pull request",
            ABOUT_LABELS,
            ok("All labels afterwards.", of::<Vec<Label>>),
        )
        .optional_body(of::<LabelsBody>, LABELS)
        .errors(INVALID),
        Operation::new(
            "issues/set-labels",
            "Replace the labels of an issue or a pull request",
            ABOUT_LABELS,
            ok("All labels afterwards.", of::<Vec<Label>>),
        )
        .optional_body(of::<LabelsBody>, LABELS)
        .errors(INVALID),
        Operation::new(
            "issues/remove-label",
            "Remove a label from an issue or a pull request",
            "",
            ok("The labels that are left.", of::<Vec<Label>>),
        ),
        Operation::new(
            "issues/remove-all-labels",
            "Remove all labels from an issue or a pull request",
            "",
            no_content("Removed."),
        ),
        Operation::new(
            "issues/list-assignees",
            "List who can be assigned",
            "Users who have a role in the repository.",
            ok("A page of users.", of::<Vec<User>>),
        )
        .query(PAGES),
        Operation::new(
            "issues/check-user-can-be-assigned",
            "Ask whether a user can be assigned",
            "",
            no_content("The user can be assigned."),
        ),
        Operation::new(
            "issues/check-user-can-be-assigned-to-issue",
            "Ask whether a user can be assigned to an issue or a pull request",
            "",
            no_content("The user can be assigned."),
        ),
        Operation::new(
            "issues/add-assignees",
            "Assign users to an issue or a pull request",
            "At most ten. Users who cannot be assigned are ignored.",
            created("The issue after the change.", of::<Issue>).or(FORMS),
        )
        .optional_body(of::<AssigneesBody>, ASSIGNEES)
        .errors(INVALID),
        Operation::new(
            "issues/remove-assignees",
            "Remove assignees from an issue or a pull request",
            "Users who are not assigned are ignored.",
            ok("The issue after the change.", of::<Issue>).or(FORMS),
        )
        .optional_body(of::<AssigneesBody>, ASSIGNEES)
        .errors(INVALID),
        Operation::new(
            "issues/list-issue-field-values-for-issue",
            "List the values of issue fields on an issue",
            "Only members of the organization see values of fields with the visibility `organization_members_only`.",
            ok("A page of values, by field.", of::<Vec<FieldValue>>),
        )
        .query(PAGES),
        Operation::new(
            "issues/add-issue-field-values",
            "Add values of issue fields to an issue",
            "Values of other fields stay; an empty list clears all. Options are named.",
            ok("All values afterwards.", of::<Vec<FieldValue>>),
        )
        .body(of::<FieldValuesBody>, VALUES)
        .errors(INVALID),
        Operation::new(
            "issues/set-issue-field-values",
            "Replace the values of issue fields on an issue",
            "Options are named.",
            ok("All values afterwards.", of::<Vec<FieldValue>>),
        )
        .body(of::<FieldValuesBody>, VALUES)
        .errors(INVALID),
        Operation::new(
            "issues/delete-issue-field-value",
            "Delete the value of an issue field from an issue",
            "",
            no_content("Deleted."),
        ),
    ],
};
