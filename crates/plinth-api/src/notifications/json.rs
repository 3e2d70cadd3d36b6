//! Notifications on the wire.

use schemars::JsonSchema;
use serde::Serialize;

use crate::repos::json::Repository;
use crate::wire::{Word, words};
use plinth_base::clock::Timestamp;
use plinth_base::urls::Part::Fixed;
use plinth_base::urls::{Url, Urls};
use plinth_core::notifications::NotifiedComment;
use plinth_core::notifications::model::{Notification, Reason};

/// A notification about a pull request or an issue.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "notification")]
pub struct Thread<'a> {
    /// Text, unlike all other ids.
    id: String,
    unread: bool,
    reason: Word<Reason>,
    updated_at: Timestamp,
    last_read_at: Option<Timestamp>,
    /// What it is about.
    subject: Subject<'a>,
    repository: Repository<'a>,
    url: Url<'a>,
    subscription_url: Url<'a>,
}

words! { Reason: Assign, Author, Comment, Mention, ReviewRequested }

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
enum SubjectType {
    PullRequest,
    Issue,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Subject<'a> {
    title: &'a str,
    url: Url<'a>,
    latest_comment_url: Option<Url<'a>>,
    r#type: SubjectType,
}

impl<'a> Thread<'a> {
    pub fn new(notification: &'a Notification, urls: &'a Urls) -> Self {
        let repo = &notification.repo;
        let (owner, name) = (repo.owner_login.as_str(), repo.name.as_str());
        let url = urls.notification_thread(notification.id);
        let (subject_type, subject_url) = match notification.is_pull {
            true => (SubjectType::PullRequest, urls.pull(owner, name, notification.number)),
            false => (SubjectType::Issue, urls.issue(owner, name, notification.number)),
        };
        let comment_url = |comment| match comment {
            NotifiedComment::Review(id) => urls.review_comment(owner, name, id),
            NotifiedComment::Issue(id) => urls.issue_comment(owner, name, id),
        };
        Self {
            id: notification.id.to_string(),
            unread: notification.unread,
            reason: Word(notification.reason),
            updated_at: notification.updated_at,
            last_read_at: notification.last_read_at,
            subject: Subject {
                title: &notification.title,
                url: subject_url,
                latest_comment_url: notification.comment.map(comment_url),
                r#type: subject_type,
            },
            repository: Repository::new(repo, urls),
            url,
            subscription_url: url.then(Fixed("/subscription")),
        }
    }
}
