//! The fields that need more than the object that they are on.

use serde_json::{Value, json};

use super::document::Field;
use super::errors::{QueryError, QueryResult, invalid, not_found};
use super::executor::{Executor, TYPE_NAME};
use super::nodes;
use super::reader::{Page, segment};

/// What a page has at most, as at GitHub.
const PAGE_SIZE_MAX: u64 = 100;

/// What a connection lists.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Listed {
    Issues,
    Pulls,
    Commits,
    Files,
    Releases,
}

impl Executor {
    /// The value of a field, before its own fields are selected.
    pub(super) async fn field(&mut self, object: &Value, type_name: &str, field: &Field) -> QueryResult<Value> {
        let path = object["$path"].as_str();
        match (type_name, field.name.as_str(), path) {
            ("Query", "viewer", _) => self.viewer(field).await,
            ("Query", "repository", _) => self.repository(field).await,
            ("Repository", "ref", Some(path)) => {
                self.reference(object, path, field.text("qualifiedName").unwrap_or_default()).await
            }
            ("Repository", "object", Some(path)) => self.commit(object, path, field).await,
            ("Repository", "issue", Some(path)) => self.issue(path, field).await,
            ("Repository", "pullRequest", Some(path)) => self.pull(object, path, field).await,
            ("Repository", "issueOrPullRequest", Some(path)) => match self.pull(object, path, field).await {
                Err(QueryError::Null(_)) => self.issue(path, field).await,
                found => found,
            },
            ("Repository", "issues", Some(path)) => {
                let labels = field.argument("filterBy").and_then(|filter| filter["labels"].as_array()).cloned();
                let labels = labels.unwrap_or_default();
                let labels = labels.iter().filter_map(Value::as_str).chain(field.texts("labels")).collect::<Vec<_>>();
                let target = format!("/issues?state={}&labels={}", state(field), segment(&labels.join(",")));
                self.connection(path, &target, Listed::Issues, field).await
            }
            ("Repository", "pullRequests", Some(path)) => {
                let head = field.text("headRefName").map(|head| head_filter(object, head)).unwrap_or_default();
                let base = segment(field.text("baseRefName").unwrap_or_default());
                let target = format!("/pulls?state={}&head={head}&base={base}", state(field));
                self.connection(path, &target, Listed::Pulls, field).await
            }
            ("Repository", "releases", Some(path)) => {
                self.connection(path, "/releases?", Listed::Releases, field).await
            }
            ("Release", "tagCommit", Some(path)) => self.tag_commit(object, path).await,
            ("Repository", "defaultBranchRef", Some(path)) => {
                let name = object["$branch"].as_str().unwrap_or_default();
                self.reference(object, path, &format!("heads/{name}")).await
            }
            ("Ref", "associatedPullRequests", Some(path)) => {
                let head = head_filter(object, object["name"].as_str().unwrap_or_default());
                self.connection(path, &format!("/pulls?state={}&head={head}", state(field)), Listed::Pulls, field).await
            }
            ("Commit", "associatedPullRequests", Some(path)) => {
                self.connection(path, &format!("/commits/{}/pulls?", oid(object)), Listed::Pulls, field).await
            }
            ("Commit", "history", Some(path)) => {
                let filters = ["since", "until", "path"].map(|name| (name, field.text(name).unwrap_or_default()));
                let filters = filters.map(|(name, value)| format!("&{name}={}", segment(value))).concat();
                self.connection(path, &format!("/commits?sha={}{filters}", oid(object)), Listed::Commits, field).await
            }
            ("Commit", name, Some(path)) if object.get(name).is_none() => {
                let found = self.reader.get(format!("{path}/git/commits/{}", oid(object))).await?;
                let commit = found.map_or(Value::Null, |found| nodes::commit(&found.value, &object["$path"]));
                self.known(&commit, type_name, field)
            }
            ("PullRequest", "files", Some(path)) => {
                self.connection(path, &format!("/pulls/{}/files?", object["number"]), Listed::Files, field).await
            }
            ("PullRequest", name, Some(path)) if object.get(name).is_none() => {
                let pull = self.reader.get(format!("{path}/pulls/{}", object["number"])).await?;
                let details = nodes::pull_details(&pull.map(|page| page.value).unwrap_or_default());
                self.known(&details, type_name, field)
            }
            _ => self.known(object, type_name, field),
        }
    }

    async fn viewer(&mut self, field: &Field) -> QueryResult<Value> {
        let user = self.reader.get("/user".into()).await?;
        let user = user.ok_or_else(|| not_found("Could not resolve to a User".into(), &self.path, field.position))?;
        Ok(nodes::viewer(&user.value))
    }

    async fn repository(&mut self, field: &Field) -> QueryResult<Value> {
        let (owner, name) = (field.text("owner").unwrap_or_default(), field.text("name").unwrap_or_default());
        let found = self.reader.get(format!("/repos/{}/{}", segment(owner), segment(name))).await?;
        let message = || format!("Could not resolve to a Repository with the name '{owner}/{name}'.");
        let found = found.ok_or_else(|| not_found(message(), &self.path, field.position))?;
        Ok(nodes::repository(&found.value))
    }

    /// A ref by its whole name, or by that of a branch or a tag.
    async fn reference(&mut self, repository: &Value, path: &str, name: &str) -> QueryResult<Value> {
        let name = name.strip_prefix("refs/").unwrap_or(name);
        for candidate in [name.to_owned(), format!("heads/{name}"), format!("tags/{name}")] {
            if !candidate.contains('/') {
                continue;
            }
            let encoded = candidate.split('/').map(segment).collect::<Vec<_>>().join("/");
            if let Some(found) = self.reader.get(format!("{path}/git/ref/{encoded}")).await? {
                return Ok(nodes::reference(&found.value, &repository["$path"], &repository["$owner"]));
            }
        }
        Ok(Value::Null)
    }

