//! A page in the middle of a long list by update, while the list changes at two positions at once.

use std::cell::{Cell, RefCell};

use futures_util::future::join_all;
use serde_json::json;

use super::deep_pages::{ComparedLists, PER_PAGE, REPO_COMMENTS, REVIEWS, read};

const REVIEWS_PUBLISHED: usize = 10;
/// Some are in the middle of their work when the review is published.
const READERS: usize = 4;
/// Comments were inserted with seven times of update. The two of a review are the last of the first and of the fourth of them.
const MOVE_DRAFTS: &str = "update review_comment set updated_at = (select min(updated_at) from review_comment) \
                           + case when id % 2 = 0 then 0 else 3 end \
                           where review_id = (select max(id) from review where state = 'PENDING')";

/// A published review adds one comment before the page and one within it: each page has neither or both.
#[tokio::test]
async fn deep_pages_by_update_are_of_one_moment() {
    let mut lists = ComparedLists::new().await;
    for _ in 0..REVIEWS_PUBLISHED {
        let review = lists.start_review("mona").await;
        lists.write(MOVE_DRAFTS, 2).await;
        let before = lists.expected_by_update("guest", None).await;
        let offset = before.len() * 4 / 7 / PER_PAGE * PER_PAGE;
        let per_page = 2 * PER_PAGE;
        let path = format!("{REPO_COMMENTS}?per_page={per_page}&sort=updated&page={}", offset / per_page + 1);
        let offset = offset / per_page * per_page;
        let page = |all: &[i64]| all[offset..][..per_page].to_vec();
        for _ in 0..3 {
            assert_eq!(read(&lists.fixture.user("guest"), &path).await.0, page(&before));
        }
        let (is_published, found) = (Cell::new(false), RefCell::new(Vec::new()));
        let publish = async {
            let event = json!({ "event": "COMMENT", "body": "Done" });
            lists.fixture.user("mona").post(&format!("{REVIEWS}/{review}/events"), event).await.expect(200);
            is_published.set(true);
        };
        let reading = async || {
            while !is_published.get() {
                let page = read(&lists.fixture.user("guest"), &path).await.0;
                found.borrow_mut().push(page);
                tokio::task::yield_now().await;
            }
        };
        tokio::join!(publish, join_all((0..READERS).map(|_| reading())));
        lists.show_pending_of("mona");
        let after = lists.expected_by_update("guest", None).await;
        assert_ne!(page(&before), page(&after));
        for found in found.into_inner() {
            assert!(
                found == page(&before) || found == page(&after),
                "{found:?}, {:?}, {:?}",
                page(&before),
                page(&after)
            );
        }
    }
}
