//! What the forms of a pull request do. Each calls the operation that an API client would call.

use http::Method;
use plinth_base::error::{Error, Result};
use serde_json::{Map, Value, json};

use super::{Found, find_pull};
use crate::forms::Form;
use crate::model::Review;
use crate::response::WebResponse;
use crate::text;
use crate::visit::{Rejected, Visit};

/// A call of the API, and the anchor of what it makes.
struct Call {
    method: Method,
    target: String,
    body: Value,
    anchor: Anchor,
}

/// Where the page is after the form.
enum Anchor {
    Nowhere,
    Fixed(String),
    /// The id of what was made, after this text.
    Made(&'static str),
}

type Outcome = Result<Result<Value, Rejected>>;

/// Opens a pull request.
pub async fn open(visit: &Visit, (owner, name): (&str, &str), form: &Form) -> Result<WebResponse> {
    let repo = format!("/{}/{}", text::segment(owner), text::segment(name));
    let new = json!({
        "title": form.text("title"),
        "body": form.lines("body"),
        "base": form.text("base"),
        "head": form.text("head"),
        "draft": form.get("draft").is_some(),
    });
    match visit.send(Method::POST, &format!("/repos{repo}/pulls"), new).await? {
        Ok(made) => Ok(WebResponse::Redirect(format!("{repo}/pull/{}", made["number"].as_i64().unwrap_or_default()))),
        Err(rejected) => Ok(form.rejected(visit, &rejected)),
    }
}

/// Carries out what a form of a pull request's page asks for.
pub async fn act(visit: &Visit, repo: (&str, &str), number: i64, form: &Form) -> Result<WebResponse> {
    let found = find_pull(visit, repo, number).await?;
    let Some(call) = call_for(visit, &found, form).await? else {
        return Err(Error::BadRequest("The form has nothing to do.".into()));
    };
    let sent: Outcome = visit.send(call.method, &call.target, call.body).await;
    match sent? {
        Ok(made) => {
            let anchor = match call.anchor {
                Anchor::Nowhere => String::new(),
                Anchor::Fixed(anchor) => format!("#{anchor}"),
                Anchor::Made(prefix) => format!("#{prefix}{}", made["id"].as_i64().unwrap_or_default()),
            };
            Ok(WebResponse::Redirect(format!("{}{anchor}", visit.path)))
        }
        Err(rejected) => Ok(form.rejected(visit, &rejected)),
    }
}

async fn call_for(visit: &Visit, found: &Found, form: &Form) -> Result<Option<Call>> {
    let (repo, pull) = (found.repo.api(), found.api());
    let comments = format!("{repo}/pulls/comments");
    let call = |method, target: String, body, anchor| Some(Call { method, target, body, anchor });
    let text = || json!({ "body": form.lines("body") });
    if let Some(root) = form.number("reply_to") {
        return Ok(call(Method::POST, format!("{pull}/comments/{root}/replies"), text(), Anchor::Made("discussion_r")));
    }
    if let Some(key) = form.get("edit") {
        return Ok(match key.split_at_checked(1) {
            Some(("r", id)) => {
                let anchor = Anchor::Fixed(format!("discussion_r{id}"));
                call(Method::PATCH, format!("{comments}/{}", text::segment(id)), text(), anchor)
            }
            Some(("c", id)) => {
                let anchor = Anchor::Fixed(format!("issuecomment-{id}"));
                call(Method::PATCH, format!("{repo}/issues/comments/{}", text::segment(id)), text(), anchor)
            }
            _ => {
                let mut body = json!({ "title": form.text("title"), "body": form.lines("body") });
                if form.get("base").is_some_and(|base| base != found.pull.base.branch) {
                    body["base"] = form.text("base").into();
                }
                call(Method::PATCH, pull, body, Anchor::Nowhere)
            }
        });
    }
    if let Some(key) = form.get("delete") {
        let target = match key.split_at_checked(1) {
            Some(("r", id)) => format!("{comments}/{}", text::segment(id)),
            Some(("c", id)) => format!("{repo}/issues/comments/{}", text::segment(id)),
            _ => return Ok(None),
        };
        return Ok(call(Method::DELETE, target, Value::Null, Anchor::Nowhere));
    }
    for (name, method) in [("resolve", Method::PUT), ("unresolve", Method::DELETE)] {
        if let Some(id) = form.number(name) {
            let anchor = Anchor::Fixed(format!("discussion_r{id}"));
            return Ok(call(method, format!("{comments}/{id}/resolution"), json!({}), anchor));
        }
    }
    if let Some(mode) = form.get("line_comment") {
        return line_comment(visit, found, form, mode).await.map(Some);
    }
    if form.get("submit_review").is_some() {
        let body = json!({ "event": form.text("event"), "body": form.lines("body") });
        let anchor = Anchor::Nowhere;
        return Ok(match form.number("review") {
            Some(review) => call(Method::POST, format!("{pull}/reviews/{review}/events"), body, anchor),
            None => call(Method::POST, format!("{pull}/reviews"), body, anchor),
        });
    }
    if let Some(review) = form.number("discard_review") {
        return Ok(call(Method::DELETE, format!("{pull}/reviews/{review}"), Value::Null, Anchor::Nowhere));
    }
    if let Some(state) = form.get("state") {
        return Ok(call(Method::PATCH, pull, json!({ "state": state }), Anchor::Nowhere));
    }
    if let Some(method) = form.get("merge") {
        let body = json!({ "merge_method": method, "sha": found.pull.head.sha });
        return Ok(call(Method::PUT, format!("{pull}/merge"), body, Anchor::Nowhere));
    }
    if form.get("comment").is_some() {
        let target = format!("{repo}/issues/{}/comments", found.pull.number);
        return Ok(call(Method::POST, target, text(), Anchor::Made("issuecomment-")));
    }
    Ok(None)
}

/// A comment on a line or a range: at once, or as a part of the visitor's review, which is begun if there is none.
async fn line_comment(visit: &Visit, found: &Found, form: &Form, mode: &str) -> Result<Call> {
    let pull = found.api();
    let mut comment = Map::new();
    comment.insert("body".into(), form.lines("body").into());
    comment.insert("path".into(), form.text("path").into());
    comment.insert("side".into(), form.text("side").into());
    comment.insert("line".into(), form.number("line").into());
    if let Some(start) = form.number("start_line").filter(|start| Some(*start) != form.number("line")) {
        comment.insert("start_line".into(), start.into());
        comment.insert("start_side".into(), form.text("side").into());
    }
    if mode != "review" {
        comment.insert("commit_id".into(), form.text("commit_id").into());
        let target = format!("{pull}/comments");
        return Ok(Call { method: Method::POST, target, body: comment.into(), anchor: Anchor::Made("discussion_r") });
    }
    let reviews = visit.list_all::<Review>(&format!("{pull}/reviews?"), 10).await?.items;
    let (target, body) = match reviews.iter().find(|review| review.is_pending()) {
        Some(review) => (format!("{pull}/reviews/{}/comments", review.id), comment.into()),
        None => (format!("{pull}/reviews"), json!({ "commit_id": form.text("commit_id"), "comments": [comment] })),
    };
    Ok(Call { method: Method::POST, target, body, anchor: Anchor::Fixed("review".into()) })
}
