//! The texts of every operation, area by area.

mod accounts;
mod contents;
mod git_objects;
mod git_refs;
mod installations;
mod issue_fields;
mod issues;
mod meta;
mod notifications;
mod oauth;
mod project_fields;
mod project_items;
mod projects;
mod pulls;
mod releases;
mod review_comments;
mod webhooks;

use super::operation::Area;

/// The areas in the order in which they are shown: those of the specification first.
pub const AREAS: &[Area] = &[
    project_fields::AREA,
    issue_fields::AREA,
    review_comments::AREA,
    git_refs::AREA,
    installations::AREA,
    accounts::AREA,
    projects::AREA,
    project_items::AREA,
    pulls::AREA,
    issues::AREA,
    notifications::AREA,
    webhooks::AREA,
    contents::AREA,
    releases::AREA,
    git_objects::AREA,
    git_objects::CLONE_AND_PUSH,
    oauth::AREA,
    meta::AREA,
    meta::PAGES,
];
