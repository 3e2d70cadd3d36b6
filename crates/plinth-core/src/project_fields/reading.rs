//! Reads fields of projects, from the cache where it has them: callers differ, fields rarely change.

use std::sync::Arc;

use super::model::{Contents, ProjectField};
use super::store;
use crate::Core;
use crate::access::{Access, Target};
use crate::caches::{CacheName, DisabledCaches};
use crate::paging::{CursorPage, Edge, Window};
use crate::projects::Project;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{ProjectFieldId, ProjectId};
use plinth_store::{Connection, Dependency, GenerationCache, Store};

const CACHE_BYTES: usize = 8 << 20;

/// Which fields of a project are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wanted {
    Field(ProjectFieldId),
    Page(CursorPage),
}

/// Fields with their options and iterations.
pub struct Found {
    pub window: Window<ProjectField>,
    pub contents: Contents,
}

/// An entry is valid until rights or the content of the project's owner change.
pub type ProjectFieldCache = GenerationCache<(ProjectId, Wanted), Arc<Found>>;

pub fn new_project_field_cache(store: &Store, disabled: &DisabledCaches) -> ProjectFieldCache {
    let bytes = disabled.capacity(CacheName::ProjectFields, CACHE_BYTES);
    GenerationCache::new(store.generation_table().clone(), bytes, |_, found| {
        let fields = found.window.items.iter().map(|field| size_of::<ProjectField>() + field.name.len());
        size_of::<Found>() + fields.sum::<usize>() + found.contents.bytes()
    })
}

/// One field, which must exist, or a page of fields.
pub async fn read<T: Target + AsRef<Project>>(core: &Core, access: &Access<T>, wanted: Wanted) -> Result<Arc<Found>> {
    let project = access.target.as_ref().id;
    let generations = access.generations();
    if let Some(cached) = generations.and_then(|_| core.project_field_cache.get(&(project, wanted))) {
        return Ok(cached);
    }
    let mut db = core.read().await?;
    let window = match wanted {
        Wanted::Field(id) => {
            let field = store::find(&mut db, project, id).await?.ok_or(Error::NotFound)?;
            Window { items: vec![field], before_first: None, after_last: None }
        }
        Wanted::Page(page) => find_window(&mut db, project, page).await?,
    };
    let contents = store::find_contents(&mut db, &window.items).await?;
    let found = Arc::new(Found { window, contents });
    if let Some(generations) = generations {
        let dependency = Dependency::Content(access.scope());
        core.project_field_cache.insert(generations, dependency, (project, wanted), found.clone());
    }
    Ok(found)
}

async fn find_window(db: &mut Connection, project: ProjectId, page: CursorPage) -> Result<Window<ProjectField>> {
    let limit = page.per_page + 1;
    let (found, has_more) = match page.edge {
        Edge::Start => (store::list_after(db, project, 0, limit).await?, false),
        Edge::After(edge) => {
            let has_more = store::list_before(db, project, edge.saturating_add(1), 1).await?;
            (store::list_after(db, project, edge, limit).await?, !has_more.is_empty())
        }
        Edge::Before(edge) => {
            let has_more = store::list_after(db, project, edge.saturating_sub(1), 1).await?;
            (store::list_before(db, project, edge, limit).await?, !has_more.is_empty())
        }
    };
    Ok(Window::new(page, found, has_more, |field| field.id.0))
}
