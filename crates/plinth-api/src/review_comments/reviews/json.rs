//! Reviews on the wire.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::accounts::json::User;
use crate::negotiation::Media;
use crate::pulls::json::{Link, user};
use crate::wire::{Word, words};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{NodeId, ReviewId, Sha};
use plinth_base::urls::Part::{Fixed, Number};
use plinth_base::urls::{Url, Urls};
use plinth_core::pulls::model::Association;
use plinth_core::repos::Repo;
use plinth_core::review_comments::reviews::model::{Review, ReviewState};
use plinth_markdown::Rendered;

words! { ReviewState: Pending, Commented, Approved, ChangesRequested }

/// A review of a pull request.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "review")]
pub struct PullRequestReview<'a> {
    id: ReviewId,
    node_id: String,
    user: Option<User<'a>>,
    /// Markdown; not with `text` and `html`.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'a str>,
    /// Only with `text` and `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    body_text: Option<&'a str>,
    /// Only with `html` and `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    body_html: Option<&'a str>,
    state: Word<ReviewState>,
    html_url: Url<'a>,
    pull_request_url: Url<'a>,
    author_association: Word<Association>,
    _links: Links<'a>,
    /// Absent while it is pending.
    #[serde(skip_serializing_if = "Option::is_none")]
    submitted_at: Option<Timestamp>,
    commit_id: Sha,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Links<'a> {
    html: Link<'a>,
    pull_request: Link<'a>,
}

impl<'a> PullRequestReview<'a> {
    pub fn new(
        review: &'a Review,
        rendered: Option<&'a Arc<Rendered>>,
        media: Media,
        repo: &'a Repo,
        urls: &'a Urls,
    ) -> Self {
        let (owner, name) = (repo.owner_login.as_str(), repo.name.as_str());
        let page = urls.pull_page(owner, name, review.pull_number);
        let page = page.then(Fixed("#pullrequestreview-")).then(Number(review.id.0));
        let pull_url = urls.pull(owner, name, review.pull_number);
        Self {
            id: review.id,
            node_id: NodeId::new("PRR", 0).number(repo.id.0).number(review.id.0).finish(),
            user: user(&review.author, urls),
            body: media.shows_body().then_some(&review.body),
            body_text: rendered.filter(|_| media.shows_text()).map(|rendered| rendered.text.as_str()),
            body_html: rendered.filter(|_| media.shows_html()).map(|rendered| rendered.html.as_str()),
            state: Word(review.state),
            html_url: page,
            pull_request_url: pull_url,
            author_association: Word(review.author.association),
            _links: Links { html: Link { href: page }, pull_request: Link { href: pull_url } },
            submitted_at: review.submitted_at,
            commit_id: review.commit_sha,
        }
    }
}
