//! Bodies of the operations on releases.

use schemars::JsonSchema;

use crate::request::shape::{Nullable, flatten, from_json};
use crate::wire::{Word, words};
use plinth_core::releases::assets::AssetUpdate;
use plinth_core::releases::{MakeLatest, NewRelease, NotesRequest, ReleaseUpdate};

words! { MakeLatest: True, False, Legacy }

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct CreateReleaseBody {
    tag_name: String,
    /// The branch or the commit that a new tag is created from; the default branch by default.
    target_commitish: Option<String>,
    name: Option<Nullable<String>>,
    /// Markdown.
    body: Option<Nullable<String>>,
    /// A draft has no tag, and only those who may push see it.
    draft: Option<bool>,
    prerelease: Option<bool>,
    /// Adds generated notes to the text.
    generate_release_notes: Option<bool>,
    /// Whether it becomes the latest release, `true` by default.
    make_latest: Option<Word<MakeLatest>>,
}
from_json!(CreateReleaseBody {
    tag_name,
    target_commitish,
    name,
    body,
    draft,
    prerelease,
    generate_release_notes,
    make_latest
});

impl CreateReleaseBody {
    /// `page` is the URL of the page of the repository.
    pub fn into_release(self, page: String) -> NewRelease {
        NewRelease {
            tag_name: self.tag_name,
            target: self.target_commitish.filter(|target| !target.is_empty()),
            name: flatten(self.name),
            body: flatten(self.body),
            draft: self.draft.unwrap_or(false),
            prerelease: self.prerelease.unwrap_or(false),
            make_latest: self.make_latest.map_or(MakeLatest::True, |Word(latest)| latest),
            notes_page: self.generate_release_notes.unwrap_or(false).then_some(page),
        }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct UpdateReleaseBody {
    tag_name: Option<String>,
    /// The branch or the commit that a new tag is created from.
    target_commitish: Option<String>,
    name: Option<Nullable<String>>,
    /// Markdown.
    body: Option<Nullable<String>>,
    /// False publishes a draft.
    draft: Option<bool>,
    prerelease: Option<bool>,
    make_latest: Option<Word<MakeLatest>>,
}
from_json!(UpdateReleaseBody { tag_name, target_commitish, name, body, draft, prerelease, make_latest });

impl From<UpdateReleaseBody> for ReleaseUpdate {
    fn from(body: UpdateReleaseBody) -> Self {
        Self {
            tag_name: body.tag_name,
            target: body.target_commitish.filter(|target| !target.is_empty()),
            // Null counts as absent.
            name: flatten(body.name).map(Some),
            body: flatten(body.body).map(Some),
            draft: body.draft,
            prerelease: body.prerelease,
            make_latest: body.make_latest.map(|Word(latest)| latest),
        }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct GenerateNotesBody {
    tag_name: String,
    target_commitish: Option<String>,
    /// The tag to compare with; that of the latest release by default.
    previous_tag_name: Option<String>,
}
from_json!(GenerateNotesBody { tag_name, target_commitish, previous_tag_name });

impl GenerateNotesBody {
    /// `page` is the URL of the page of the repository.
    pub fn into_request(self, page: String) -> NotesRequest {
        NotesRequest {
            tag_name: self.tag_name,
            target: self.target_commitish.filter(|target| !target.is_empty()),
            previous_tag: self.previous_tag_name.filter(|tag| !tag.is_empty()),
            page,
        }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct UpdateAssetBody {
    /// The name of the file.
    name: Option<String>,
    /// What is shown instead of the name.
    label: Option<Nullable<String>>,
}
from_json!(UpdateAssetBody { name, label });

impl From<UpdateAssetBody> for AssetUpdate {
    fn from(body: UpdateAssetBody) -> Self {
        Self { name: body.name, label: flatten(body.label).map(Some) }
    }
}
