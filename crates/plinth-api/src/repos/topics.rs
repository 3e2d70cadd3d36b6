//! The topics of a repository.

use schemars::JsonSchema;
use serde::Serialize;

use super::body::TopicsBody;
use crate::app::App;
use crate::policy::table::{GetTopics, ReplaceTopics};
use crate::request::Allowed;
use crate::request::body::Json;
use crate::response::api_response::ApiResponse;
use plinth_base::error::Result;
use plinth_core::repos::{RepoTarget, operations};

/// The topics of a repository.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "topic")]
pub struct Topics<'a> {
    names: Vec<&'a str>,
}

impl<'a> Topics<'a> {
    /// `topics` as they are stored.
    pub fn new(topics: &'a str) -> Self {
        Self { names: topics.split_whitespace().collect() }
    }
}

pub async fn get(access: Allowed<GetTopics, RepoTarget>, _: App) -> Result<ApiResponse> {
    Ok(ApiResponse::ok(&Topics::new(&access.repo.topics)))
}

pub async fn replace(
    access: Allowed<ReplaceTopics, RepoTarget>,
    app: App,
    Json(body): Json<TopicsBody>,
) -> Result<ApiResponse> {
    let topics = operations::replace_topics(&app, &access.for_writing(), &body.names).await?;
    Ok(ApiResponse::ok(&Topics::new(&topics)))
}
