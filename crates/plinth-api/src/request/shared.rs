//! Bodies that callers share: see [`SharedBodies`](crate::app::shared_bodies::SharedBodies).

use super::Allowed;
use crate::app::App;
use crate::app::shared_bodies::BodyKey;
use crate::policy::Endpoint;
use crate::response::api_response::ApiResponse;
use plinth_base::error::Result;
use plinth_core::repos::RepoTarget;
use plinth_store::Dependency;

/// 200 with the cached JSON, or what `make` returns, which is such a response. Its body must depend only on the path and the query, the
/// media type and the version, the URLs, and the given dependency; all else of a response is added by the caller.
pub async fn shared<E: Endpoint, F>(
    app: &App,
    access: &Allowed<E, RepoTarget>,
    make: impl FnOnce() -> F,
) -> Result<ApiResponse>
where
    F: Future<Output = Result<(ApiResponse, Dependency)>>,
{
    let read_at = access.context().generations.filter(|_| app.shared_bodies.is_on());
    let Some(read_at) = read_at else { return Ok(make().await?.0) };
    let key = key(access);
    if let Some(found) = app.shared_bodies.find(&key) {
        app.metrics.count_shared_body();
        return Ok(ApiResponse::written_json(found));
    }
    let (response, dependency) = make().await?;
    if let Some(body) = response.to_body() {
        app.shared_bodies.insert(read_at, dependency, key, body);
    }
    Ok(response)
}

fn key<E: Endpoint>(access: &Allowed<E, RepoTarget>) -> BodyKey {
    let context = access.context();
    let lengths = [context.path.len(), context.query.len(), context.urls.web().len(), context.urls.api().len()];
    let lengths = lengths.map(usize::to_le_bytes);
    context.entity_tag_key.digest(&[
        // A path may lead to another repository after a rename, which changes rights. The id is one more check.
        &access.repo.id.0.to_le_bytes(),
        lengths.as_flattened(),
        context.path.as_bytes(),
        context.query.as_bytes(),
        context.urls.web().as_bytes(),
        context.urls.api().as_bytes(),
        context.version.as_str().as_bytes(),
        context.media.header().as_bytes(),
    ])
}
