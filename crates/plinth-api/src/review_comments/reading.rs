//! Reads comments as fragments, from the cache where it has them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::fragments::fragment_of;
use super::json::Ready;
use crate::app::App;
use crate::app::comment_fragments::{Fragment, FragmentKey, Representation};
use crate::rendering::render;
use crate::request::context::RequestContext;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, CommentId, PullId};
use plinth_core::pulls::threads::{self, Position};
use plinth_core::repos::Repo;
use plinth_core::review_comments::model::{Comment, CommentColumns, Listing, ListingOfColumns, WrittenComment};
use plinth_core::review_comments::{ListedRepo, list_page, store};
use plinth_store::{Dependency, Generations};

/// A request that reads comments of a repository.
pub struct Reading<'a> {
    pub app: &'a App,
    pub context: &'a RequestContext,
    pub repo: &'a Repo,
    /// The caller, who also sees their own pending comments.
    pub viewer: Option<AccountId>,
}

/// A page, and the length of the list.
pub type Page = (Vec<Arc<Fragment>>, i64);
/// A page, and the authors of pending reviews, if they were read with it.
type PageWithAuthors = (Page, Option<Vec<(AccountId,)>>);

impl Reading<'_> {
    /// One comment. What is in memory and not pending is the same for everybody who may read the repository.
    pub async fn find(&self, id: CommentId) -> Result<Arc<Fragment>> {
        let known = if self.uses_cache() { self.find_unchanged(id) } else { None };
        match known.filter(|fragment| !fragment.columns.pending) {
            Some(fragment) => {
                self.app.metrics.count_comment();
                Ok(fragment)
            }
            None => self.read(id).await,
        }
    }

    /// As [`Reading::find`], from the store.
    pub async fn read(&self, id: CommentId) -> Result<Arc<Fragment>> {
        let mut db = self.app.read().await?;
        if self.uses_cache() {
            let columns = store::find_columns(&mut db, self.repo.id, id, self.viewer).await?.ok_or(Error::NotFound)?;
            if let Some(cached) = self.find_cached(&columns) {
                self.confirm(&cached);
                return Ok(cached);
            }
        }
        let comment = store::find(&mut db, self.repo.id, id, self.viewer).await?.ok_or(Error::NotFound)?;
        drop(db);
        self.fragment(comment).await
    }

    pub async fn list(&self, listing: &Listing, window: (i64, i64)) -> Result<Page> {
        if !self.uses_cache() {
            return Ok(self.list_all(listing, window).await?.0);
        }
        if let Some(page) = self.list_known(listing, window).await? {
            self.app.metrics.count_comment_page();
            return Ok(page);
        }
        if let Some(page) = self.list_published(listing, window).await? {
            return Ok(page);
        }
        let (page, pending) = match self.list_cached(listing, window).await? {
            Some(found) => found,
            None => self.list_all(listing, window).await?,
        };
        self.remember(listing, window, &page, pending).await?;
        Ok(page)
    }

    /// As [`Reading::list`], without a cache.
    async fn list_all(&self, listing: &Listing, window: (i64, i64)) -> Result<PageWithAuthors> {
        let mut db = self.app.read().await?;
        let pending = self.send_authors_with_list(&mut db).await?;
        let (comments, total) = list_page(self.app, &mut db, self.listed(), listing, window).await?;
        let pending = db.rows_if_sent(pending).await?;
        drop(db);
        Ok(((self.fragments(comments).await?, total), pending))
    }

    /// As [`Reading::list`]; nothing if too few of the comments are cached, or if something has changed meanwhile.
    async fn list_cached(&self, listing: &Listing, window: (i64, i64)) -> Result<Option<PageWithAuthors>> {
        let mut db = self.app.read().await?;
        let pending = self.send_authors_with_list(&mut db).await?;
        let (columns, total) = list_page(self.app, &mut db, self.listed(), &ListingOfColumns(*listing), window).await?;
        let pending = db.rows_if_sent(pending).await?;
        let cached: Vec<_> = columns.iter().map(|columns| self.find_cached(columns)).collect();
        let missing = || columns.iter().zip(&cached).filter(|(_, found)| found.is_none()).map(|(columns, _)| columns);
        // One statement for all is faster than one for each.
        if missing().count() > cached.len() / 2 {
            return Ok(None);
        }
        let found = store::find_each(&mut db, self.repo.id, missing().map(|columns| columns.id), self.viewer).await?;
        drop(db);
        let is_equal = |(comment, columns): &(Comment, &CommentColumns)| CommentColumns::from(comment) == **columns;
        let found =
            found.into_iter().zip(missing()).map(|(comment, columns)| Some((comment?, columns)).filter(is_equal));
        let Some(comments) = found.map(|found| Some(found?.0)).collect::<Option<Vec<_>>>() else { return Ok(None) };
        if !comments.is_empty() && !self.is_unchanged().await {
            return Ok(None);
        }
        let mut made = self.fragments(comments).await?.into_iter();
        let page: Option<Vec<_>> = cached.into_iter().map(|found| found.or_else(|| made.next())).collect();
        Ok(page.map(|page| ((page, total), pending)))
    }

    /// Whether comments are shown as they were written. Rendered bodies depend on more than the comments.
    pub fn is_plain(&self) -> bool {
        let media = self.context.media;
        !media.shows_text() && !media.shows_html()
    }

    fn listed(&self) -> ListedRepo {
        ListedRepo { id: self.repo.id, generations: self.context.generations }
    }

    /// Whether fragments for this request are cached. Rendered bodies have a cache of their own.
    fn uses_cache(&self) -> bool {
        self.app.comment_fragments.is_on() && self.context.generations.is_some() && self.is_plain()
    }

    fn find_cached(&self, columns: &CommentColumns) -> Option<Arc<Fragment>> {
        self.app.comment_fragments.find(&self.key(columns.id), columns)
    }

    /// The cached fragment of a comment, if nothing has written to the comment since.
    pub fn find_unchanged(&self, id: CommentId) -> Option<Arc<Fragment>> {
        self.app.comment_fragments.find_unchanged(&self.key(id))
    }

    /// Notes that a fragment is right for its comment as this request has read it, so that [`Reading::find_unchanged`] finds it.
    fn confirm(&self, fragment: &Arc<Fragment>) {
        if let Some(read_at) = self.context.generations {
            self.app.comment_fragments.insert(read_at, self.key(fragment.columns.id), fragment);
        }
    }

    fn key(&self, comment: CommentId) -> FragmentKey {
        FragmentKey { repo: self.repo.id, comment, representation: self.representation() }
    }

    pub fn representation(&self) -> Representation {
        let RequestContext { media, version, ref urls, .. } = *self.context;
        Representation { media, version, urls: urls.clone() }
    }

    /// Whether all statements of this request have seen the same of everything that comments show besides their own rows.
    async fn is_unchanged(&self) -> bool {
        let shown = Dependency::Pulls(self.repo.id);
        self.checked_generations().await.is_some_and(|since| self.app.generation_table().is_unchanged(since, shown))
    }

    /// The generations when this request began, after commits of other processes were looked for.
    pub async fn checked_generations(&self) -> Option<Generations> {
        let is_known = self.app.generations().await.is_some();
        self.context.generations.filter(|_| is_known)
    }

    pub async fn fragment(&self, comment: Comment) -> Result<Arc<Fragment>> {
        self.fragment_as_of(self.context.generations, comment).await
    }

    /// The fragment of a comment that this request has written, which those who read the comment next find in the cache.
    pub async fn written(&self, WrittenComment { comment, generations }: WrittenComment) -> Result<Arc<Fragment>> {
        // The repository is shown as it was when the request began.
        let shown = Dependency::Pulls(self.repo.id);
        let is_unchanged = |since| self.app.generation_table().is_unchanged(since, shown);
        let generations = generations.filter(|_| self.context.generations.is_some_and(is_unchanged));
        self.fragment_as_of(generations, comment).await
    }

    async fn fragment_as_of(&self, read_at: Option<Generations>, comment: Comment) -> Result<Arc<Fragment>> {
        let made = self.fragments_as_of(read_at, vec![comment]).await?.pop();
        made.ok_or_else(|| Error::internal("one comment became none"))
    }

    pub async fn fragments(&self, comments: Vec<Comment>) -> Result<Vec<Arc<Fragment>>> {
        self.fragments_as_of(self.context.generations, comments).await
    }

    /// Makes the fragments of comments that were read as of these generations, and adds them to the cache.
    async fn fragments_as_of(
        &self,
        read_at: Option<Generations>,
        mut comments: Vec<Comment>,
    ) -> Result<Vec<Arc<Fragment>>> {
        let Self { app, context, repo, .. } = *self;
        // A position that is not stored yet is not cached either.
        let complete: Vec<bool> = comments.iter().map(|comment| comment.position.is_some()).collect();
        fill_positions(app, repo, &mut comments).await?;
        let bodies = comments.iter().map(|comment| comment.body.as_str());
        let mut rendered = render(app, context, repo, bodies).await?.into_iter();
        let read_at = read_at.filter(|_| self.uses_cache());
        let made = comments.into_iter().zip(complete).map(|(mut comment, is_complete)| {
            let position = comment.position.take().ok_or_else(|| Error::internal("a position was not computed"))?;
            let ready = Ready { comment, position, rendered: rendered.next().flatten() };
            let fragment = Arc::new(fragment_of(&ready, repo, context, is_complete));
            if let Some(read_at) = read_at.filter(|_| is_complete) {
                app.comment_fragments.insert(read_at, self.key(fragment.columns.id), &fragment);
            }
            Ok(fragment)
        });
        made.collect()
    }
}

/// Computes the missing positions, one pull request at a time.
async fn fill_positions(app: &App, repo: &Repo, comments: &mut [Comment]) -> Result<()> {
    let mut missing: BTreeMap<PullId, BTreeMap<i64, usize>> = BTreeMap::new();
    for (index, comment) in comments.iter().enumerate().filter(|(_, comment)| comment.position.is_none()) {
        missing.entry(comment.pull_id).or_default().insert(comment.thread.id, index);
    }
    for (pull, threads) in missing {
        let wanted: Vec<_> = threads.values().map(|index| comments[*index].thread.clone()).collect();
        let Some(version) = threads.values().next().map(|index| comments[*index].version) else { continue };
        let positions = threads::find_positions(app, repo.id, pull, &version, wanted).await?;
        let by_thread: BTreeMap<i64, Position> = threads.into_keys().zip(positions).collect();
        for comment in comments.iter_mut().filter(|comment| comment.pull_id == pull && comment.position.is_none()) {
            comment.position = by_thread.get(&comment.thread.id).cloned();
        }
    }
    Ok(())
}
