//! Which page a path is.

use http::Method;
use plinth_core::accounts::Login;

use crate::assets::Asset;
use crate::text;

/// A page, by its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    Asset(Asset),
    Home,
    SignIn,
    SignInCode,
    SignOut,
    Notifications,
    Device,
    App(String),
    Installation(i64),
    IssueFields(String),
    Project { owner_kind: OwnerKind, owner: String, number: i64 },
    Account(String),
    Repo { owner: String, name: String, page: RepoPage },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnerKind {
    Organization,
    User,
}

/// A page of a repository. Texts are decoded; a `String` may contain slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RepoPage {
    Overview,
    Tree(String),
    Blob(String),
    Raw(String),
    Commits(String),
    Commit(String),
    Compare(String),
    Branches,
    Tags,
    Pulls,
    Pull(i64),
    PullFiles(i64),
    PullCommits(i64),
    PullText(i64, DiffFormat),
    Issues,
    NewIssue,
    Issue(i64),
    Releases,
    Release(String),
}

/// A pull request, a commit or a comparison as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffFormat {
    Diff,
    Patch,
}

impl DiffFormat {
    /// Splits the extension off a name.
    pub fn split(name: &str) -> Option<(&str, Self)> {
        let diff = name.strip_suffix(".diff").map(|rest| (rest, DiffFormat::Diff));
        diff.or_else(|| Some((name.strip_suffix(".patch")?, DiffFormat::Patch)))
    }

    pub fn accept(self) -> &'static str {
        match self {
            DiffFormat::Diff => "application/vnd.github.diff",
            DiffFormat::Patch => "application/vnd.github.patch",
        }
    }
}

impl Route {
    pub fn parse(path: &str) -> Option<Self> {
        let decoded: Vec<String> = path.trim_matches('/').split('/').map(text::decode).collect::<Option<_>>()?;
        let parts: Vec<&str> = decoded.iter().map(String::as_str).collect();
        match parts.as_slice() {
            [""] => Some(Route::Home),
            ["-", "sign-in"] => Some(Route::SignIn),
            ["-", "sign-in", "code"] => Some(Route::SignInCode),
            ["-", "sign-out"] => Some(Route::SignOut),
            ["-", "notifications"] => Some(Route::Notifications),
            ["-", name] => Asset::find(name).map(Route::Asset),
            ["login", "device"] => Some(Route::Device),
            ["apps", slug] => Some(Route::App((*slug).to_owned())),
            ["settings", "installations", id] | ["organizations", _, "settings", "installations", id] => {
                number(id).map(Route::Installation)
            }
            ["organizations", org, "settings", "issue-fields"] => Some(Route::IssueFields((*org).to_owned())),
            [kind @ ("orgs" | "users"), owner, "projects", id] => {
                let owner_kind = if *kind == "orgs" { OwnerKind::Organization } else { OwnerKind::User };
                Some(Route::Project { owner_kind, owner: (*owner).to_owned(), number: number(id)? })
            }
            [owner, rest @ ..] => {
                Login::parse(owner).ok()?;
                let owner = (*owner).to_owned();
                let [name, rest @ ..] = rest else { return Some(Route::Account(owner)) };
                let (name, page) = ((*name).to_owned(), RepoPage::parse(rest)?);
                (!name.is_empty()).then_some(Route::Repo { owner, name, page })
            }
            [] => None,
        }
    }

    /// Whether the path can be that of a file (see [`Route::is_file`]) or is below `/-/`, found without taking it apart.
    pub fn may_be_file(path: &str) -> bool {
        let trimmed = path.trim_matches('/');
        let is_named = |name: &str| ["raw", "pull", "commit", "compare"].contains(&name);
        trimmed.starts_with("-/") || trimmed.split('/').nth(2).is_some_and(is_named) || path.contains('%')
    }

    /// Whether any client gets it, not only one that prefers HTML: files, for which the API has URLs.
    pub fn is_file(&self, method: &Method) -> bool {
        let Route::Repo { page, .. } = self else { return matches!(self, Route::Asset(_)) };
        let is_text = match page {
            RepoPage::Raw(_) | RepoPage::PullText(..) => true,
            RepoPage::Commit(rest) | RepoPage::Compare(rest) => DiffFormat::split(rest).is_some(),
            _ => false,
        };
        is_text && matches!(*method, Method::GET | Method::HEAD)
    }
}

impl RepoPage {
    fn parse(parts: &[&str]) -> Option<Self> {
        Some(match parts {
            [] => RepoPage::Overview,
            ["tree", rest @ ..] if !rest.is_empty() => RepoPage::Tree(rest.join("/")),
            ["blob", rest @ ..] if rest.len() > 1 => RepoPage::Blob(rest.join("/")),
            ["raw", rest @ ..] if rest.len() > 1 => RepoPage::Raw(rest.join("/")),
            ["commits", rest @ ..] => RepoPage::Commits(rest.join("/")),
            ["commit", sha] => RepoPage::Commit((*sha).to_owned()),
            ["compare", rest @ ..] => RepoPage::Compare(rest.join("/")),
            ["branches"] => RepoPage::Branches,
            ["tags"] => RepoPage::Tags,
            ["pulls"] => RepoPage::Pulls,
            ["pull", id] => match DiffFormat::split(id) {
                Some((id, format)) => RepoPage::PullText(number(id)?, format),
                None => RepoPage::Pull(number(id)?),
            },
            ["pull", id, "files"] => RepoPage::PullFiles(number(id)?),
            ["pull", id, "commits"] => RepoPage::PullCommits(number(id)?),
            ["issues"] => RepoPage::Issues,
            ["issues", "new"] => RepoPage::NewIssue,
            ["issues", id] => RepoPage::Issue(number(id)?),
            ["releases"] => RepoPage::Releases,
            ["releases", "tag", rest @ ..] if !rest.is_empty() => RepoPage::Release(rest.join("/")),
            _ => return None,
        })
    }
}

fn number(text: &str) -> Option<i64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repo(page: RepoPage) -> Option<Route> {
        Some(Route::Repo { owner: "octo-org".into(), name: "hello".into(), page })
    }

    #[test]
    fn paths_of_pages_are_found_and_paths_of_the_api_are_not() {
        for (path, expected) in [
            ("/", Some(Route::Home)),
            ("/octo-org", Some(Route::Account("octo-org".into()))),
            ("/octo-org/hello", repo(RepoPage::Overview)),
            ("/octo-org/hello/tree/a/b%20c", repo(RepoPage::Tree("a/b c".into()))),
            ("/octo-org/hello/pull/7", repo(RepoPage::Pull(7))),
            ("/octo-org/hello/pull/7.diff", repo(RepoPage::PullText(7, DiffFormat::Diff))),
            ("/octo-org/hello/pull/7/files", repo(RepoPage::PullFiles(7))),
            ("/octo-org/hello/compare/a...b/c", repo(RepoPage::Compare("a...b/c".into()))),
            ("/octo-org/hello/pull/x", None),
            ("/octo-org/hello/wiki", None),
            ("/repos/octo-org/hello", None),
            ("/users/mona", None),
            ("/-/nothing", None),
            ("/notifications", None),
            ("/octo-org/hello/info/refs", None),
        ] {
            assert_eq!(Route::parse(path), expected, "{path}");
        }
    }
}
