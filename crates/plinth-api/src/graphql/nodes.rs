//! Resources of REST as the types of GitHub's schema.
//!
//! Keys that begin with `$` are not fields: they say where the executor finds what is not in the resource.

use serde_json::{Map, Value, json};

pub fn repository(repo: &Value) -> Value {
    json!({
        "__typename": "Repository",
        "$path": format!("/repos/{}", text(&repo["full_name"])),
        "$owner": repo["owner"]["login"],
        "id": repo["node_id"],
        "databaseId": repo["id"],
        "name": repo["name"],
        "nameWithOwner": repo["full_name"],
        "description": repo["description"],
        "url": repo["html_url"],
        "isPrivate": repo["private"],
        "isArchived": repo["archived"],
        "createdAt": repo["created_at"],
        "updatedAt": repo["updated_at"],
        "pushedAt": repo["pushed_at"],
        "$branch": repo["default_branch"],
        "owner": actor(&repo["owner"]),
    })
}

pub fn actor(user: &Value) -> Value {
    if user.is_null() {
        return Value::Null;
    }
    json!({
        "__typename": user["type"],
        "id": user["node_id"],
        "login": user["login"],
        "url": user["html_url"],
        "avatarUrl": user["avatar_url"],
    })
}

/// The user that a token acts as.
pub fn viewer(user: &Value) -> Value {
    let Value::Object(mut viewer) = actor(user) else { return Value::Null };
    let more = [("databaseId", "id"), ("name", "name"), ("email", "email")];
    viewer.extend(more.map(|(field, key)| (field.to_owned(), user[key].clone())));
    Value::Object(viewer)
}

/// A ref of `path`, the path of its repository.
pub fn reference(found: &Value, path: &Value, owner: &Value) -> Value {
    let full = text(&found["ref"]);
    let split = full.strip_prefix("refs/").and_then(|rest| rest.find('/')).map_or(0, |slash| "refs/".len() + slash + 1);
    let (prefix, name) = full.split_at(split);
    json!({
        "__typename": "Ref",
        "$path": path,
        "$owner": owner,
        "id": found["node_id"],
        "name": name,
        "prefix": prefix,
        "target": { "__typename": type_of(&found["object"]), "$path": path, "oid": found["object"]["sha"] },
    })
}

fn type_of(object: &Value) -> &'static str {
    match text(&object["type"]) {
        "tag" => "Tag",
        "tree" => "Tree",
        "blob" => "Blob",
        _ => "Commit",
    }
}

/// A commit as Git has it.
pub fn commit(commit: &Value, path: &Value) -> Value {
    json!({
        "__typename": "Commit",
        "$path": path,
        "id": commit["node_id"],
        "oid": commit["sha"],
        "url": commit["html_url"],
        "message": commit["message"],
        "messageHeadline": text(&commit["message"]).lines().next(),
        "committedDate": commit["committer"]["date"],
        "authoredDate": commit["author"]["date"],
        "author": person(&commit["author"], &Value::Null),
        "committer": person(&commit["committer"], &Value::Null),
    })
}

/// A commit of a list, with the accounts of its people.
pub fn listed_commit(listed: &Value, path: &Value) -> Value {
    let mut git = listed["commit"].clone();
    for key in ["sha", "node_id", "html_url"] {
        git[key] = listed[key].clone();
    }
    let mut shown = commit(&git, path);
    for role in ["author", "committer"] {
        shown[role] = person(&git[role], &listed[role]);
    }
    shown
}

fn person(person: &Value, user: &Value) -> Value {
    json!({
        "__typename": "GitActor",
        "name": person["name"],
        "email": person["email"],
        "date": person["date"],
        "user": actor(user),
    })
}

pub fn release(release: &Value, path: &Value) -> Value {
    json!({
        "__typename": "Release",
        "$path": path,
        "id": release["node_id"],
        "databaseId": release["id"],
        "name": release["name"],
        "tagName": release["tag_name"],
        "tag": { "__typename": "Ref", "name": release["tag_name"], "prefix": "refs/tags/" },
        "url": release["html_url"],
        "description": release["body"],
        "isDraft": release["draft"],
        "isPrerelease": release["prerelease"],
        "createdAt": release["created_at"],
        "publishedAt": release["published_at"],
        "author": actor(&release["author"]),
    })
}

