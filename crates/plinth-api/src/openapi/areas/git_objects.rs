//! Git objects, and clone and push, described.

use crate::openapi::operation::{Area, Operation, created, file, ok, parameter};
use crate::openapi::schema::Schema::{
    self, AnyOf, Boolean, Integer, List, Map, Named, Object, OrNull, Sha, Text, Time, Url, Word,
};
use crate::openapi::schema::{field, maybe};

const EMPTY: (u16, &str) = (409, "The repository is empty.");
const INVALID: (u16, &str) = (422, "A field is not valid, or an object that it names does not exist.");

pub const AREA: Area = Area {
    name: "Git objects",
    about: "Commits, trees, blobs and annotated tags.",
    operations: &[
        Operation::new("git/get-commit", "Get a commit", "", ok("The commit.", Named("git-commit"))).refusals(&[EMPTY]),
        Operation::new("git/create-commit", "Create a commit", "", created("The new commit.", Named("git-commit")))
            .body(NEW_COMMIT, r#"{"message": "change", "tree": "827efc6d56897b048c772eb4087f854f46256132", "parents": []}"#)
            .refusals(&[EMPTY, INVALID]),
        Operation::new("git/get-tag", "Get an annotated tag", "", ok("The tag.", Named("git-tag"))).refusals(&[EMPTY]),
        Operation::new(
            "git/create-tag",
            "Create an annotated tag",
            "Only the object; a reference makes it a tag that others see.",
            created("The new tag.", Named("git-tag")),
        )
        .body(NEW_TAG, r#"{"tag": "v1", "message": "first", "object": "6dcb09b5b57875f334f61aebed695e2e4193db5e", "type": "commit"}"#)
        .refusals(&[EMPTY, INVALID]),
        Operation::new("git/get-tree", "Get a tree", "", ok("The tree.", Named("git-tree")))
            .query(&[parameter("recursive", Text, "With any value: all that lies below, too.")])
            .refusals(&[EMPTY, INVALID]),
        Operation::new(
            "git/create-tree",
            "Create a tree",
            "From `base_tree` with some entries changed; an entry whose `sha` is null goes away.",
            created("The new tree.", Named("git-tree")),
        )
        .body(NEW_TREE, r#"{"tree": [{"path": "a.txt", "mode": "100644", "type": "blob", "content": "1\n"}]}"#)
        .refusals(&[EMPTY, INVALID]),
        Operation::new("git/get-blob", "Get a blob", "Its content is in Base64.", ok("The blob.", Named("git-blob")))
            .refusals(&[EMPTY, INVALID]),
        Operation::new("git/create-blob", "Create a blob", "", created("The new blob.", NEW_BLOB_ANSWER))
            .body(NEW_BLOB, r#"{"content": "Hello\n", "encoding": "utf-8"}"#)
            .refusals(&[EMPTY, INVALID]),
    ],
    schemas: &[("git-commit", COMMIT), ("git-tag", TAG), ("git-tree", TREE), ("git-blob", BLOB)],
};

/// The protocol of git itself.
pub const CLONE_AND_PUSH: Area = Area {
    name: "Clone and push",
    about: "What `git` speaks: its smart HTTP protocol, with the token as the password of any user name.",
    operations: &[
        Operation::new(
            "git/advertise",
            "Begin a fetch or a push",
            "Which of the two, `service` says. A push takes the right to write.",
            file(
                "What the repository has.",
                &["application/x-git-upload-pack-advertisement", "application/x-git-receive-pack-advertisement"],
            ),
        )
        .query(&[parameter("service", Word(&["git-upload-pack", "git-receive-pack"]), "")]),
        Operation::new("git/upload-pack", "Fetch", "", file("A pack.", &["application/x-git-upload-pack-result"]))
            .stream("application/x-git-upload-pack-request"),
        Operation::new(
            "git/receive-pack",
            "Push",
            "References change together with what the REST API shows.",
            file("What became of each reference.", &["application/x-git-receive-pack-result"]),
        )
        .stream("application/x-git-receive-pack-request"),
    ],
    schemas: &[],
};

const PERSON: Schema = Object(&[field("name", Text, ""), field("email", Text, ""), field("date", Time, "")]);
const LINK: Schema = Object(&[field("sha", Sha, ""), field("url", Url, "")]);
const PARENT: Schema = Object(&[field("sha", Sha, ""), field("url", Url, ""), maybe("html_url", Url, "")]);

const COMMIT: Schema = Object(&[
    field("sha", Sha, ""),
    field("node_id", Text, ""),
    field("url", Url, ""),
    field("html_url", Url, ""),
    field("author", PERSON, ""),
    field("committer", PERSON, ""),
    field("message", Text, ""),
    field("tree", LINK, ""),
    field("parents", List(&PARENT), ""),
    field("verification", Map(&Named("anything")), "Signatures are not looked at."),
]);

const TAG: Schema = Object(&[
    field("node_id", Text, ""),
    field("tag", Text, "Its name."),
    field("sha", Sha, ""),
    field("url", Url, ""),
    field("message", Text, ""),
    field("tagger", PERSON, ""),
    field("object", Object(&[field("sha", Sha, ""), field("type", Text, ""), field("url", Url, "")]), ""),
    maybe("verification", Map(&Named("anything")), "Signatures are not looked at."),
]);

const TREE: Schema = Object(&[
    field("sha", Sha, ""),
    field("url", Url, ""),
    field("tree", List(&ENTRY), ""),
    field("truncated", Boolean, "Whether there was more than one answer holds."),
]);

const ENTRY: Schema = Object(&[
    field("path", Text, ""),
    field("mode", Text, ""),
    field("type", Word(&["blob", "tree", "commit"]), ""),
    maybe("size", Integer, "Only for blobs."),
    field("sha", Sha, ""),
    maybe("url", Url, ""),
]);

const BLOB: Schema = Object(&[
    field("sha", Sha, ""),
    field("node_id", Text, ""),
    field("size", Integer, ""),
    field("url", Url, ""),
    field("content", Text, ""),
    field("encoding", Word(&["base64", "utf-8"]), ""),
]);

const NEW_BLOB_ANSWER: Schema = Object(&[field("sha", Sha, ""), field("url", Url, "")]);
const NEW_BLOB: Schema =
    Object(&[field("content", Text, ""), maybe("encoding", Word(&["utf-8", "base64"]), "`utf-8` unless given.")]);

const NEW_PERSON: Schema = Object(&[maybe("name", Text, ""), maybe("email", Text, ""), maybe("date", Time, "")]);

const NEW_COMMIT: Schema = Object(&[
    field("message", Text, ""),
    field("tree", Text, ""),
    maybe("parents", List(&Text), ""),
    maybe("author", NEW_PERSON, "The user behind the token unless given."),
    maybe("committer", NEW_PERSON, "The author unless given."),
]);

const NEW_TAG: Schema = Object(&[
    field("tag", Text, ""),
    field("message", Text, ""),
    field("object", Text, ""),
    field("type", Word(&["commit", "tree", "blob"]), ""),
    maybe("tagger", NEW_PERSON, "The user behind the token unless given."),
]);

const NEW_TREE: Schema =
    Object(&[field("tree", List(&NEW_ENTRY), ""), maybe("base_tree", Text, "The tree to begin with.")]);

const NEW_ENTRY: Schema = Object(&[
    maybe("path", Text, ""),
    maybe("mode", Word(&["100644", "100755", "040000", "160000", "120000"]), ""),
    maybe("type", Word(&["blob", "tree", "commit"]), ""),
    maybe("sha", OrNull(&AnyOf(&[Text])), "An object; null takes the entry away."),
    maybe("content", Text, "The content of a new blob, instead of `sha`."),
]);
