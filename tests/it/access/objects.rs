//! The request of an endpoint to a target, and the objects that it needs.

use http::Method;
use serde_json::{Value, json};

use super::fixture::Fixture;
use plinth_api::policy::Row;
use plinth_core::apps;

/// What a request is sent to.
#[derive(Debug, Clone)]
pub struct RequestTarget {
    pub account: &'static str,
    pub repo: &'static str,
    pub project: Visibility,
    /// The app whose installation is meant.
    pub app: &'static str,
    pub object: Object,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    Public,
    Private,
}

/// The object of the request, if it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Object {
    /// One of the target repository, created by the fixture.
    Usual,
    /// A comment by the reader.
    ByReader,
    /// A comment, pull request or commit of another repository.
    OfAnotherRepo,
    /// A ref in a namespace that is reserved for the service.
    Reserved,
    /// A commit that changes a workflow file.
    WithWorkflow,
}

impl RequestTarget {
    pub const PUBLIC: RequestTarget = RequestTarget {
        account: "acme",
        repo: "public",
        project: Visibility::Public,
        app: "full",
        object: Object::Usual,
    };
    pub const PRIVATE: RequestTarget = RequestTarget { repo: "private", project: Visibility::Private, ..Self::PUBLIC };
    pub const ARCHIVED: RequestTarget = RequestTarget { repo: "archived", ..Self::PUBLIC };
    pub const ABSENT: RequestTarget = RequestTarget { account: "nobody", repo: "nothing", ..Self::PUBLIC };
    pub const SPARE: RequestTarget = RequestTarget { repo: "spare", ..Self::PUBLIC };
    pub const SPARE_PRIVATE: RequestTarget = RequestTarget { repo: "spare-private", ..Self::PUBLIC };

    pub fn about(self, object: Object) -> Self {
        Self { object, ..self }
    }

    pub fn of_app(self, app: &'static str) -> Self {
        Self { app, ..self }
    }
}

/// Method, path and body.
pub struct Call {
    pub method: Method,
    pub path: String,
    pub body: Value,
}

impl Fixture {
    pub async fn call(&self, row: &Row, target: &RequestTarget) -> Call {
        let mut path = row.paths[0].replace("{*", "{");
        let service = match row.operation {
            "git/upload-pack" => Some("git-upload-pack"),
            "git/receive-pack" => Some("git-receive-pack"),
            _ => None,
        };
        if let Some(service) = service {
            let path = format!("/{}/{}.git/info/refs?service={service}", target.account, target.repo);
            return Call { method: Method::GET, path, body: Value::Null };
        }
        for (name, value) in [("{org}", target.account), ("{owner}", target.account), ("{repo}", target.repo)] {
            path = path.replace(name, value);
        }
        path = path.replace("{username}", if target.account == "acme" { "owner" } else { target.account });
        path = path.replace("{project_number}", if target.project == Visibility::Public { "1" } else { "2" });
        if path.contains("{pull_number}") {
            let elsewhere = target.object == Object::OfAnotherRepo && !path.contains("{comment_id}");
            path = path.replace("{pull_number}", if elsewhere { "2" } else { "1" });
        }
        if path.contains("{comment_id}") {
            path = path.replace("{comment_id}", &self.comment(row, target).await.to_string());
        }
        if path.contains("{field_id}") {
            path = path.replace("{field_id}", &self.project_field(&path).await.to_string());
        }
        if path.contains("{issue_field_id}") {
            path = path.replace("{issue_field_id}", &self.issue_field().await.to_string());
        }
        if path.contains("{ref}") {
            path = path.replace("{ref}", &self.reference(row, target).await);
        }
        path = path.replace("{installation_id}", &self.installation(target.app).await.to_string());
        if path.contains("{repository_id}") {
            let repository = self.repository(target).await;
            let prepared = target.app == "full" && target.account == "acme";
            if row.method == Method::DELETE && self.is_real(row.operation) && prepared {
                self.prepare(Method::PUT, &path.replace("{repository_id}", &repository.to_string()), Value::Null).await;
            }
            path = path.replace("{repository_id}", &repository.to_string());
        }
        Call { method: row.method.clone(), path, body: self.body(row, target).await }
    }

