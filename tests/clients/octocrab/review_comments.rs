//! Comments on the diff of a pull request.

use octocrab::models::CommentId;
use octocrab::models::pulls::{Comment, ReviewComment};
use octocrab::params::Direction;
use octocrab::params::pulls::comments::Sort;
use octocrab::params::repos::Reference;
use octocrab::{Octocrab, Page};
use serde_json::{Value, json};

use crate::support::{HUBOT, HUBOT_READS, MONA, STRANGER, anonymous, assert_rejected, delete, get, rejection, with};

const PULL: u64 = 2;
const ROUTE: &str = "/repos/octo-org/hello/pulls/2/comments";

#[tokio::test]
async fn comment_is_created_replied_to_updated_and_deleted() {
    let hubot = with(HUBOT);
    let pulls = hubot.pulls("octo-org", "hello");
    let made = comment(&hubot, 2).await;
    assert_eq!((made.body.as_str(), made.path.as_str(), made.line), ("By a crab", "notes.txt", Some(2)));
    assert_eq!(made.user.as_ref().map(|user| user.login.as_str()), Some("hubot"));
    assert!(made.diff_hunk.ends_with("\n+2"), "{}", made.diff_hunk);

    let mona = with(MONA);
    let reply = mona.pulls("octo-org", "hello").reply_to_comment(PULL, made.id, "Sideways, then").await.unwrap();
    assert_eq!((reply.in_reply_to_id, reply.line), (Some(made.id), made.line));

    let changed = pulls.comment(made.id).update("By a hermit crab").await.unwrap();
    assert_eq!((changed.id, changed.body.as_str()), (made.id, "By a hermit crab"));
    assert_eq!(pulls.comment(made.id).get().await.unwrap(), changed);

    pulls.comment(made.id).delete().await.unwrap();
    assert_rejected(pulls.comment(made.id).get().await, 404, "Not Found");
    let orphan = pulls.comment(reply.id).get().await.unwrap();
    assert_eq!(orphan.in_reply_to_id, None);
}

/// The client's own method supports one line only.
#[tokio::test]
async fn range_comment_is_created_by_route() {
    let hubot = with(HUBOT);
    let body = json!({ "body": "All of it", "commit_id": tip(&hubot).await, "path": "notes.txt", "start_line": 1, "start_side": "RIGHT", "line": 4 });
    let made: ReviewComment = hubot.post(ROUTE, Some(&body)).await.unwrap();
    assert_eq!((made.start_line, made.line), (Some(1), Some(4)));
    let response = json!({ "body": "Why all?", "in_reply_to": made.id });
    let reply: ReviewComment = hubot.post(ROUTE, Some(&response)).await.unwrap();
    assert_eq!((reply.in_reply_to_id, reply.start_line), (Some(made.id), Some(1)));
}

#[tokio::test]
async fn pages_reach_last_comment_of_pull_request() {
    let nobody = anonymous();
    let pulls = nobody.pulls("octo-org", "hello");
    let first = pulls.list_comments(Some(1)).per_page(7).send().await.unwrap();
    let pages = first.number_of_pages().expect("more than one page");
    assert!(first.prev.is_none() && first.first.is_none());
    let all = nobody.all_pages(first.clone()).await.unwrap();
    assert_eq!(all.len().div_ceil(7), pages as usize);
    assert!(all.windows(2).all(|two| two[0].id < two[1].id), "ascending, each once");

    let last: Page<Comment> = nobody.get_page(&first.last).await.unwrap().expect("a last page");
    assert!(last.next.is_none());
    assert_eq!(last.items.last().map(|comment| comment.id), all.last().map(|comment| comment.id));
    let again = pulls.list_comments(Some(1)).per_page(7).page(pages).send().await.unwrap();
    assert_eq!(again.items, last.items);
    assert!(pulls.list_comments(Some(1)).per_page(7).page(pages + 1).send().await.unwrap().items.is_empty());
}

