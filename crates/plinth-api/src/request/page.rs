//! Lists by page number, with the `Link` header that leads from page to page.

use std::fmt::Write;

use plinth_core::paging::Page;

use super::context::RequestContext;

pub const PER_PAGE_DEFAULT: i64 = 30;
pub const PER_PAGE_MAX: i64 = 100;

/// The page that the query asks for; nonsense means the default, too much means the maximum.
pub fn of(context: &RequestContext) -> Page {
    let number = context.query("page").and_then(|text| text.parse().ok()).filter(|number| *number >= 1);
    Page { number: number.unwrap_or(1), per_page: per_page(context) }
}

/// The links to the other pages of a list of `total` items; nothing where there is only this one.
pub fn link(page: Page, context: &RequestContext, total: i64) -> Option<String> {
    link_up_to(page, context, Some((total + page.per_page - 1) / page.per_page))
}

/// As [`link`], for a list that goes on after this page and whose length is not known.
pub fn link_without_last(page: Page, context: &RequestContext) -> Option<String> {
    link_up_to(page, context, None)
}

fn link_up_to(page: Page, context: &RequestContext, last: Option<i64>) -> Option<String> {
    let mut link = String::new();
    let mut add = |relation: &str, number: i64| {
        let separator = if link.is_empty() { "" } else { ", " };
        let url = with_query(context, &[("page", Some(&number.to_string()))]);
        write!(link, "{separator}<{url}>; rel=\"{relation}\"").expect("writing to a string always succeeds");
    };
    if page.number > 1 {
        add("prev", last.map_or(page.number - 1, |last| (page.number - 1).min(last.max(1))));
    }
    if last.is_none_or(|last| page.number < last) {
        add("next", page.number.saturating_add(1));
    }
    if let Some(last) = last.filter(|last| page.number < *last) {
        add("last", last);
    }
    if page.number > 1 {
        add("first", 1);
    }
    (!link.is_empty()).then_some(link)
}

/// How many items a page has, for lists by number and by cursor alike.
pub fn per_page(context: &RequestContext) -> i64 {
    let asked = context.query("per_page").and_then(|text| text.parse().ok()).filter(|count| *count >= 1);
    asked.unwrap_or(PER_PAGE_DEFAULT).min(PER_PAGE_MAX)
}

/// The URL of this request with some parameters replaced, added at the end or taken out.
pub fn with_query(context: &RequestContext, changes: &[(&str, Option<&str>)]) -> String {
    let change_of = |key: &str| changes.iter().find(|(name, _)| *name == key);
    let mut query = form_urlencoded::Serializer::new(String::new());
    let mut replaced = Vec::new();
    for (key, value) in form_urlencoded::parse(context.query.as_bytes()) {
        match change_of(&key) {
            None => drop(query.append_pair(&key, &value)),
            Some((name, Some(new))) if !replaced.contains(name) => {
                query.append_pair(name, new);
                replaced.push(*name);
            }
            Some(_) => {}
        }
    }
    for (name, new) in changes {
        if let Some(new) = new
            && !replaced.contains(name)
        {
            query.append_pair(name, new);
        }
    }
    format!("{}{}?{}", context.urls.api(), context.path, query.finish())
}