    /// A comment for this request only, so that changing it affects no other.
    async fn comment(&self, row: &Row, target: &RequestTarget) -> i64 {
        if !self.is_real(row.operation) || !self.is_real("pulls/create-review-comment") || target.account != "acme" {
            return 1;
        }
        let repo = if target.object == Object::OfAnotherRepo { "elsewhere" } else { target.repo };
        if repo == "archived" {
            let path = "/repos/acme/archived/pulls/1/comments";
            return self.prepare(Method::GET, path, Value::Null).await[0]["id"]
                .as_i64()
                .expect("made before archiving");
        }
        self.new_comment(repo, if target.object == Object::ByReader { "reader" } else { "owner" }).await
    }

    /// Creates a comment through the API as the owner or the reader.
    pub async fn new_comment(&self, repo: &str, author: &str) -> i64 {
        let sha = self.sha(repo, "feature").await;
        let text = format!("comment {}", self.unique());
        let body = json!({ "body": text, "commit_id": sha, "path": "src/a.txt", "line": 2, "side": "RIGHT" });
        let path = format!("/repos/acme/{repo}/pulls/1/comments");
        if author == "owner" {
            return self.prepare(Method::POST, &path, body).await["id"].as_i64().expect("a comment has an id");
        }
        let state = "tokens: [{ kind: classic, user: reader, scopes: [repo], token: ghp_readerreader }]";
        self.service.apply(state).await;
        let response = self.send(&Method::POST, &path, &body, Some("Bearer ghp_readerreader")).await;
        response.expect(201).json()["id"].as_i64().expect("a comment has an id")
    }

    async fn project_field(&self, path: &str) -> i64 {
        let (list, _) = path.split_once("/{field_id}").expect("the field is the last part");
        let operation =
            if path.starts_with("/orgs") { "projects/list-fields-for-org" } else { "projects/list-fields-for-user" };
        if !self.is_real(operation) || path.contains("nobody") {
            return 1;
        }
        self.prepare(Method::GET, list, Value::Null).await[0]["id"].as_i64().expect("a project has fields")
    }

    async fn issue_field(&self) -> i64 {
        if !self.is_real("orgs/create-issue-field") {
            return 1;
        }
        let body = json!({ "name": format!("Field {}", self.unique()), "data_type": "text" });
        let made = self.prepare(Method::POST, "/orgs/acme/issue-fields", body).await;
        made["id"].as_i64().expect("an issue field has an id")
    }

    /// A branch for this request only.
    async fn reference(&self, row: &Row, target: &RequestTarget) -> String {
        if target.object == Object::Reserved {
            return "pull/1/head".into();
        }
        if row.method == Method::GET
            || !self.is_real("git/create-ref")
            || target.account != "acme"
            || target.repo == "archived"
        {
            return "heads/main".into();
        }
        let name = format!("heads/made-{}", self.unique());
        let body = json!({ "ref": format!("refs/{name}"), "sha": self.sha(target.repo, "main").await });
        self.prepare(Method::POST, &format!("/repos/acme/{}/git/refs", target.repo), body).await;
        name
    }

    async fn sha(&self, repo: &str, branch: &str) -> String {
        if branch == "workflow" {
            return self.workflow_sha(repo).await;
        }
        let path = format!("/repos/acme/{repo}/git/ref/heads/{branch}");
        let found = self.prepare(Method::GET, &path, Value::Null).await;
        found["object"]["sha"].as_str().expect("a branch has a commit").to_owned()
    }

    /// A commit with a workflow file that no branch has, because one on a branch needs no permission.
    async fn workflow_sha(&self, repo: &str) -> String {
        let known = self.workflow_shas.lock().expect("nobody panics with it").get(repo).cloned();
        if let Some(sha) = known {
            return sha;
        }
        let path = format!("/repos/acme/{repo}/git/ref/heads/workflow");
        let found = self.prepare(Method::GET, &path, Value::Null).await;
        let sha = found["object"]["sha"].as_str().expect("a branch has a commit").to_owned();
        self.prepare(Method::DELETE, &format!("/repos/acme/{repo}/git/refs/heads/workflow"), Value::Null).await;
        self.workflow_shas.lock().expect("nobody panics with it").insert(repo.to_owned(), sha.clone());
        sha
    }

