//! Requested reviewers on the wire.

use schemars::JsonSchema;
use serde::Serialize;

use crate::accounts::json::User;
use crate::pulls::json::user_of;
use plinth_base::urls::Urls;
use plinth_core::accounts::AccountSummary;

/// Whose reviews are requested.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "pull-request-review-request")]
pub struct RequestedReviewers<'a> {
    users: Vec<User<'a>>,
    teams: [(); 0],
}

impl<'a> RequestedReviewers<'a> {
    pub fn new(reviewers: &'a [AccountSummary], urls: &'a Urls) -> Self {
        Self { users: reviewers.iter().map(|account| user_of(account, urls)).collect(), teams: [] }
    }
}
