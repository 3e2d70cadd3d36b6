//! Payloads about the members of organizations.

use plinth_base::error::Result;
use plinth_base::ids::AccountId;
use plinth_base::urls::Part::{Fixed, Segment};
use plinth_base::urls::Url;
use plinth_core::accounts::events::OrganizationData;
use plinth_core::accounts::{self, OrgRole};
use serde::Serialize;

use super::Context;
use crate::accounts::json::User;

#[derive(Serialize)]
struct Specific<'a> {
    membership: Membership<'a>,
}

#[derive(Serialize)]
struct Membership<'a> {
    url: Url<'a>,
    state: &'static str,
    role: OrgRole,
    organization_url: Url<'a>,
    user: User<'a>,
}

pub async fn render(context: &Context<'_>) -> Result<Option<String>> {
    let OrganizationData { role } = context.data()?;
    let Some(member) = context.event.subject.map(AccountId) else { return Ok(None) };
    let Some(member) = accounts::store::find(&mut context.app.read().await?, member).await? else { return Ok(None) };
    let organization_url = context.urls.org(&context.parties.owner.login);
    let membership = Membership {
        url: organization_url.then(Fixed("/memberships/")).then(Segment(&member.login)),
        state: "active",
        role,
        organization_url,
        user: User::new(&member, context.urls),
    };
    context.write(Specific { membership })
}
