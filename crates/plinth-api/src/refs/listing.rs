//! Lists of references of any length, built while they are sent.

use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;

use super::json::Reference;
use crate::app::App;
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_base::urls::Urls;
use plinth_core::refs::{Ref, store};
use plinth_core::repos::Repo;
use plinth_store::Connection;

/// References read at once; memory has one such batch, however long the list is.
const BATCH: i64 = 1_000;

/// The seed of a list's entity tag: the generation changes with every reference of the repository.
pub fn seed(repo: &Repo, prefix: Option<&str>) -> Vec<u8> {
    format!("refs {} {}/{} {} {prefix:?}", repo.id, repo.owner_login, repo.name, repo.ref_generation).into_bytes()
}

/// The first references with this prefix.
pub async fn first_batch(db: &mut Connection, repo: &Repo, prefix: Option<&str>) -> Result<Vec<Ref>> {
    match prefix {
        Some(prefix) => Ok(store::list(db, repo.id, prefix, "", BATCH).await?),
        None => Ok(Vec::new()),
    }
}

/// The whole list, of which the first batch has been read.
pub fn respond(app: &App, repo: &Repo, urls: &Urls, prefix: Option<String>, first: Vec<Ref>) -> ApiResponse {
    let seed = seed(repo, prefix.as_deref());
    if is_last(&first) {
        let list: Vec<_> = first.iter().map(|reference| Reference::new(reference, repo, urls)).collect();
        return ApiResponse::ok(&list).with_entity_seed(seed);
    }
    let listing = Listing {
        app: app.clone(),
        repo: Arc::new(repo.clone()),
        urls: urls.clone(),
        prefix: prefix.unwrap_or_default(),
        first: Some(first),
        after: String::new(),
        state: State::Beginning,
    };
    ApiResponse::streamed(Body::from_stream(stream::unfold(listing, Listing::next)), seed)
}

fn is_last(batch: &[Ref]) -> bool {
    i64::try_from(batch.len()).is_ok_and(|count| count < BATCH)
}

/// A list being sent. It has no database connection between two batches, so a slow client blocks nobody.
struct Listing {
    app: App,
    repo: Arc<Repo>,
    urls: Urls,
    prefix: String,
    first: Option<Vec<Ref>>,
    after: String,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Beginning,
    Continuing,
    Ended,
}

impl Listing {
    async fn next(mut self) -> Option<(Result<Bytes, Error>, Self)> {
        if self.state == State::Ended {
            return None;
        }
        let batch = match self.next_batch().await {
            Ok(batch) => batch,
            Err(error) => {
                tracing::error!(%error, "a list of references failed");
                self.state = State::Ended;
                return Some((Err(error), self));
            }
        };
        let mut chunk = Vec::with_capacity(batch.len() * 512);
        for reference in &batch {
            chunk.push(if self.state == State::Beginning { b'[' } else { b',' });
            self.state = State::Continuing;
            let shown = Reference::new(reference, &self.repo, &self.urls);
            serde_json::to_writer(&mut chunk, &shown).expect("our shapes have text keys and no failing parts");
        }
        match batch.last() {
            Some(last) => self.after = last.name.to_string(),
            None if self.state == State::Beginning => chunk.push(b'['),
            None => {}
        }
        if is_last(&batch) {
            chunk.push(b']');
            self.state = State::Ended;
        }
        Some((Ok(chunk.into()), self))
    }

    async fn next_batch(&mut self) -> Result<Vec<Ref>> {
        if let Some(first) = self.first.take() {
            return Ok(first);
        }
        let mut db = self.app.read().await?;
        Ok(store::list(&mut db, self.repo.id, &self.prefix, &self.after, BATCH).await?)
    }
}
