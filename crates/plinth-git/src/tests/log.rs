//! Logs, compared with git.

use std::sync::Arc;

use proptest::prelude::*;

use super::support::{Fixture, commits_stream, seconds};
use crate::{Budget, BudgetLimits, LogFilter, NoObjects};
use plinth_base::error::Error;
use plinth_base::ids::Sha;

const PATHS: [&str; 3] = ["a", "d", "d/b"];

/// A commit of a random history.
#[derive(Debug, Clone)]
struct Case {
    /// How many commits back each parent is.
    back: Vec<usize>,
    date: i64,
    author: usize,
    /// The file that it writes, and the content.
    write: Option<(bool, u8)>,
}

fn cases() -> impl Strategy<Value = Vec<Case>> {
    let write = prop::option::of((any::<bool>(), 0..3u8));
    let case = (prop::collection::btree_set(1..4usize, 0..3), 0..6i64, 0..2usize, write);
    let case = case.prop_map(|(back, date, author, write)| {
        let (back, date) = (back.into_iter().collect(), 1_000_000 + date * 100);
        Case { back, date, author, write }
    });
    prop::collection::vec(case, 2..16)
}

fn stream(cases: &[Case]) -> String {
    let mut stream = String::new();
    for (index, case) in cases.iter().enumerate() {
        let (mark, date) = (index + 1, case.date);
        stream.push_str(&format!("reset refs/heads/x\ncommit refs/heads/x\nmark :{mark}\n"));
        stream.push_str(&format!("author A <a{}@example.com> 1000 +0000\n", case.author));
        stream.push_str(&format!("committer C <c@example.com> {date} +0000\ndata 1\nx\n"));
        for (position, back) in case.back.iter().filter(|back| **back <= index).enumerate() {
            stream.push_str(&format!("{} :{}\n", if position == 0 { "from" } else { "merge" }, mark - back));
        }
        if let Some((is_nested, content)) = case.write {
            let path = if is_nested { "d/b" } else { "a" };
            match content {
                0 => stream.push_str(&format!("D {path}\n")),
                _ => stream.push_str(&format!("M 100644 inline {path}\ndata 1\n{content}\n")),
            }
        }
        stream.push('\n');
    }
    stream
}

fn check(fixture: &Fixture, tip: Sha, filter: &LogFilter) {
    let mut arguments: Vec<String> = vec!["rev-list".into(), tip.to_string()];
    arguments.extend(filter.since.map(|since| format!("--max-age={since}")));
    arguments.extend(filter.until.map(|until| format!("--min-age={until}")));
    arguments.extend(filter.author.as_ref().map(|author| format!("--author=<{author}>")));
    if !filter.path.is_empty() {
        arguments.extend(["--".into(), String::from_utf8_lossy(&filter.path).into_owned()]);
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let theirs = fixture.git(&arguments);
    let expected: Vec<&str> = theirs.lines().collect();
    let reader = fixture.repository.reader(&NoObjects);
    let whole = reader.log(&tip, filter, 0, 1_000).expect("walkable");
    let listed: Vec<String> = whole.commit_ids.iter().map(ToString::to_string).collect();
    assert_eq!(listed, expected, "{arguments:?}");
    assert_eq!(whole.total, Some(expected.len()));
    let page = reader.log(&tip, filter, 1, 2).expect("walkable");
    assert_eq!(page.commit_ids[..], whole.commit_ids[expected.len().min(1)..expected.len().min(3)]);
    assert!(page.total.is_some_and(|total| total == expected.len()) || page.total.is_none() && expected.len() > 3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn log_equals_git_on_random_histories(cases in cases(), graphed in 0..16usize, path in 0..4usize, dates in (0..6i64, 0..6i64)) {
        let fixture = Fixture::empty();
        let ids = fixture.fast_import(&stream(&cases));
        if let Some(tip) = ids.get(graphed) {
            fixture.repository.write_commit_graph(&[*tip], crate::GraphLayers::Keep).expect("written");
        }
        let tip = *ids.last().expect("a commit");
        let path = PATHS.get(path).map_or(Vec::new(), |path| path.as_bytes().to_vec());
        let date = |number: i64| Some(1_000_000 + number * 100);
        let by_path = LogFilter { path, ..LogFilter::default() };
        check(&fixture, tip, &LogFilter::default());
        check(&fixture, tip, &by_path);
        check(&fixture, tip, &LogFilter { author: Some("a1@example.com".into()), ..by_path.clone() });
        check(&fixture, tip, &LogFilter { since: date(dates.0), ..by_path.clone() });
        check(&fixture, tip, &LogFilter { until: date(dates.1), ..by_path });
    }
}

#[test]
fn log_counts_up_to_its_limit_and_not_after_a_filtered_page() {
    let fixture = Fixture::empty();
    let parents: Vec<Vec<usize>> = (0..30).map(|index| if index == 0 { vec![] } else { vec![index] }).collect();
    let ids = fixture.fast_import(&commits_stream(&parents, |mark| seconds(mark) * 60));
    let reader = fixture.repository.reader(&NoObjects);
    let log = |tip: usize, filter: LogFilter, skip, take| {
        let page = reader.log(&ids[tip], &filter, skip, take).expect("walkable");
        (page.commit_ids, page.total)
    };
    assert_eq!(log(18, LogFilter::default(), 0, 2), (vec![ids[18], ids[17]], Some(19)));
    assert_eq!(log(29, LogFilter::default(), 0, 1), (vec![ids[29]], None));
    assert_eq!(log(29, LogFilter::default(), 29, 1), (vec![ids[0]], Some(30)));
    assert_eq!(log(29, LogFilter::default(), 30, 5), (vec![], Some(30)));
    let by_date = |until| LogFilter { until: Some(until), ..LogFilter::default() };
    assert_eq!(log(29, by_date(180), 0, 2), (vec![ids[2], ids[1]], None));
    assert_eq!(log(29, by_date(180), 0, 3), (vec![ids[2], ids[1], ids[0]], Some(3)));
    let by_email = |email: &str| LogFilter { committer: Some(email.into()), ..LogFilter::default() };
    assert_eq!(log(1, by_email("A@Example.com"), 0, 9), (vec![ids[1], ids[0]], Some(2)));
    assert_eq!(log(1, by_email("b@example.com"), 0, 9), (vec![], Some(0)));
}

#[test]
fn log_over_budget_fails_unless_its_page_is_complete() {
    let fixture = Fixture::empty();
    let parents: Vec<Vec<usize>> = (0..15).map(|index| if index == 0 { vec![] } else { vec![index] }).collect();
    let ids = fixture.fast_import(&commits_stream(&parents, |mark| seconds(mark) * 60));
    let limits = BudgetLimits { entries: 60, ..BudgetLimits::default() };
    let log = |filter: LogFilter, take| {
        let budget = Budget::new(limits, Arc::default(), Arc::default(), None);
        fixture.repository.reader_within(&NoObjects, &budget).log(&ids[14], &filter, 0, take)
    };
    let page = log(LogFilter::default(), 1).expect("the page is complete");
    assert_eq!((page.commit_ids, page.total), (vec![ids[14]], None));
    assert!(matches!(log(LogFilter::default(), 15), Err(Error::OverBudget(_))));
    let nobody = LogFilter { author: Some("nobody@example.com".into()), ..LogFilter::default() };
    assert!(matches!(log(nobody, 1), Err(Error::OverBudget(_))));
}
