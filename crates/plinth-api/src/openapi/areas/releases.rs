//! Texts of the operations on releases.

use crate::openapi::operation::{Area, Operation, Parameter, created, file, no_content, ok, parameter};
use crate::openapi::parameters::PAGES;
use crate::openapi::schema::of;
use crate::releases::body::{CreateReleaseBody, GenerateNotesBody, UpdateAssetBody, UpdateReleaseBody};
use crate::releases::json::{Asset, Notes, Release};

const BYTES: &[&str] = &["application/octet-stream"];
const FORMS: &[&str] = &[
    "application/vnd.plinth.raw+json",
    "application/vnd.plinth.text+json",
    "application/vnd.plinth.html+json",
    "application/vnd.plinth.full+json",
];
const INVALID: (u16, &str) = (422, "A value is invalid, or the tag has a release already.");
const CHANGED: (u16, &str) = (409, "The release or its tag was changed meanwhile.");
const NAME: Parameter = parameter(
    "name",
    of::<String>,
    "The name of the file; other characters than letters, digits and `-_.+@~` become dots.",
);
const LABEL: Parameter = parameter("label", of::<String>, "What is shown instead of the name.");

pub const AREA: Area = Area {
    name: "Releases",
    about: "Tags with a text and files.",
    operations: &[
        Operation::new(
            "repos/list-releases",
            "List releases",
            "The newest first. Only those who may push see drafts.",
            ok("The releases.", of::<Vec<Release>>).or(FORMS),
        )
        .query(PAGES),
        Operation::new(
            "repos/create-release",
            "Create a release",
            "Unless it is a draft, its tag is created if it does not exist.",
            created("The release.", of::<Release>).or(FORMS),
        )
        .body(of::<CreateReleaseBody>, r#"{"tag_name":"v1.0.0","name":"First","body":"It works."}"#)
        .errors(&[INVALID, CHANGED]),
        Operation::new(
            "repos/generate-release-notes",
            "Generate notes of a release",
            "A link to the comparison with the release before. Nothing is stored.",
            ok("The notes.", of::<Notes>),
        )
        .body(of::<GenerateNotesBody>, r#"{"tag_name":"v1.0.0"}"#)
        .errors(&[INVALID]),
        Operation::new(
            "repos/get-latest-release",
            "Get the latest release",
            "The full release that was published last, unless another one was marked since. Drafts and prereleases do not count.",
            ok("The release.", of::<Release>).or(FORMS),
        ),
        Operation::new(
            "repos/get-release-by-tag",
            "Get the release of a tag",
            "Drafts have no tag.",
            ok("The release.", of::<Release>).or(FORMS),
        ),
        Operation::new("repos/get-release", "Get a release", "", ok("The release.", of::<Release>).or(FORMS)),
        Operation::new(
            "repos/update-release",
            "Update a release",
            "What is absent or null stays. A draft is published with `\"draft\": false`.",
            ok("The release.", of::<Release>).or(FORMS),
        )
        .body(of::<UpdateReleaseBody>, r#"{"draft":false}"#)
        .errors(&[INVALID, CHANGED]),
        Operation::new("repos/delete-release", "Delete a release", "Its tag stays.", no_content("The release is deleted.")),
        Operation::new(
            "repos/list-release-assets",
            "List the files of a release",
            "The oldest first.",
            ok("The files.", of::<Vec<Asset>>),
        )
        .query(PAGES),
        Operation::new(
            "repos/upload-release-asset",
            "Upload a file of a release",
            "The body is the file, 64 MiB at most unless the operator allows more. It becomes visible when it is complete.",
            created("The file.", of::<Asset>),
        )
        .query(&[NAME, LABEL])
        .stream("application/octet-stream")
        .errors(&[
            (409, "The upload was ended, because it made no progress."),
            (413, "The file is too large."),
            (422, "A value is invalid, or the release has a file with this name."),
        ]),
        Operation::new(
            "repos/get-release-asset",
            "Get a file of a release",
            "As JSON, or its bytes where `Accept` is `application/octet-stream`.",
            ok("The file.", of::<Asset>).or(BYTES),
        ),
        Operation::new(
            "repos/update-release-asset",
            "Update a file of a release",
            "Its name and its label. What is absent or null stays.",
            ok("The file.", of::<Asset>),
        )
        .body(of::<UpdateAssetBody>, r#"{"label":"Linux"}"#)
        .errors(&[(422, "A value is invalid, or the release has a file with this name.")]),
        Operation::new("repos/delete-release-asset", "Delete a file of a release", "", no_content("The file is deleted.")),
        Operation::new(
            "web/download-release-asset",
            "Download a file of a release",
            "Where `browser_download_url` leads to.",
            file("The bytes.", BYTES),
        ),
    ],
};
