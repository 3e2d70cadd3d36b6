//! Pages whose comments are known, so that no list is read for them: see [`CommentPages`](crate::app::comment_pages::CommentPages).

use std::sync::Arc;

use super::reading::{Page, Reading};
use crate::app::comment_fragments::Fragment;
use crate::app::comment_pages::{CommentPage, EXCEPTIONS_MAX, FoundPage, PageComment, PageKey};
use plinth_base::error::Result;
use plinth_base::ids::{AccountId, CommentId};
use plinth_core::review_comments::model::Listing;
use plinth_core::review_comments::reviews::store as reviews;
use plinth_core::review_comments::{list_length, list_published_ids, store};
use plinth_store::{Connection, Generations, Sent};

/// A comment, and its fragment where that is known already.
type KnownComment = (CommentId, Option<Arc<Fragment>>);
/// Those who see pending comments of their own in lists of a repository.
pub type SentAuthors = Sent<Vec<(AccountId,)>>;

impl Reading<'_> {
    /// A page whose comments are known. Nothing if they are not, or if too much has changed.
    pub async fn list_known(&self, listing: &Listing, window: (i64, i64)) -> Result<Option<Page>> {
        let Some(found) = self.app.comment_pages.find(&self.page_key(listing, window), listing.viewer) else {
            return Ok(None);
        };
        if found.is_current {
            // Nothing has changed since the page was read, so its fragments and its total are of one moment.
            let fragments: Option<Vec<_>> = found.page.comments.iter().map(PageComment::fragment).collect();
            return Ok(fragments.map(|fragments| (fragments, found.page.total)));
        }
        let Some(comments) = self.unchanged_comments(&found) else { return Ok(None) };
        let Some(fragments) = self.find_all(comments).await? else { return Ok(None) };
        // Otherwise the fragments may be of different moments.
        if !self.are_unchanged(&found.page.comments).await {
            return Ok(None);
        }
        let mut db = self.app.read().await?;
        let total = list_length(&mut db, listing).await?;
        drop(db);
        let page = (fragments, total);
        // Nobody has begun or ended a pending review: that would have changed all comments.
        self.insert(listing, window, &page, found.page.exceptions.clone());
        Ok(Some(page))
    }

    /// A page of a repository in which nobody has a pending review, of which only the ids and what is not cached are read.
    pub async fn list_published(&self, listing: &Listing, window: (i64, i64)) -> Result<Option<Page>> {
        if !self.app.comment_pages.is_on() {
            return Ok(None);
        }
        let mut db = self.app.read().await?;
        let pending = self.send_authors_of_pending(&mut db).await?;
        let found = list_published_ids(&mut db, listing, window).await?;
        if !db.rows(pending).await?.is_empty() {
            return Ok(None);
        }
        drop(db);
        let Some((comments, total)) = found else { return Ok(None) };
        let unknown = comments.into_iter().map(|id| (id, None)).collect();
        let Some(fragments) = self.find_all(unknown).await? else { return Ok(None) };
        if !self.is_list_unchanged().await {
            return Ok(None);
        }
        let page = (fragments, total);
        self.insert(listing, window, &page, Vec::new());
        Ok(Some(page))
    }

    /// Adds a page that was just read to the cache; `pending` are the authors of pending reviews, if they were read with it.
    pub async fn remember(
        &self,
        listing: &Listing,
        window: (i64, i64),
        page: &Page,
        pending: Option<Vec<(AccountId,)>>,
    ) -> Result<()> {
        if !self.app.comment_pages.is_on() {
            return Ok(());
        }
        let exceptions = match pending {
            Some(pending) => pending.into_iter().map(|(author,)| author).collect(),
            // After the page: who begins a review later has pending comments after those of a full page.
            None => self.list_authors_of_pending(&mut self.app.read().await?).await?,
        };
        if !listing.viewer.is_some_and(|viewer| exceptions.contains(&viewer)) {
            self.insert(listing, window, page, exceptions);
        }
        Ok(())
    }

    fn insert(&self, listing: &Listing, window: (i64, i64), (fragments, total): &Page, exceptions: Vec<AccountId>) {
        // A position that is not stored yet is read again.
        let is_for_all = |fragment: &Arc<Fragment>| fragment.is_complete && !fragment.columns.pending;
        if let Some(read_at) = self.context.generations
            && fragments.iter().all(is_for_all)
        {
            let comments = fragments.iter().map(PageComment::from).collect();
            let page = CommentPage { comments, total: *total, exceptions };
            self.app.comment_pages.insert(read_at, self.repo.id, self.page_key(listing, window), page);
        }
    }

    fn page_key(&self, listing: &Listing, window: (i64, i64)) -> PageKey {
        PageKey::new(self.representation(), listing, window)
    }

    /// The comments of a full page, each with its fragment if it has not changed since the page was read. Nothing if more has changed than
    /// some of the comments: a change that may have deleted comments may have changed any of them.
    fn unchanged_comments(&self, FoundPage { page, read_at, .. }: &FoundPage) -> Option<Vec<KnownComment>> {
        let unchanged: Vec<bool> =
            page.comments.iter().map(|comment| self.is_comment_unchanged(*read_at, comment.id)).collect();
        if unchanged.iter().filter(|is_unchanged| **is_unchanged).count() < unchanged.len().div_ceil(2) {
            return None;
        }
        let known = |(comment, is_unchanged): (&PageComment, bool)| {
            (comment.id, if is_unchanged { comment.fragment() } else { None })
        };
        Some(page.comments.iter().zip(unchanged).map(known).collect())
    }

    /// The fragments of comments. Nothing if most of them are not cached, or if one is not there any more.
    async fn find_all(&self, comments: Vec<KnownComment>) -> Result<Option<Vec<Arc<Fragment>>>> {
        let cached = comments.into_iter().map(|(id, known)| (id, known.or_else(|| self.find_unchanged(id))));
        let cached: Vec<_> = cached.collect();
        let missing: Vec<_> = cached.iter().filter(|(_, found)| found.is_none()).map(|(id, _)| *id).collect();
        if missing.len() > cached.len() / 2 {
            return Ok(None);
        }
        let mut made = Vec::new();
        if !missing.is_empty() {
            let mut db = self.app.read().await?;
            let found = store::find_each(&mut db, self.repo.id, missing.into_iter(), self.viewer).await?;
            drop(db);
            let Some(found) = found.into_iter().collect() else { return Ok(None) };
            made = self.fragments(found).await?;
            // A position that is not stored yet is not cached either.
            if !made.iter().all(|fragment| fragment.is_complete) {
                return Ok(None);
            }
        }
        let mut made = made.into_iter();
        Ok(cached.into_iter().map(|(_, found)| found.or_else(|| made.next())).collect())
    }

    /// Those who see pending comments of their own in lists of this repository.
    async fn list_authors_of_pending(&self, db: &mut Connection) -> Result<Vec<AccountId>> {
        let sent = self.send_authors_of_pending(db).await?;
        Ok(db.rows(sent).await?.into_iter().map(|(author,)| author).collect())
    }

    async fn send_authors_of_pending(&self, db: &mut Connection) -> Result<SentAuthors> {
        let limit = i64::try_from(EXCEPTIONS_MAX + 1).unwrap_or(i64::MAX);
        Ok(reviews::send_authors_of_pending(db, self.repo.id, limit).await?)
    }

    /// Asks for them together with a list, where that takes no round trip of its own. There, a cached page is valid only while nothing has
    /// changed, so it does not matter which of the two is read first.
    pub async fn send_authors_with_list(&self, db: &mut Connection) -> Result<Option<SentAuthors>> {
        match db.sends_together() && self.app.comment_pages.is_on() {
            true => Ok(Some(self.send_authors_of_pending(db).await?)),
            false => Ok(None),
        }
    }

    /// Whether the list is still as it was when this request began.
    async fn is_list_unchanged(&self) -> bool {
        let list = store::dependency_on_all(self.repo.id);
        self.checked_generations().await.is_some_and(|since| self.app.generation_table().is_unchanged(since, list))
    }

    /// Whether these comments are still as they were when this request began.
    async fn are_unchanged(&self, comments: &[PageComment]) -> bool {
        let since = self.checked_generations().await;
        since.is_some_and(|since| comments.iter().all(|comment| self.is_comment_unchanged(since, comment.id)))
    }

    fn is_comment_unchanged(&self, since: Generations, id: CommentId) -> bool {
        self.app.generation_table().is_unchanged(since, store::dependency_on(self.repo.id, id))
    }
}
