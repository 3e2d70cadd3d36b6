//! Payloads about repositories and their collaborators.

use plinth_base::error::Result;
use plinth_base::ids::AccountId;
use plinth_core::access::Role;
use plinth_core::accounts;
use plinth_core::repos::events::{MemberData, RepositoryData};
use serde::Serialize;

use super::Context;
use super::common::From;
use crate::accounts::json::User;

#[derive(Serialize)]
struct Edited<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Changes<'a>>,
}

#[derive(Serialize)]
struct Changes<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    default_branch: Option<From<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<From<Option<&'a str>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    homepage: Option<From<Option<&'a str>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    topics: Option<From<Vec<&'a str>>>,
}

pub fn render(context: &Context<'_>) -> Result<Option<String>> {
    let data: RepositoryData = context.data()?;
    let changes = data.changes.as_ref().map(|changes| Changes {
        default_branch: changes.default_branch.as_deref().map(|from| From { from }),
        description: changes.description.as_ref().map(|from| From { from: from.as_deref() }),
        homepage: changes.homepage.as_ref().map(|from| From { from: from.as_deref() }),
        topics: changes.topics.as_deref().map(|from| From { from: from.split_whitespace().collect() }),
    });
    context.write(Edited { changes })
}

#[derive(Serialize)]
struct Member<'a> {
    member: User<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<MemberChanges>,
}

#[derive(Serialize)]
struct MemberChanges {
    permission: PermissionChange,
    #[serde(skip_serializing_if = "Option::is_none")]
    role_name: Option<RoleName>,
}

/// A permission is one of three; `role_name` is more precise.
#[derive(Serialize)]
struct PermissionChange {
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'static str>,
    to: &'static str,
}

#[derive(Serialize)]
struct RoleName {
    to: &'static str,
}

pub async fn render_member(context: &Context<'_>) -> Result<Option<String>> {
    let data: MemberData = context.data()?;
    let Some(member) = context.event.subject.map(AccountId) else { return Ok(None) };
    let Some(member) = accounts::store::find(&mut context.app.read().await?, member).await? else { return Ok(None) };
    let changes = data.after.map(|role| MemberChanges {
        permission: PermissionChange { from: data.before.map(permission), to: permission(role) },
        role_name: data.before.is_none().then_some(RoleName { to: role.as_str() }),
    });
    context.write(Member { member: User::new(&member, context.urls), changes })
}

fn permission(role: Role) -> &'static str {
    match role {
        Role::Read | Role::Triage => "read",
        Role::Write | Role::Maintain => "write",
        Role::Admin => "admin",
    }
}
