//! Lists by cursor: opaque, bound to their list, and rejected if they were changed.

use plinth_base::error::{Code, Error, FieldError, Result};
use plinth_core::paging::{CursorPage, Edge};

use super::context::RequestContext;
use super::page::{per_page, with_query};
use crate::app::CursorKey;

/// Reads `before`, `after` and `per_page`; both cursors at once, or one of another list, are errors.
pub fn of(context: &RequestContext, key: &CursorKey, list: &str, resource: &'static str) -> Result<CursorPage> {
    let given = |name| context.query(name).filter(|text| !text.is_empty());
    let open = |name: &'static str, text: &str| {
        key.open(list, text).ok_or_else(|| Error::invalid(resource, name, Code::Invalid))
    };
    let edge = match (given("before"), given("after")) {
        (None, None) => Edge::Start,
        (None, Some(after)) => Edge::After(open("after", &after)?),
        (Some(before), None) => Edge::Before(open("before", &before)?),
        (Some(_), Some(_)) => {
            let message = "before and after cannot be given together";
            let error = FieldError::new(resource, "before", Code::Custom(message.into()));
            return Err(Error::Invalid(vec![error]));
        }
    };
    Ok(CursorPage { edge, per_page: per_page(context) })
}

/// The links to what lies before and after the items from `first` to `last`.
pub fn link(
    context: &RequestContext,
    key: &CursorKey,
    list: &str,
    before_first: Option<i64>,
    after_last: Option<i64>,
) -> Option<String> {
    let link = |name: &str, other: &str, id: i64, relation: &str| {
        let url = with_query(context, &[(name, Some(&key.seal(list, id))), (other, None)]);
        format!("<{url}>; rel=\"{relation}\"")
    };
    let previous = before_first.map(|id| link("before", "after", id, "prev"));
    let next = after_last.map(|id| link("after", "before", id, "next"));
    let links: Vec<String> = previous.into_iter().chain(next).collect();
    (!links.is_empty()).then(|| links.join(", "))
}
