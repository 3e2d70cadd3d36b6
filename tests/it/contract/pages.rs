//! Pages by number and by cursor, and their links.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use plinth_api::app::permits::Permits;
use plinth_api::app::{CursorKey, EntityTagKey};
use plinth_api::negotiation::{Media, Version};
use plinth_api::policy::table::TABLE;
use plinth_api::request::context::RequestContext;
use plinth_api::request::request_permit::RequestPermit;
use plinth_api::request::{cursor, page};
use plinth_base::error::Error;
use plinth_base::urls::Urls;
use plinth_core::access::PathParams;
use plinth_core::paging::{CursorPage, Edge, Page};
use plinth_core::tokens::Principal;

const LIST: &str = "project:1";

fn context(query: &str) -> RequestContext {
    RequestContext {
        generations: None,
        row: TABLE[0],
        params: PathParams::default(),
        principal: Arc::new(Principal::Anonymous),
        urls: Urls::new("http://plinth.test", "/api/v3"),
        media: Media::Json,
        version: Version::DEFAULT,
        path: "/user/installations".into(),
        query: query.into(),
        peer: IpAddr::V4(Ipv4Addr::LOCALHOST),
        permit: RequestPermit::try_new(&Arc::new(Permits::new(1, 1))).expect("a permit"),
        entity_tag_key: EntityTagKey::new(b"a key of the store"),
        scope: Default::default(),
        dependency: Default::default(),
    }
}

#[test]
fn invalid_page_size_is_default_and_large_one_is_maximum() {
    for (query, number, per_page) in [
        ("", 1, 30),
        ("per_page=100", 1, 100),
        ("per_page=101", 1, 100),
        ("per_page=9223372036854775807", 1, 100),
        ("per_page=99999999999999999999999", 1, 30),
        ("per_page=0", 1, 30),
        ("per_page=-1", 1, 30),
        ("per_page=ten", 1, 30),
        ("per_page=", 1, 30),
        ("per_page=1&per_page=2", 1, 2),
        ("page=0", 1, 30),
        ("page=-5", 1, 30),
        ("page=2", 2, 30),
        ("page=1000000000&per_page=100", 1_000_000_000, 100),
        ("page=%32", 2, 30),
        ("page=1e3", 1, 30),
    ] {
        assert_eq!(page::of(&context(query)), Page { number, per_page }, "{query}");
    }
    let far = page::of(&context("page=9223372036854775807&per_page=100"));
    assert_eq!(far.offset(), i64::MAX);
    assert_eq!(Page { number: 3, per_page: 20 }.offset(), 40);
}

