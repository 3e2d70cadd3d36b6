//! The pages as one service: which requests they take, who has signed in, and which page responds.

use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use futures_util::future::BoxFuture;
use http::header::{ACCEPT, AUTHORIZATION};
use http::{HeaderMap, HeaderValue, Method, Request};
use plinth_api::app::permits::Caller;
use plinth_api::middleware::{LocalCaller, PageOrigin, PageRequest, PageResponse, Pages, authenticate};
use plinth_api::policy::{Caching, Row, Wire};
use plinth_base::error::{Error, Result};
use plinth_core::access::policy::OPEN;
use plinth_core::accounts::Login;
use plinth_core::tokens::Principal;
use plinth_core::web_sessions;
use plinth_store::InvalidationScope;

use crate::forms::Form;
use crate::response::{self, WebResponse};
use crate::routes::{RepoPage, Route};
use crate::session::{self, Transport};
use crate::visit::Visit;
use crate::{
    accounts, apps, blob, commits, compare, device, home, issue_fields, issues, layout, notifications, projects, pulls,
    refs, releases, repository, sign_in,
};

/// Pages have one name in metrics and logs, since their paths have names of accounts in them.
static ROW: Row = Row {
    operation: "web/page",
    method: Method::GET,
    paths: &["/"],
    rule: OPEN,
    wire: Wire::Json,
    caching: Caching::NOTHING,
};

/// The pages of the service.
#[derive(Debug, Clone, Copy, Default)]
pub struct WebPages;

impl Pages for WebPages {
    fn accepts(&self, request: &Request<Body>, is_operation: &dyn Fn() -> bool) -> bool {
        let (method, path) = (request.method(), request.uri().path());
        // Clients of the API do not wait until the path is taken apart.
        if !prefers_html(request.headers()) && !Route::may_be_file(path) {
            return false;
        }
        let is_known = matches!(*method, Method::GET | Method::HEAD | Method::POST);
        let route = Route::parse(path).filter(|_| is_known);
        if path.starts_with("/-/") {
            return true;
        }
        if (route != Some(Route::Home) && is_operation()) || (route.is_none() && is_of_api(path)) {
            return false;
        }
        route.is_some_and(|route| route.is_file(method)) || prefers_html(request.headers())
    }

    fn respond(&self, request: PageRequest) -> BoxFuture<'_, Result<PageResponse>> {
        Box::pin(respond(request))
    }

    fn error(&self, error: &Error) -> Response {
        response::page(response::status_of(error), layout::error(error).into_string().into())
    }
}

/// Whether a path without a page belongs to the API, which responds in JSON even to a browser.
fn is_of_api(path: &str) -> bool {
    let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    Login::parse(first).is_err()
}

/// Browsers accept HTML before anything else; clients of the API do not ask for it first.
fn prefers_html(headers: &HeaderMap) -> bool {
    let accept = headers.get(ACCEPT).map(HeaderValue::as_bytes).unwrap_or_default();
    let first = accept.split(|byte| matches!(byte, b',' | b';')).next().unwrap_or_default().trim_ascii();
    first.eq_ignore_ascii_case(b"text/html") || first.eq_ignore_ascii_case(b"application/xhtml+xml")
}

async fn respond(page: PageRequest) -> Result<PageResponse> {
    let PageRequest { request, origin, permit, api } = page;
    let (parts, body) = request.into_parts();
    let route = Route::parse(parts.uri.path()).ok_or(Error::NotFound)?;
    let transport = transport(&origin);
    let generations = api.app.generations().await;
    let is_file = route.is_file(&parts.method);
    let (session, principal) = match session::presented(&parts.headers, transport) {
        // URLs of files are in responses of the API, so its clients fetch them with their tokens.
        _ if is_file && parts.headers.contains_key(AUTHORIZATION) => {
            (None, authenticate(&api.app, &parts.headers, generations).await.map_err(|_| Error::NotFound)?)
        }
        Some(id) => match web_sessions::operations::find(&api.app, &id).await? {
            Some(principal) => (Some(id), principal),
            None => (None, Arc::new(Principal::Anonymous)),
        },
        None => (None, Arc::new(Principal::Anonymous)),
    };
    permit.count_for(Caller::of(&principal, origin.client))?;
    let PageOrigin { client, urls, request_id } = origin;
    let caller = LocalCaller { principal, generations, client, urls, request_id, permit };
    let mut visit = Visit::new(api, caller, parts.headers, transport);
    visit.session = session;
    visit.path = parts.uri.path().to_owned();
    visit.query = parts.uri.query().unwrap_or_default().to_owned();
    let responded = match parts.method {
        Method::POST => post(&visit, &route, Form::read(body).await?).await?,
        _ => get(&visit, &route).await?,
    };
    let (response, whole) = responded.into_response();
    let scope = visit.scope().filter(|scope| !matches!(scope, InvalidationScope::Everything));
    Ok(PageResponse { row: &ROW, response, cached: whole.zip(scope) })
}

