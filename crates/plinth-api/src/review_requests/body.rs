//! Bodies of requests to review.

use schemars::JsonSchema;

use crate::request::shape::from_json;
use plinth_core::review_requests::Reviewers;

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct RequestReviewersBody {
    /// Logins of users with a role in the repository.
    reviewers: Option<Vec<String>>,
    /// There are no teams.
    team_reviewers: Option<Vec<String>>,
}
from_json!(RequestReviewersBody { reviewers, team_reviewers });

impl From<RequestReviewersBody> for Reviewers {
    fn from(body: RequestReviewersBody) -> Self {
        let RequestReviewersBody { reviewers, team_reviewers } = body;
        Self { users: reviewers.unwrap_or_default(), teams: team_reviewers.unwrap_or_default() }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct RemoveReviewersBody {
    /// Logins.
    reviewers: Vec<String>,
    /// There are no teams.
    team_reviewers: Option<Vec<String>>,
}
from_json!(RemoveReviewersBody { reviewers, team_reviewers });

impl From<RemoveReviewersBody> for Reviewers {
    fn from(body: RemoveReviewersBody) -> Self {
        let RemoveReviewersBody { reviewers, team_reviewers } = body;
        Self { users: reviewers, teams: team_reviewers.unwrap_or_default() }
    }
}
