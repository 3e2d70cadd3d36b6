//! Texts of the operations on git references.

use crate::openapi::operation::{Area, Operation, created, no_content, ok};
use crate::openapi::parameters::PAGES;
use crate::openapi::schema::of;
use crate::refs::body::{CreateRefBody, UpdateRefBody};
use crate::refs::json::{OneOrSeveral, Reference};

const EMPTY: (u16, &str) = (409, "The repository is empty.");

pub const AREA: Area = Area {
    name: "Git references",
    about: "Branches, tags and all other references of a repository.",
    operations: &[
        Operation::new(
            "git/list-matching-refs",
            "List the references that begin with a name",
            "Everything whose name begins with `ref`, even where no reference has just that name. Without `ref`, every reference \
             of any namespace.",
            ok("The references, by name. No match is an empty list.", of::<Vec<Reference>>),
        )
        .errors(&[EMPTY]),
        Operation::new(
            "git/get-ref",
            "Get a reference",
            "By its exact name.",
            ok("The reference.", of::<Reference>),
        )
        .errors(&[EMPTY]),
        Operation::new(
            "git/create-ref",
            "Create a reference",
            "The name is fully qualified: it begins with `refs` and has at least two slashes. No reference can be created in a \
             repository without branches.",
            created("The new reference.", of::<Reference>),
        )
        .body(of::<CreateRefBody>, r#"{"ref": "refs/heads/feature", "sha": "6dcb09b5b57875f334f61aebed695e2e4193db5e"}"#)
        .errors(&[EMPTY, (422, "The name is not valid or exists already, or the object does not exist.")]),
        Operation::new(
            "git/update-ref",
            "Update a reference",
            "Without `force` the new object must be a descendant of the old one.",
            ok("The reference after the update.", of::<Reference>),
        )
        .body(of::<UpdateRefBody>, r#"{"sha": "6dcb09b5b57875f334f61aebed695e2e4193db5e", "force": false}"#)
        .errors(&[
            (409, "The repository is empty, or the reference has moved in the meantime."),
            (422, "The reference or the object does not exist, or the update is not a fast-forward."),
        ]),
        Operation::new("git/delete-ref", "Delete a reference", "The default branch cannot be deleted.", no_content("Deleted."))
            .errors(&[
                (409, "The repository is empty, or the reference has moved in the meantime."),
                (422, "The reference does not exist, or is the default branch."),
            ]),
        Operation::new(
            "git/list-refs",
            "List all references",
            "An older form that some clients use.",
            ok("The references, by name.", of::<Vec<Reference>>),
        )
        .query(PAGES)
        .errors(&[EMPTY]),
        Operation::new(
            "git/get-ref-or-prefix",
            "Get a reference, or those below a name",
            "An older form: the reference of that exact name, or a list of those that begin with it.",
            ok("One reference or several.", of::<OneOrSeveral>),
        )
        .query(PAGES)
        .errors(&[EMPTY]),
    ],
};
