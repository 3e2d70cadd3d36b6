//! References moved in one transaction, where a glance is enough to judge the move.
//!
//! This is how most moves go: the commits are in memory, and one is the parent of the other. The transaction reads where
//! the reference is, judges and writes, so nobody can come in between.

use super::json::RefUpdate;
use super::moves::{get, shown};
use super::rules;
use crate::api::access::{Allowed, Endpoint, Recheck, RepoTarget};
use crate::app::App;
use crate::clock::Timestamp;
use crate::db::Connection;
use crate::error::{Error, Result};
use crate::git::RefName;
use crate::ids::RepoId;
use crate::objects::Objects;
use crate::pulls::{self, Moved};
use crate::refs::{self, Change, Ref};

/// A move that is asked for, with what the judgement needs.
struct Asked<E> {
    right: Recheck<E, RepoTarget>,
    repo: RepoId,
    name: RefName,
    update: RefUpdate,
    objects: Objects,
    now: Timestamp,
}

/// Moves a reference; nothing where that takes more than a glance. The caller holds back the removal of objects.
pub async fn update<E: Endpoint>(
    app: &App,
    access: &Allowed<E, RepoTarget>,
    name: &RefName,
    update: &RefUpdate,
) -> Result<Option<Ref>> {
    let repo = access.repo.id;
    let (right, name, update) = (access.recheck(), name.clone(), update.clone());
    let asked = Asked { right, repo, name, update, objects: app.objects.clone(), now: app.clock.now() };
    let moved = app.store.write(asked, |tx, asked| Box::pin(judge_and_move(tx, asked))).await?;
    Ok(moved.map(|(reference, moved)| {
        pulls::follow(app, repo, moved);
        reference
    }))
}

async fn judge_and_move<E: Endpoint>(tx: &mut Connection, asked: &Asked<E>) -> Result<Option<(Ref, Moved)>> {
    asked.right.ask_if_moved(tx).await?;
    let current = get(tx, asked.repo, &asked.name).await?;
    let judged = asked.objects.glance(asked.repo, |reader| rules::check_move(reader, &current, &asked.update));
    let (target, workflows) = match judged {
        Some(judged) => judged?,
        None => return Ok(None),
    };
    if workflows {
        // That takes another look, and another right.
        return Ok(None);
    }
    if target.sha == current.target {
        return Ok(Some((current, Moved::default())));
    }
    let change = [Change { name: asked.name.clone(), old: Some(current.target), new: Some(target) }];
    match refs::apply(tx, asked.repo, &change, asked.now).await?.as_slice() {
        [Ok(())] => {}
        _ => return Err(Error::internal("a reference moved inside its own transaction")),
    }
    let moved = pulls::refs_moved(tx, asked.repo, &change, asked.now).await?;
    Ok(Some((shown(&asked.name, target), moved)))
}
