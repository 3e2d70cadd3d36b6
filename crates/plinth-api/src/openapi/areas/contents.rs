//! Texts of the operations on branches, tags, histories and files.

use crate::branches::json::{Branch, ShortBranch, Tag};
use crate::commits::json::CommitComparison;
use crate::contents::body::{DeleteFileBody, WriteFileBody};
use crate::contents::json::{Contents, File, FileCommit};
use crate::openapi::operation::{Area, Operation, Parameter, created, ok, parameter};
use crate::openapi::parameters::{PAGE, PAGES, PER_PAGE};
use crate::openapi::schema::of;
use crate::pulls::json::commit::CommitItem;
use crate::wire::DateTime;

const FILE_TYPES: &[&str] = &["application/vnd.github.raw", "application/vnd.github.html"];
const REF: Parameter = parameter("ref", of::<String>, "A branch, a tag or an id; the default branch by default.");
const MOVED: (u16, &str) = (409, "The file is not the one that `sha` names, or the branch has moved meanwhile.");
const EMPTY: (u16, &str) = (409, "The repository is empty.");

pub const AREA: Area = Area {
    name: "Branches, commits and files",
    about: "What is in a repository, by the names of branches, tags and files.",
    operations: &[
        Operation::new("repos/list-branches", "List branches", "By name.", ok("The branches.", of::<Vec<ShortBranch>>))
            .query(&[
                parameter("protected", of::<bool>, "`true` lists only protected branches, of which there are none."),
                PER_PAGE,
                PAGE,
            ]),
        Operation::new("repos/get-branch", "Get a branch", "", ok("The branch with its newest commit.", of::<Branch>)),
        Operation::new(
            "repos/list-tags",
            "List tags",
            "By name, the last one first. An annotated tag is listed with the commit behind it, and a tag of anything else \
             is left out.",
            ok("The tags.", of::<Vec<Tag>>),
        )
        .query(PAGES),
        Operation::new(
            "repos/list-commits",
            "List commits",
            "In the order of `git log`, the newest first. `Link` has no `last` for a filtered list, unless its end is on the \
             page, nor for a history of more than 50,000 commits.",
            ok("The commits.", of::<Vec<CommitItem>>),
        )
        .query(&[
            parameter("sha", of::<String>, "Where to begin: a branch, a tag or an id; the default branch by default."),
            parameter("path", of::<String>, "Only commits that change this file or something in this directory."),
            parameter("author", of::<String>, "Only commits of this author: a login or an e-mail address."),
            parameter("committer", of::<String>, "As `author`, for the committer."),
            parameter("since", of::<DateTime>, "Only commits whose committer date is not before this time."),
            parameter("until", of::<DateTime>, "Only commits whose committer date is not after this time."),
            PER_PAGE,
            PAGE,
        ])
        .errors(&[EMPTY]),
        Operation::new(
            "repos/compare-commits-with-basehead",
            "Compare two commits",
            "The commits of the head that are not in the base, the oldest first, and what they change: at most 300 files, on the \
             first page only. Without `page` and `per_page`, the newest 250 commits. As JSON, or as a diff or a series of \
             patches where `Accept` asks for it.",
            ok("The comparison.", of::<CommitComparison>)
                .or(&["application/vnd.github.v3.diff", "application/vnd.github.v3.patch"]),
        )
        .query(PAGES),
        Operation::new(
            "repos/get-content",
            "Get a file or a directory",
            "A directory is a list of at most 1,000 entries, or an object where `Accept` asks for that. A link to a file of the \
             repository is that file. `Accept` chooses JSON, the raw content of a file, or HTML. Files above 1 MiB have no \
             content in JSON, and raw content is at most 32 MiB.",
            ok("What is at the path.", of::<Contents>).or(FILE_TYPES),
        )
        .query(&[REF]),
        Operation::new(
            "repos/create-or-update-file-contents",
            "Create or update a file",
            "Makes a commit on a branch. An empty repository gets its first commit. Requests at the same time conflict: one of them \
             gets 409.",
            created("The new file and the commit.", of::<FileCommit>),
        )
        .body(of::<WriteFileBody>, r#"{"message":"Add a file","content":"aGVsbG8K"}"#)
        .or_ok("The changed file and the commit.")
        .errors(&[MOVED]),
        Operation::new(
            "repos/delete-file",
            "Delete a file",
            "Makes a commit on a branch. The keys of the body may be in the query instead.",
            ok("The commit.", of::<FileCommit>),
        )
        .body(
            of::<DeleteFileBody>,
            r#"{"message":"Delete a file","sha":"95d09f2b10159347eece71399a7e2e907ea3df4f"}"#,
        )
        .errors(&[MOVED]),
        Operation::new(
            "repos/get-readme",
            "Get the README of a repository",
            "From `.github`, the root or `docs`.",
            ok("The README.", of::<File>).or(FILE_TYPES),
        )
        .query(&[REF]),
        Operation::new(
            "repos/get-readme-in-directory",
            "Get the README of a directory",
            "",
            ok("The README.", of::<File>).or(FILE_TYPES),
        )
        .query(&[REF]),
    ],
};
