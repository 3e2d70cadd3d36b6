//! Texts of the operations on git objects, and of clone and push.

use crate::git_objects::body::{CreateBlobBody, CreateCommitBody, CreateTagBody, CreateTreeBody};
use crate::git_objects::json::{Blob, Commit, Named, Tag, Tree};
use crate::openapi::operation::{Area, Operation, choice, created, file, ok, parameter};
use crate::openapi::schema::of;

const EMPTY: (u16, &str) = (409, "The repository is empty.");
const INVALID: (u16, &str) = (422, "A field is not valid, or an object that it names does not exist.");

pub const AREA: Area = Area {
    name: "Git objects",
    about: "Commits, trees, blobs and annotated tags.",
    operations: &[
        Operation::new("git/get-commit", "Get a commit", "", ok("The commit.", of::<Commit>)).errors(&[EMPTY]),
        Operation::new("git/create-commit", "Create a commit", "", created("The new commit.", of::<Commit>))
            .body(of::<CreateCommitBody>, r#"{"message": "change", "tree": "827efc6d56897b048c772eb4087f854f46256132", "parents": []}"#)
            .errors(&[EMPTY, INVALID]),
        Operation::new("git/get-tag", "Get an annotated tag", "", ok("The tag.", of::<Tag>)).errors(&[EMPTY]),
        Operation::new(
            "git/create-tag",
            "Create an annotated tag",
            "Creates only the object; create a reference to it for a tag that others see.",
            created("The new tag.", of::<Tag>),
        )
        .body(of::<CreateTagBody>, r#"{"tag": "v1", "message": "first", "object": "6dcb09b5b57875f334f61aebed695e2e4193db5e", "type": "commit"}"#)
        .errors(&[EMPTY, INVALID]),
        Operation::new("git/get-tree", "Get a tree", "", ok("The tree.", of::<Tree>))
            .query(&[parameter("recursive", of::<String>, "With any value, everything below the tree is listed, too.")])
            .errors(&[EMPTY, INVALID]),
        Operation::new(
            "git/create-tree",
            "Create a tree",
            "From `base_tree` with some entries changed; an entry whose `sha` is null is removed.",
            created("The new tree.", of::<Tree>),
        )
        .body(of::<CreateTreeBody>, r#"{"tree": [{"path": "a.txt", "mode": "100644", "type": "blob", "content": "1\n"}]}"#)
        .errors(&[EMPTY, INVALID]),
        Operation::new(
            "git/get-blob",
            "Get a blob",
            "As JSON with its content in Base64, or the content alone where `Accept` asks for it.",
            ok("The blob.", of::<Blob>).or(&["application/vnd.github.raw"]),
        )
        .errors(&[EMPTY, INVALID]),
        Operation::new("git/create-blob", "Create a blob", "", created("The new blob.", of::<Named>))
            .body(of::<CreateBlobBody>, r#"{"content": "Hello\n", "encoding": "utf-8"}"#)
            .errors(&[EMPTY, INVALID]),
    ],
};

/// Git's own protocol.
pub const CLONE_AND_PUSH: Area = Area {
    name: "Clone and push",
    about: "Git's smart HTTP protocol, with the token as the password of any user name.",
    operations: &[
        Operation::new(
            "git/advertise",
            "Begin a fetch or a push",
            "`service` says which of the two. A push needs write access.",
            file(
                "The references and capabilities of the repository.",
                &["application/x-git-upload-pack-advertisement", "application/x-git-receive-pack-advertisement"],
            ),
        )
        .query(&[choice("service", &["git-upload-pack", "git-receive-pack"], "")]),
        Operation::new("git/upload-pack", "Fetch", "", file("A pack.", &["application/x-git-upload-pack-result"]))
            .stream("application/x-git-upload-pack-request"),
        Operation::new(
            "git/receive-pack",
            "Push",
            "Updates pull requests and review comments as the REST API does.",
            file("The result for each reference.", &["application/x-git-receive-pack-result"]),
        )
        .stream("application/x-git-receive-pack-request"),
    ],
};
