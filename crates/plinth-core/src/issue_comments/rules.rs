//! Validation of comments on issues.

use plinth_base::error::{Code, Error, Result};

const RESOURCE: &str = "IssueComment";
const BODY_CHARACTERS_MAX: usize = 65_536;

pub fn check_body(body: &str) -> Result<()> {
    let problem = if body.trim().is_empty() {
        "Body cannot be blank"
    } else if body.chars().count() > BODY_CHARACTERS_MAX {
        "Body is too long (maximum is 65536 characters)"
    } else if body.contains('\0') {
        "Body cannot contain NUL characters"
    } else {
        return Ok(());
    };
    Err(Error::invalid(RESOURCE, "data", Code::Unprocessable(problem.into())))
}
