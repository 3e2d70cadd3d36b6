//! The languages of a repository.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::app::App;
use crate::policy::table::ListLanguages;
use crate::request::Allowed;
use crate::response::api_response::ApiResponse;
use plinth_base::error::Result;
use plinth_core::repos::RepoTarget;
use plinth_core::repos::statistics::store;

/// Languages with their bytes, the largest first.
struct Languages(Vec<(String, u64)>);

impl Serialize for Languages {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, bytes)| (name, bytes)))
    }
}

/// As [`Languages`] are described.
pub type LanguagesSchema = BTreeMap<String, u64>;

pub async fn list(access: Allowed<ListLanguages, RepoTarget>, app: App) -> Result<ApiResponse> {
    let found = store::find_languages(&mut app.read().await?, access.repo.id).await?;
    Ok(ApiResponse::ok(&Languages(found)))
}