#[test]
fn link_header_has_other_pages() {
    let base = "http://plinth.test/api/v3/user/installations";
    for (query, total, expected) in [
        ("", 0, ""),
        ("", 30, ""),
        ("", 31, r#"<{}?page=2>; rel="next", <{}?page=2>; rel="last""#),
        ("per_page=2", 5, r#"<{}?per_page=2&page=2>; rel="next", <{}?per_page=2&page=3>; rel="last""#),
        (
            "page=2&per_page=2",
            5,
            r#"<{}?page=1&per_page=2>; rel="prev", <{}?page=3&per_page=2>; rel="next", <{}?page=3&per_page=2>; rel="last", <{}?page=1&per_page=2>; rel="first""#,
        ),
        ("per_page=2&page=3", 5, r#"<{}?per_page=2&page=2>; rel="prev", <{}?per_page=2&page=1>; rel="first""#),
        ("per_page=2&page=9", 5, r#"<{}?per_page=2&page=3>; rel="prev", <{}?per_page=2&page=1>; rel="first""#),
        ("page=9", 0, r#"<{}?page=1>; rel="prev", <{}?page=1>; rel="first""#),
        (
            "name=a%2Cb%3B%3C&per_page=1",
            2,
            r#"<{}?name=a%2Cb%3B%3C&per_page=1&page=2>; rel="next", <{}?name=a%2Cb%3B%3C&per_page=1&page=2>; rel="last""#,
        ),
        (
            "page=1&page=2",
            61,
            r#"<{}?page=1>; rel="prev", <{}?page=3>; rel="next", <{}?page=3>; rel="last", <{}?page=1>; rel="first""#,
        ),
    ] {
        let context = context(query);
        let link = page::link(page::of(&context), &context, total).unwrap_or_default();
        assert_eq!(link, expected.replace("{}", base), "{query} of {total}");
    }
}

#[test]
fn link_header_of_uncounted_list_has_no_last_page() {
    let base = "http://plinth.test/api/v3/user/installations";
    for (query, expected) in [
        ("", r#"<{}?page=2>; rel="next""#),
        ("page=2", r#"<{}?page=1>; rel="prev", <{}?page=3>; rel="next", <{}?page=1>; rel="first""#),
    ] {
        let context = context(query);
        let link = page::link_without_last(page::of(&context), &context).unwrap_or_default();
        assert_eq!(link, expected.replace("{}", base), "{query}");
    }
}

#[test]
fn cursor_pages_forward_and_back() {
    let key = CursorKey::new(b"a key of the store");
    let first = context("per_page=2");
    let link = cursor::link(&first, &key, LIST, None, Some(12)).expect("there is more");
    let (address, relation) = link.split_once("; ").expect("one link");
    assert_eq!(relation, r#"rel="next""#);
    let query = address.trim_matches(['<', '>']).split_once('?').expect("a query").1.to_owned();
    assert!(query.starts_with("per_page=2&after="), "{query}");
    let next = context(&query);
    let page = cursor::of(&next, &key, LIST, "ProjectV2Field").expect("our own cursor");
    assert_eq!(page, CursorPage { edge: Edge::After(12), per_page: 2 });
    let link = cursor::link(&next, &key, LIST, Some(13), Some(14)).expect("there is more");
    let (previous, next) = link.split_once(", ").expect("two links");
    assert!(
        previous.contains("before=") && !previous.contains("after=") && previous.ends_with(r#"rel="prev""#),
        "{previous}"
    );
    assert!(next.contains("after=") && !next.contains("before=") && next.ends_with(r#"rel="next""#), "{next}");
    assert!(!link.replace(", <", "").contains(','), "{link}");
    assert_eq!(cursor::link(&first, &key, LIST, None, None), None);
    let start = cursor::of(&context("after="), &key, LIST, "ProjectV2Field").expect("an empty cursor is none");
    assert_eq!(start.edge, Edge::Start);
}

#[test]
fn modified_cursor_is_rejected() {
    let key = CursorKey::new(b"a key of the store");
    let good = key.seal(LIST, 42);
    let mut bad = vec![
        "x".to_owned(),
        "%00".into(),
        "42".into(),
        format!("{good}A"),
        format!("{good}="),
        good[1..].into(),
        "A".repeat(10_000),
    ];
    bad.push(key.seal("project:2", 42));
    bad.push(CursorKey::new(b"another").seal(LIST, 42));
    for position in 0..good.len() {
        for letter in "Aa0-_%+/ ".chars() {
            let mut changed: Vec<char> = good.chars().collect();
            if changed[position] != letter {
                changed[position] = letter;
                bad.push(changed.into_iter().collect());
            }
        }
    }
    for cursor in &bad {
        for name in ["before", "after"] {
            let query = format!("{name}={cursor}");
            let rejected = cursor::of(&context(&query), &key, LIST, "ProjectV2Field");
            assert!(matches!(rejected, Err(Error::Invalid(_))), "{query:.80} was taken as {rejected:?}");
        }
    }
    let both = format!("before={good}&after={good}");
    assert!(matches!(cursor::of(&context(&both), &key, LIST, "ProjectV2Field"), Err(Error::Invalid(_))));
}