    /// Undoes what would change the result of later requests.
    pub async fn tidy(&self, row: &Row, target: &RequestTarget, call: &Call) {
        if row.operation.starts_with("orgs/") && self.is_real("orgs/list-issue-fields") {
            let fields = self.prepare(Method::GET, "/orgs/acme/issue-fields", Value::Null).await;
            for field in fields.as_array().expect("a list").iter().filter(|field| field["name"] != "Priority") {
                self.prepare(Method::DELETE, &format!("/orgs/acme/issue-fields/{}", field["id"]), Value::Null).await;
            }
        }
        if target.object == Object::WithWorkflow {
            let name = match call.body["ref"].as_str() {
                Some(name) => name.trim_start_matches("refs/").to_owned(),
                None => call.path.split_once("/git/refs/").expect("a reference's path").1.to_owned(),
            };
            let path = format!("/repos/acme/{}/git/refs/{name}", target.repo);
            let setup = format!("Bearer {}", super::fixture::SETUP_TOKEN);
            self.send(&Method::DELETE, &path, &Value::Null, Some(&setup)).await;
        }
    }

    async fn repository(&self, target: &RequestTarget) -> i64 {
        let path = format!("/repos/{}/{}", target.account, target.repo);
        if target.account == "nobody" {
            return 999_999;
        }
        self.prepare(Method::GET, &path, Value::Null).await["id"].as_i64().expect("a repository has an id")
    }

    /// The installation of this app on `acme`.
    pub async fn installation(&self, slug: &str) -> i64 {
        let mut db = self.service.store.read().await.expect("the store can be read");
        let app =
            apps::store::find_by_slug(&mut db, slug).await.expect("the store can be read").expect("the app exists");
        let acme = plinth_core::accounts::store::find_by_login(&mut db, "acme").await.expect("the store can be read");
        let acme = acme.expect("acme exists").id;
        let found = apps::store::find_installation_on(&mut db, app.id, acme).await.expect("the store can be read");
        found.expect("the app is installed").id.0
    }

    async fn body(&self, row: &Row, target: &RequestTarget) -> Value {
        let unique = self.unique();
        let real = self.is_real("git/get-ref") && target.account == "acme";
        let sha = |branch: &'static str| async move {
            let foreign = target.object == Object::OfAnotherRepo;
            match (real, foreign) {
                (false, _) => "0".repeat(40),
                (true, true) => self.sha("elsewhere", "only-here").await,
                (true, false) => self.sha(target.repo, branch).await,
            }
        };
        let branch = if target.object == Object::WithWorkflow { "workflow" } else { "main" };
        match row.operation {
            "projects/add-field-for-org" | "projects/add-field-for-user" => {
                json!({ "name": format!("Field {unique}"), "data_type": "text" })
            }
            "orgs/create-issue-field" => json!({ "name": format!("Made {unique}"), "data_type": "text" }),
            "orgs/update-issue-field" => json!({ "name": format!("Renamed {unique}") }),
            "pulls/update-review-comment" | "pulls/create-reply-for-review-comment" => {
                json!({ "body": format!("words {unique}") })
            }
            "pulls/create-review-comment" => {
                json!({ "body": format!("words {unique}"), "commit_id": sha("feature").await,
                "path": "src/a.txt", "line": 2, "side": "RIGHT" })
            }
            "git/create-ref" => {
                let name =
                    if target.object == Object::Reserved { "pull/1/head" } else { &format!("heads/new-{unique}") };
                json!({ "ref": format!("refs/{name}"), "sha": sha(branch).await })
            }
            "git/update-ref" => json!({ "sha": sha(branch).await, "force": true }),
            _ => Value::Null,
        }
    }
}