/// On the loopback interface a browser may use plain HTTP; everywhere else cookies need encryption. A proxy on the same
/// machine has another host name.
fn transport(origin: &PageOrigin) -> Transport {
    let plain = origin.urls.web().strip_prefix("http://").filter(|_| origin.client.is_loopback());
    match plain.is_some_and(is_loopback_host) {
        true => Transport::PlainLoopback,
        false => Transport::Encrypted,
    }
}

fn is_loopback_host(authority: &str) -> bool {
    let without_port = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    let host = without_port.trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

async fn get(visit: &Visit, route: &Route) -> Result<WebResponse> {
    match route {
        Route::Asset(asset) => Ok(asset.response()),
        Route::Home => home::show(visit).await,
        Route::SignIn => sign_in::show(visit),
        Route::SignInCode => sign_in::show_code(visit).await,
        Route::SignOut => Err(Error::NotFound),
        Route::Notifications => notifications::show(visit).await,
        Route::Device => device::show(visit).await,
        Route::App(slug) => apps::show(visit, slug).await,
        Route::Installation(id) => apps::show_installation(visit, *id).await,
        Route::IssueFields(org) => issue_fields::show(visit, org).await,
        Route::Project { owner_kind, owner, number } => projects::show(visit, *owner_kind, owner, *number).await,
        Route::Account(login) => accounts::show(visit, login).await,
        Route::Repo { owner, name, page } => get_repo_page(visit, (owner, name), page).await,
    }
}

async fn get_repo_page(visit: &Visit, repo: (&str, &str), page: &RepoPage) -> Result<WebResponse> {
    match page {
        RepoPage::Overview => repository::show(visit, repo).await,
        RepoPage::Tree(rest) => repository::show_tree(visit, repo, rest).await,
        RepoPage::Blob(rest) => blob::show(visit, repo, rest).await,
        RepoPage::Raw(rest) => blob::raw(visit, repo, rest).await,
        RepoPage::Commits(rest) => commits::list(visit, repo, rest).await,
        RepoPage::Commit(sha) => commits::show(visit, repo, sha).await,
        RepoPage::Compare(rest) => compare::show(visit, repo, rest).await,
        RepoPage::Branches => refs::branches(visit, repo).await,
        RepoPage::Tags => refs::tags(visit, repo).await,
        RepoPage::Pulls => pulls::list(visit, repo).await,
        RepoPage::Pull(number) => pulls::show_conversation(visit, repo, *number).await,
        RepoPage::PullFiles(number) => pulls::show_files(visit, repo, *number).await,
        RepoPage::PullCommits(number) => pulls::show_commits(visit, repo, *number).await,
        RepoPage::PullText(number, format) => pulls::text(visit, repo, *number, *format).await,
        RepoPage::Issues => issues::list(visit, repo).await,
        RepoPage::NewIssue => issues::new_form(visit, repo).await,
        RepoPage::Issue(number) => issues::show(visit, repo, *number).await,
        RepoPage::Releases => releases::list(visit, repo).await,
        RepoPage::Release(tag) => releases::show(visit, repo, tag).await,
    }
}

/// Every form is checked before anything else: it must come from a page of this service.
async fn post(visit: &Visit, route: &Route, form: Form) -> Result<WebResponse> {
    match route {
        Route::SignIn => return sign_in::with_token(visit, &form).await,
        Route::SignInCode => return sign_in::act_on_code(visit, &form).await,
        _ => {}
    }
    form.check_origin(visit)?;
    match route {
        Route::SignOut => sign_in::sign_out(visit).await,
        Route::Notifications => notifications::mark_read(visit, &form).await,
        Route::Device => device::decide(visit, &form).await,
        Route::Installation(id) => apps::select_repository(visit, *id, &form).await,
        Route::Repo { owner, name, page } => match page {
            RepoPage::Compare(_) | RepoPage::Pulls => pulls::open(visit, (owner, name), &form).await,
            RepoPage::Pull(number) | RepoPage::PullFiles(number) => {
                pulls::act(visit, (owner, name), *number, &form).await
            }
            RepoPage::Issues => issues::open(visit, (owner, name), &form).await,
            RepoPage::Issue(number) => issues::act(visit, (owner, name), *number, &form).await,
            _ => Err(Error::NotFound),
        },
        _ => Err(Error::NotFound),
    }
}