pub fn file(file: &Value) -> Value {
    let change = match text(&file["status"]) {
        "removed" => "DELETED".into(),
        _ => upper(&file["status"]),
    };
    json!({
        "__typename": "PullRequestChangedFile",
        "path": file["filename"],
        "additions": file["additions"],
        "deletions": file["deletions"],
        "changeType": change,
    })
}

pub fn issue(issue: &Value) -> Value {
    let mut fields = common(issue, "Issue");
    fields.insert("state".into(), upper(&issue["state"]));
    fields.insert("stateReason".into(), upper(&issue["state_reason"]));
    fields
        .insert("comments".into(), json!({ "__typename": "IssueCommentConnection", "totalCount": issue["comments"] }));
    fields.into()
}

/// A pull request as lists show it; `pull_details` has the rest.
pub fn pull(pull: &Value, path: &Value) -> Value {
    let mut fields = common(pull, "PullRequest");
    let state = if pull["merged_at"].is_null() { upper(&pull["state"]) } else { "MERGED".into() };
    let merge_commit = match &pull["merge_commit_sha"] {
        Value::String(sha) if !pull["merged_at"].is_null() => {
            json!({ "__typename": "Commit", "$path": path, "oid": sha })
        }
        _ => Value::Null,
    };
    let more = [
        ("$path", path.clone()),
        ("state", state),
        ("isDraft", pull["draft"].clone()),
        ("merged", (!pull["merged_at"].is_null()).into()),
        ("mergedAt", pull["merged_at"].clone()),
        ("mergeCommit", merge_commit),
        ("headRefName", pull["head"]["ref"].clone()),
        ("headRefOid", pull["head"]["sha"].clone()),
        ("baseRefName", pull["base"]["ref"].clone()),
        ("baseRefOid", pull["base"]["sha"].clone()),
    ];
    fields.extend(more.map(|(name, value)| (name.to_owned(), value)));
    fields.into()
}

/// The fields of a pull request that only the resource itself has.
pub fn pull_details(pull: &Value) -> Value {
    let mergeable = match pull["mergeable"].as_bool() {
        Some(true) => "MERGEABLE",
        Some(false) => "CONFLICTING",
        None => "UNKNOWN",
    };
    json!({
        "comments": { "__typename": "IssueCommentConnection", "totalCount": pull["comments"] },
        "commits": { "__typename": "PullRequestCommitConnection", "totalCount": pull["commits"] },
        "changedFiles": pull["changed_files"],
        "additions": pull["additions"],
        "deletions": pull["deletions"],
        "mergeable": mergeable,
        "mergedBy": actor(&pull["merged_by"]),
    })
}

/// What issues and pull requests have in common.
fn common(resource: &Value, type_name: &str) -> Map<String, Value> {
    let labels = resource["labels"].as_array().into_iter().flatten().map(label).collect::<Vec<_>>();
    let common = json!({
        "__typename": type_name,
        "id": resource["node_id"],
        "databaseId": resource["id"],
        "number": resource["number"],
        "title": resource["title"],
        "body": text(&resource["body"]),
        "url": resource["html_url"],
        "createdAt": resource["created_at"],
        "updatedAt": resource["updated_at"],
        "closedAt": resource["closed_at"],
        "closed": !resource["closed_at"].is_null(),
        "author": actor(&resource["user"]),
        "authorAssociation": resource["author_association"],
        "locked": resource["locked"].as_bool().unwrap_or(false),
        "activeLockReason": upper(&resource["active_lock_reason"]),
        "labels": { "__typename": "LabelConnection", "totalCount": labels.len(), "nodes": labels },
        "milestone": null,
    });
    match common {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn label(label: &Value) -> Value {
    json!({
        "__typename": "Label",
        "id": label["node_id"],
        "url": label["url"],
        "name": label["name"],
        "color": label["color"],
        "description": label["description"],
        "isDefault": label["default"],
    })
}

/// A word of REST as one of GraphQL's enumerations.
fn upper(word: &Value) -> Value {
    word.as_str().map(|word| word.replace([' ', '-'], "_").to_uppercase()).into()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