#[tokio::test]
async fn repository_comments_are_sorted_and_filtered() {
    let hubot = with(HUBOT);
    let pulls = hubot.pulls("octo-org", "hello");
    let listed = pulls.list_comments(None).sort(Sort::Updated).direction(Direction::Descending).per_page(100);
    let newest = hubot.all_pages(listed.send().await.unwrap()).await.unwrap();
    assert!(newest.windows(2).all(|two| two[0].updated_at >= two[1].updated_at));
    let oldest = newest.last().expect("some comment").updated_at;
    let later = pulls.list_comments(None).since(oldest).per_page(100).send().await.unwrap();
    assert!(later.items.iter().all(|comment| comment.updated_at >= oldest));
    let future = serde_json::from_value(json!("2100-01-01T00:00:00Z")).unwrap_or(oldest);
    assert!(pulls.list_comments(None).since(future).send().await.unwrap().items.is_empty());
}

#[tokio::test]
async fn position_outside_diff_is_rejected_with_field() {
    let hubot = with(HUBOT);
    let pulls = hubot.pulls("octo-org", "hello");
    let tip = tip(&hubot).await;
    let rejected = rejection(pulls.create_comment(PULL, "Where?", &tip, "notes.txt", 99).await);
    assert_eq!((rejected.status_code.as_u16(), rejected.message.as_str()), (422, "Validation Failed"));
    let errors = rejected.errors.expect("what is wrong");
    assert_eq!(errors[0]["field"], "pull_request_review_thread.line");
    assert_eq!(errors[0]["message"], "pull_request_review_thread.line must be part of the diff");

    let rejected = rejection(pulls.create_comment(PULL, "Where?", &tip, "none.txt", 1).await);
    assert_eq!(rejected.errors.expect("what is wrong")[0]["field"], "pull_request_review_thread.path");
    let missing: octocrab::Result<Value> = hubot.post(ROUTE, Some(&json!({ "path": "notes.txt" }))).await;
    assert_eq!(rejection(missing).status_code, 422);
}

#[tokio::test]
async fn create_reply_rejects_reply_to_reply() {
    let hubot = with(HUBOT);
    let pulls = hubot.pulls("octo-org", "hello");
    let root = comment(&hubot, 3).await;
    let reply = pulls.reply_to_comment(PULL, root.id, "One").await.unwrap();
    assert_eq!(rejection(pulls.reply_to_comment(PULL, reply.id, "Two").await).status_code, 422);
    assert_rejected(pulls.reply_to_comment(PULL, CommentId(4096), "None").await, 404, "Not Found");
}

#[tokio::test]
async fn comments_are_updated_by_author_and_pushers() {
    let hubot = with(HUBOT);
    let made = comment(&hubot, 5).await;
    let route = format!("/repos/octo-org/hello/pulls/comments/{}", made.id);
    let other = with(STRANGER);
    assert_eq!(rejection(other.pulls("octo-org", "hello").comment(made.id).update("Mine").await).status_code, 403);
    // The client's own method reports success for any response.
    assert_eq!(rejection(delete(&other, &route).await).status_code, 403);
    let reads = "Resource not accessible by personal access token";
    assert_rejected(delete(&with(HUBOT_READS), &route).await, 403, reads);
    assert_rejected(delete(&anonymous(), &route).await, 401, "Requires authentication");
    assert_eq!(delete(&hubot, &route).await.unwrap(), 204);
    assert_rejected(delete(&hubot, &route).await, 404, "Not Found");
}

#[tokio::test]
async fn hidden_resources_return_404() {
    let stranger = with(STRANGER);
    let secret = stranger.pulls("octo-org", "secret");
    assert_rejected(secret.list_comments(None).send().await, 404, "Not Found");
    assert_rejected(secret.list_comments(Some(1)).send().await, 404, "Not Found");
    assert_rejected(secret.comment(CommentId(1)).get().await, 404, "Not Found");
    let hello = stranger.pulls("octo-org", "hello");
    assert_rejected(hello.list_comments(Some(99)).send().await, 404, "Not Found");
    assert_rejected(get(&stranger, "/repos/octo-org/hello/pulls/comments/word").await, 404, "Not Found");
}

async fn comment(client: &Octocrab, line: u64) -> ReviewComment {
    let tip = tip(client).await;
    client.pulls("octo-org", "hello").create_comment(PULL, "By a crab", tip, "notes.txt", line).await.unwrap()
}

/// The head commit of the pull request that tests may write to.
async fn tip(client: &Octocrab) -> String {
    let scratch = Reference::Branch("scratch".into());
    let found = client.git("octo-org", "hello").get_ref(&scratch).await.unwrap();
    serde_json::to_value(found.object).expect("plain data")["sha"].as_str().expect("an id").to_owned()
}
