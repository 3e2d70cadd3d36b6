//! Apps, and their installations with repositories and permissions.

use http::Method;
use maud::{Markup, html};
use plinth_base::error::{Error, Result};
use plinth_base::ids::InstallationId;
use plinth_core::installations::model::InstallationDetails;
use plinth_core::tokens::Permissions;
use plinth_core::{accounts as core_accounts, apps as core_apps, installations};
use serde_json::json;

use crate::forms::Form;
use crate::layout;
use crate::model::{Repository, SelectedRepositories};
use crate::response::WebResponse;
use crate::text;
use crate::visit::Visit;

const SHOWN: u32 = 100;

/// The public profile of an app: everyone who meets its bot may know what it is.
pub async fn show(visit: &Visit, slug: &str) -> Result<WebResponse> {
    let mut db = visit.api.app.read().await?;
    let app = core_apps::store::find_by_slug(&mut db, slug).await?.ok_or(Error::NotFound)?;
    let owner = core_accounts::store::find(&mut db, app.owner_id).await?.ok_or(Error::NotFound)?;
    drop(db);
    let body = html! {
        h1 { (app.name) }
        p class="soft" { "App of " a href={ "/" (text::segment(&owner.login)) } { (owner.login) } }
        h2 { "Permissions" }
        (permissions(&app.permissions))
    };
    Ok(WebResponse::FreshPage(layout::narrow(visit, &app.name, body)))
}

fn permissions(permissions: &Permissions) -> Markup {
    let text = permissions.to_text();
    let pairs: Vec<(String, String)> = serde_json::from_str::<std::collections::BTreeMap<String, String>>(&text)
        .unwrap_or_default()
        .into_iter()
        .collect();
    html! {
        @if pairs.is_empty() { p class="soft" { "None." } }
        ul class="chips" { @for (name, level) in &pairs { li class="chip" { (name.replace('_', " ")) ": " (level) } } }
    }
}

/// Whoever sees the repositories of an installation through the API may see the installation.
pub async fn show_installation(visit: &Visit, id: i64) -> Result<WebResponse> {
    let page = visit.page_number();
    let target = format!("/user/installations/{id}/repositories?per_page={SHOWN}&page={page}");
    let selected: SelectedRepositories = visit.get(&target).await?;
    let mut db = visit.api.app.read().await?;
    let details = installations::store::find_details(&mut db, InstallationId(id)).await?.ok_or(Error::NotFound)?;
    drop(db);
    let is_selected = selected.repository_selection == "selected";
    let account = text::segment(&details.account.login);
    let others = if is_selected { others(visit, &account, &selected).await? } else { Vec::new() };
    let body = html! {
        (installation_head(&details))
        h2 { (text::count(selected.total_count, "repository", "repositories")) @if !is_selected { " (all)" } }
        form method="post" action=(visit.path) {
            (layout::form_token(visit))
            ul class="rows box padded" {
                @for repo in &selected.repositories {
                    li class="commit" {
                        a href=(repo.page()) { (repo.full_name) }
                        @if is_selected { button name="remove" value=(repo.id) { "Remove" } }
                    }
                }
            }
        }
        @if !others.is_empty() {
            h2 { "Add a repository" }
            form method="post" action=(visit.path) class="inline" {
                (layout::form_token(visit))
                label { "Repository " select name="add" { @for repo in &others { option value=(repo.id) { (repo.full_name) } } } }
                button { "Add" }
            }
        }
    };
    Ok(WebResponse::FreshPage(layout::narrow(visit, "Installation", body)))
}

fn installation_head(details: &InstallationDetails) -> Markup {
    let installation = &details.installation;
    html! {
        h1 { a href={ "/apps/" (text::segment(&details.app_slug)) } { (details.app_slug) } }
        p class="soft" {
            "Installed on " a href={ "/" (text::segment(&details.account.login)) } { (details.account.login) }
            " " (text::date(&installation.created_at.to_string()))
            @if installation.suspended_at.is_some() { " " span class="tag" { "Suspended" } }
        }
        h2 { "Permissions" }
        (permissions(&installation.permissions))
    }
}

/// Repositories of the account that could be added.
async fn others(visit: &Visit, account: &str, selected: &SelectedRepositories) -> Result<Vec<Repository>> {
    let org = visit.list_or_empty::<Repository>(&format!("/orgs/{account}/repos?"), SHOWN).await?.items;
    let all = if org.is_empty() {
        visit.list_or_empty::<Repository>("/user/repos?affiliation=owner", SHOWN).await?.items
    } else {
        org
    };
    let is_new = |repo: &Repository| selected.repositories.iter().all(|own| own.id != repo.id);
    let is_of_account = |repo: &Repository| text::segment(&repo.owner.login) == account;
    Ok(all.into_iter().filter(|repo| is_new(repo) && is_of_account(repo)).collect())
}

pub async fn select_repository(visit: &Visit, id: i64, form: &Form) -> Result<WebResponse> {
    let (method, repo) = match (form.number("add"), form.number("remove")) {
        (Some(repo), _) => (Method::PUT, repo),
        (None, Some(repo)) => (Method::DELETE, repo),
        (None, None) => return Err(Error::NotFound),
    };
    let target = format!("/user/installations/{id}/repositories/{repo}");
    match visit.send(method, &target, json!({})).await? {
        Ok(_) => Ok(WebResponse::Redirect(visit.path.clone())),
        Err(rejected) => Ok(form.rejected(visit, &rejected)),
    }
}
