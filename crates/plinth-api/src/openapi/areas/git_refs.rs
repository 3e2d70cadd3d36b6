//! Git references, described.

use crate::openapi::operation::{Area, Operation, created, no_content, ok};
use crate::openapi::parameters::PAGES;
use crate::openapi::schema::Schema::{self, AnyOf, Boolean, List, Named, Object, Sha, Text, Url, Word};
use crate::openapi::schema::{field, maybe};

const EMPTY: (u16, &str) = (409, "The repository is empty.");

pub const AREA: Area = Area {
    name: "Git references",
    about: "Branches, tags and all other names in a repository's Git database.",
    operations: &[
        Operation::new(
            "git/list-matching-refs",
            "List the references that begin with a name",
            "Everything whose name begins with `ref`, even where no reference has just that name. Without `ref`, every reference \
             of any namespace.",
            ok("The references, by name. No match is an empty list.", List(&Named("git-ref"))),
        )
        .refusals(&[EMPTY]),
        Operation::new(
            "git/get-ref",
            "Get a reference",
            "By its exact name.",
            ok("The reference.", Named("git-ref")),
        )
        .refusals(&[EMPTY]),
        Operation::new(
            "git/create-ref",
            "Create a reference",
            "The name is fully qualified: it begins with `refs` and has two slashes at least. A repository without branches takes \
             no references.",
            created("The new reference.", Named("git-ref")),
        )
        .body(NEW, r#"{"ref": "refs/heads/feature", "sha": "6dcb09b5b57875f334f61aebed695e2e4193db5e"}"#)
        .refusals(&[EMPTY, (422, "The name is not valid or taken, or the object does not exist.")]),
        Operation::new(
            "git/update-ref",
            "Move a reference",
            "Without `force` the new object must be a descendant of the old one.",
            ok("The reference after the move.", Named("git-ref")),
        )
        .body(MOVE, r#"{"sha": "6dcb09b5b57875f334f61aebed695e2e4193db5e", "force": false}"#)
        .refusals(&[
            (409, "The repository is empty, or the reference moved meanwhile."),
            (422, "The reference or the object does not exist, or the move is no fast-forward."),
        ]),
        Operation::new("git/delete-ref", "Delete a reference", "The default branch stays.", no_content("It is gone."))
            .refusals(&[
                (409, "The repository is empty, or the reference moved meanwhile."),
                (422, "The reference does not exist, or is the default branch."),
            ]),
        Operation::new(
            "git/list-refs",
            "List all references",
            "An older spelling, which some clients use.",
            ok("The references, by name.", List(&Named("git-ref"))),
        )
        .query(PAGES)
        .refusals(&[EMPTY]),
        Operation::new(
            "git/get-ref-or-prefix",
            "Get a reference, or those below a name",
            "An older spelling: the reference of that exact name, or a list of those that begin with it.",
            ok("One reference or several.", AnyOf(&[Named("git-ref"), List(&Named("git-ref"))])),
        )
        .query(PAGES)
        .refusals(&[EMPTY]),
    ],
    schemas: &[("git-ref", REF)],
};

const REF: Schema = Object(&[
    field("ref", Text, "The whole name, as in `refs/heads/main`."),
    field("node_id", Text, ""),
    field("url", Url, ""),
    field("object", OBJECT, "What it points at."),
]);

const OBJECT: Schema = Object(&[
    field("sha", Sha, ""),
    field("type", Word(&["commit", "tree", "blob", "tag"]), ""),
    field("url", Url, ""),
]);

const NEW: Schema = Object(&[
    field("ref", Text, "The whole name, as in `refs/heads/feature`."),
    field("sha", Text, "The object that it is to point at, in forty hexadecimal digits."),
]);

const MOVE: Schema = Object(&[
    field("sha", Text, "The object that it is to point at, in forty hexadecimal digits."),
    maybe("force", Boolean, "Move it even if that is no fast-forward. False unless given."),
]);