    /// The commit of a release: its tag may point at a tag object first.
    async fn tag_commit(&mut self, release: &Value, path: &str) -> QueryResult<Value> {
        let tag = release["tagName"].as_str().unwrap_or_default();
        let encoded = tag.split('/').map(segment).collect::<Vec<_>>().join("/");
        let Some(found) = self.reader.get(format!("{path}/git/ref/tags/{encoded}")).await? else {
            return Ok(Value::Null);
        };
        let mut target = found.value["object"].clone();
        if target["type"] == "tag" {
            let sha = target["sha"].as_str().unwrap_or_default();
            let tag = self.reader.get(format!("{path}/git/tags/{sha}")).await?;
            target = tag.map_or(Value::Null, |tag| tag.value["object"].clone());
        }
        let is_commit = target["type"] == "commit";
        let commit = json!({ TYPE_NAME: "Commit", "$path": path, "oid": target["sha"] });
        Ok(if is_commit { commit } else { Value::Null })
    }

    async fn commit(&mut self, repository: &Value, path: &str, field: &Field) -> QueryResult<Value> {
        let Some(oid) = field.text("oid") else { return Err(invalid("Field 'object' is missing the argument oid")) };
        let found = self.reader.get(format!("{path}/git/commits/{}", segment(oid))).await?;
        Ok(found.map_or(Value::Null, |found| nodes::commit(&found.value, &repository["$path"])))
    }

    async fn pull(&mut self, repository: &Value, path: &str, field: &Field) -> QueryResult<Value> {
        let number = field.number("number").unwrap_or_default();
        let found = self.reader.get(format!("{path}/pulls/{number}")).await?;
        let message = || format!("Could not resolve to a PullRequest with the number of {number}.");
        let found = found.ok_or_else(|| not_found(message(), &self.path, field.position))?;
        Ok(nodes::pull(&found.value, &repository["$path"]))
    }

    /// An issue; what has the number of a pull request is none.
    async fn issue(&mut self, path: &str, field: &Field) -> QueryResult<Value> {
        let number = field.number("number").unwrap_or_default();
        let found = self.reader.get(format!("{path}/issues/{number}")).await?;
        let kind = if field.name == "issue" { "an Issue" } else { "an issue or pull request" };
        let message = || format!("Could not resolve to {kind} with the number of {number}.");
        let found = found.filter(|found| found.value.get("pull_request").is_none_or(Value::is_null));
        let found = found.ok_or_else(|| not_found(message(), &self.path, field.position))?;
        Ok(nodes::issue(&found.value))
    }

    /// A page of a list. A cursor is the number of the page after it.
    async fn connection(&mut self, path: &str, target: &str, listed: Listed, field: &Field) -> QueryResult<Value> {
        let Some(first) = field.number("first").filter(|first| (1..=PAGE_SIZE_MAX).contains(first)) else {
            return Err(invalid(format!(
                "You must provide a `first` value between 1 and {PAGE_SIZE_MAX} to properly paginate the `{}` connection.",
                field.name
            )));
        };
        let page = field.text("after").map_or(Some(1), |cursor| cursor.parse::<u32>().ok());
        let Some(page) = page else { return Err(invalid("The cursor given by `after` is invalid.")) };
        let read = self.reader.get(format!("{path}{target}&per_page={first}&page={page}")).await?;
        let Page { value, has_next, .. } = read.unwrap_or_else(Page::empty);
        let (path, wanted) = (Value::from(path), field.texts("states"));
        let items = value.as_array().into_iter().flatten();
        let nodes = items.filter_map(|item| listed.node(item, &path)).filter(|node| is_in(node, &wanted));
        let nodes = nodes.collect::<Vec<_>>();
        let cursor = (page.saturating_add(1)).to_string();
        let edge = |node: &Value| json!({ TYPE_NAME: "Edge", "cursor": cursor, "node": node });
        let edges = nodes.iter().map(edge).collect::<Vec<_>>();
        Ok(json!({
            TYPE_NAME: "Connection",
            "nodes": nodes,
            "edges": edges,
            "pageInfo": { TYPE_NAME: "PageInfo", "endCursor": cursor, "hasNextPage": has_next },
        }))
    }
}

impl Listed {
    /// The object for an item of a list; by REST, pull requests are issues too.
    fn node(self, item: &Value, path: &Value) -> Option<Value> {
        match self {
            Listed::Issues => item.get("pull_request").is_none_or(Value::is_null).then(|| nodes::issue(item)),
            Listed::Pulls => Some(nodes::pull(item, path)),
            Listed::Commits => Some(nodes::listed_commit(item, path)),
            Listed::Files => Some(nodes::file(item)),
            Listed::Releases => Some(nodes::release(item, path)),
        }
    }
}

/// Whether an object has one of the states that are asked for.
fn is_in(node: &Value, states: &[&str]) -> bool {
    states.is_empty() || node["state"].as_str().is_some_and(|state| states.contains(&state))
}

/// REST's parameter for the pull requests of a branch.
fn head_filter(object: &Value, branch: &str) -> String {
    segment(&format!("{}:{branch}", object["$owner"].as_str().unwrap_or_default()))
}

fn oid(commit: &Value) -> &str {
    commit["oid"].as_str().unwrap_or_default()
}

/// The states that are asked for, as REST's parameter; merged pull requests are closed.
fn state(field: &Field) -> &'static str {
    let states = field.texts("states");
    let is_open = |state: &&str| *state == "OPEN";
    match (states.iter().any(is_open), states.iter().all(is_open)) {
        (true, true) => "open",
        (false, false) => "closed",
        _ => "all",
    }
}
