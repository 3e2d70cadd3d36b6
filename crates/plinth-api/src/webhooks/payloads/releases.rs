//! Payloads about releases.

use plinth_base::error::Result;
use plinth_core::releases;
use plinth_core::releases::events::ReleaseData;
use serde::Serialize;

use super::Context;
use super::common::From;
use crate::negotiation::Media;
use crate::releases::json::{Ready, Release};

#[derive(Serialize)]
struct Payload<'a> {
    release: Release<'a>,
    /// Only of `edited`.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Changes<'a>>,
}

#[derive(Serialize)]
struct Changes<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<From<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<From<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tag_name: Option<From<&'a str>>,
}

impl<'a> Changes<'a> {
    fn new(before: &'a releases::Release, after: &releases::Release) -> Self {
        let text = |was: &'a Option<String>, is: &Option<String>| {
            (was != is).then(|| From { from: was.as_deref().unwrap_or_default() })
        };
        Self {
            body: text(&before.body, &after.body),
            name: text(&before.name, &after.name),
            tag_name: (before.tag_name != after.tag_name).then_some(From { from: before.tag_name.as_str() }),
        }
    }
}

pub fn render(context: &Context<'_>) -> Result<Option<String>> {
    let ReleaseData { release, assets, before } = context.data()?;
    let Some(repo) = &context.parties.repo else { return Ok(None) };
    let ready = Ready { release, assets, rendered: None };
    context.write(Payload {
        release: Release::new(&ready, Media::Json, repo, context.urls),
        changes: before.as_ref().map(|before| Changes::new(before, &ready.release)),
    })
}
