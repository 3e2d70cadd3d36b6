//! Releases and their files on the wire.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::accounts::json::User;
use crate::negotiation::Media;
use crate::request::shape::Nullable;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AssetId, NodeId, ReleaseId};
use plinth_base::urls::Part::{Fixed, Number, Path, Segment};
use plinth_base::urls::{Url, UrlTemplate, Urls};
use plinth_core::accounts::AccountSummary;
use plinth_core::releases;
use plinth_core::repos::Repo;
use plinth_markdown::Rendered;

/// A release with everything that its JSON needs.
pub struct Ready {
    pub release: releases::Release,
    pub assets: Vec<releases::Asset>,
    /// Only with media types that need it.
    pub rendered: Option<Arc<Rendered>>,
}

/// A release.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "release")]
pub struct Release<'a> {
    url: Url<'a>,
    assets_url: Url<'a>,
    /// Where files are uploaded to, with their names in the query.
    upload_url: UrlTemplate<'a>,
    html_url: String,
    id: ReleaseId,
    node_id: String,
    tag_name: &'a str,
    /// What the tag was or will be created from.
    target_commitish: &'a str,
    name: Option<&'a str>,
    draft: bool,
    prerelease: bool,
    /// Always false: every release can be changed.
    immutable: bool,
    created_at: Timestamp,
    /// Null for drafts.
    published_at: Option<Timestamp>,
    updated_at: Timestamp,
    /// Null if the account was deleted.
    author: Option<User<'a>>,
    assets: Vec<Asset<'a>>,
    /// Null for drafts.
    tarball_url: Option<Url<'a>>,
    zipball_url: Option<Url<'a>>,
    /// Not with `text` and `html`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Nullable<String>>")]
    body: Option<Option<&'a str>>,
    /// Only with `text` and `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    body_text: Option<&'a str>,
    /// Only with `html` and `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    body_html: Option<&'a str>,
}

impl<'a> Release<'a> {
    pub fn new(ready: &'a Ready, media: Media, repo: &'a Repo, urls: &'a Urls) -> Self {
        let Ready { release, assets, rendered } = ready;
        let (owner, name) = (repo.owner_login.as_str(), repo.name.as_str());
        let url = urls.release(owner, name, release.id);
        let assets_url = url.then(Fixed("/assets"));
        let archive = |word| {
            let archive = urls.repo(owner, name).then(Fixed(word)).then(Path(&release.tag_name));
            (!release.draft).then_some(archive)
        };
        let rendered = rendered.as_deref();
        Self {
            url,
            assets_url,
            upload_url: assets_url.template("{?name,label}"),
            html_url: page(release, repo, urls),
            id: release.id,
            node_id: NodeId::new("RE", 0).number(repo.id.0).number(release.id.0).finish(),
            tag_name: &release.tag_name,
            target_commitish: &release.target,
            name: release.name.as_deref(),
            draft: release.draft,
            prerelease: release.prerelease,
            immutable: false,
            created_at: release.created_at,
            published_at: release.published_at,
            updated_at: release.updated_at,
            author: release.author.as_ref().map(|author| user(author, urls)),
            assets: assets.iter().map(|asset| Asset::new(asset, release, repo, urls)).collect(),
            tarball_url: archive("/tarball/"),
            zipball_url: archive("/zipball/"),
            body: media.shows_body().then_some(release.body.as_deref()),
            body_text: rendered.filter(|_| media.shows_text()).map(|rendered| rendered.text.as_str()),
            body_html: rendered.filter(|_| media.shows_html()).map(|rendered| rendered.html.as_str()),
        }
    }
}

/// The page of a release. A draft has no tag yet.
fn page(release: &releases::Release, repo: &Repo, urls: &Urls) -> String {
    let page = urls.repo_page(&repo.owner_login, &repo.name).then(Fixed("/releases/tag/"));
    match release.draft {
        true => page.then(Fixed("untagged-")).then(Number(release.id.0)).to_string(),
        false => page.then(Path(&release.tag_name)).to_string(),
    }
}

fn user<'a>(account: &'a AccountSummary, urls: &'a Urls) -> User<'a> {
    User::from_parts(account.id, account.kind, &account.login, account.site_admin, urls)
}

/// A file of a release.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "release-asset")]
pub struct Asset<'a> {
    url: Url<'a>,
    id: AssetId,
    node_id: String,
    name: &'a str,
    /// What is shown instead of the name.
    label: Option<&'a str>,
    /// Null if the account was deleted.
    uploader: Option<User<'a>>,
    content_type: &'a str,
    /// Only files that are uploaded are shown.
    #[schemars(extend("enum" = ["uploaded"]))]
    state: &'static str,
    size: i64,
    /// `sha256:` and 64 digits.
    digest: Option<&'a str>,
    /// Always 0: downloads are not counted.
    download_count: i64,
    created_at: Timestamp,
    updated_at: Timestamp,
    browser_download_url: Url<'a>,
}

impl<'a> Asset<'a> {
    pub fn new(asset: &'a releases::Asset, release: &'a releases::Release, repo: &'a Repo, urls: &'a Urls) -> Self {
        let (owner, name) = (repo.owner_login.as_str(), repo.name.as_str());
        let download = urls.repo_page(owner, name).then(Fixed("/releases/download/")).then(Path(&release.tag_name));
        Self {
            url: urls.release_asset(owner, name, asset.id),
            id: asset.id,
            node_id: NodeId::new("RA", 0).number(repo.id.0).number(asset.id.0).finish(),
            name: &asset.name,
            label: asset.label.as_deref(),
            uploader: asset.uploader.as_ref().map(|uploader| user(uploader, urls)),
            content_type: &asset.content_type,
            state: "uploaded",
            size: asset.size,
            digest: asset.digest.as_deref(),
            download_count: 0,
            created_at: asset.created_at,
            updated_at: asset.updated_at,
            browser_download_url: download.then(Fixed("/")).then(Segment(&asset.name)),
        }
    }
}

/// Generated notes.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "release-notes-content")]
pub struct Notes<'a> {
    pub name: &'a str,
    pub body: &'a str,
}
