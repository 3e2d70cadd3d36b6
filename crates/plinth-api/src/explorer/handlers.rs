//! Steps of the pages.

use std::sync::Arc;

use super::asset::{Asset, FOR_A_DAY, NOTHING, PAGE_POLICY, SHORTLY};
use super::avatar;
use crate::openapi::Description;
use crate::policy::table::{GetAvatar, GetDescription, GetIcon, GetScript, GetStylesheet, ShowDocs};
use crate::request::Allowed;
use plinth_base::error::{Error, Result};
use plinth_base::ids::AccountId;
use plinth_core::access::NoTarget;

const SVG: &str = "image/svg+xml";

pub async fn description(description: Arc<Description>, access: Allowed<GetDescription, NoTarget>) -> Result<Asset> {
    let body = description.document(access.urls()).into();
    Ok(Asset { content_type: "application/json; charset=utf-8", body, policy: NOTHING, caching: SHORTLY })
}

pub async fn docs(_: Allowed<ShowDocs, NoTarget>) -> Result<Asset> {
    Ok(text("text/html; charset=utf-8", include_str!("assets/docs.html"), PAGE_POLICY))
}

pub async fn stylesheet(_: Allowed<GetStylesheet, NoTarget>) -> Result<Asset> {
    Ok(text("text/css; charset=utf-8", include_str!("assets/explorer.css"), NOTHING))
}

pub async fn script(_: Allowed<GetScript, NoTarget>) -> Result<Asset> {
    Ok(text("text/javascript; charset=utf-8", include_str!("assets/explorer.js"), NOTHING))
}

pub async fn icon(_: Allowed<GetIcon, NoTarget>) -> Result<Asset> {
    Ok(text(SVG, include_str!("assets/favicon.svg"), NOTHING))
}

/// Whether there is such an account makes no difference, so the picture tells nothing.
pub async fn avatar(access: Allowed<GetAvatar, NoTarget>) -> Result<Asset> {
    let id: i64 = access.context().params.number("id").ok_or(Error::NotFound)?;
    let body = avatar::draw(AccountId(id)).into();
    Ok(Asset { content_type: SVG, body, policy: NOTHING, caching: FOR_A_DAY })
}

fn text(content_type: &'static str, body: &'static str, policy: &'static str) -> Asset {
    Asset { content_type, body: body.into(), policy, caching: SHORTLY }
}
