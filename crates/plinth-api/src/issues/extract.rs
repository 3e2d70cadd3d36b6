//! The issue or pull request that a path names. It is looked up before the body is read, so that 404 takes precedence over
//! 422.

use plinth_base::error::{Error, Result};
use plinth_core::conversations::{Conversation, check_permission, store};
use plinth_core::repos::RepoTarget;
use plinth_core::tokens::Level;

use crate::app::App;
use crate::policy::Endpoint;
use crate::request::Allowed;
use crate::request::handler::{ApiRequest, FromRequest};

/// The issue or pull request of the path. As a handler's parameter it comes after the proof of the right, and so runs
/// after it.
pub struct FoundConversation(pub Conversation);

impl FromRequest for FoundConversation {
    async fn from_request(request: &mut ApiRequest, app: &App) -> Result<Self> {
        let context = request.context.clone();
        let params = &context.params;
        let number = params.number("issue_number").ok_or(Error::NotFound)?;
        let repo = (params.get("owner"), params.get("repo"));
        store::find_at(&mut app.read().await?, repo, number).await?.map(Self).ok_or(Error::NotFound)
    }
}

/// Checks that the caller's permissions cover an issue, or a pull request.
pub fn check<E: Endpoint>(access: &Allowed<E, RepoTarget>, of: &Conversation) -> Result<()> {
    let level = if E::ROW.rule.is_write() { Level::Write } else { Level::Read };
    check_permission(of, access.caller(), &access.grant, (level, !access.repo.private))
}
