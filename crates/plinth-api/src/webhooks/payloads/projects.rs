//! Payloads about projects.

use plinth_base::error::Result;
use plinth_core::accounts;
use plinth_core::projects::events::ProjectData;
use serde::Serialize;

use super::Context;
use crate::projects::json::Project;

#[derive(Serialize)]
struct Specific<'a> {
    projects_v2: Project<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Changes<'a>>,
}

#[derive(Serialize)]
struct Changes<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<Change<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    short_description: Option<Change<Option<&'a str>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    public: Option<Change<bool>>,
}

#[derive(Serialize)]
struct Change<T> {
    from: T,
    to: T,
}

impl<T: PartialEq> Change<T> {
    fn between(from: T, to: T) -> Option<Self> {
        (from != to).then_some(Self { from, to })
    }
}

pub async fn render(context: &Context<'_>) -> Result<Option<String>> {
    let data: ProjectData = context.data()?;
    let creator = match data.project.creator_id {
        Some(creator) => accounts::store::find(&mut context.app.read().await?, creator).await?,
        None => None,
    };
    let changes = data.before.as_ref().map(|before| Changes {
        title: Change::between(&before.title, &data.project.title),
        short_description: Change::between(
            before.short_description.as_deref(),
            data.project.short_description.as_deref(),
        ),
        public: Change::between(before.public, data.project.public),
    });
    context.write(Specific { projects_v2: Project::new(&data.project, creator.as_ref(), context.urls), changes })
}
