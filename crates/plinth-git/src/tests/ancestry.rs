//! Ancestry, compared with git.

use proptest::prelude::*;

use super::support::{Fixture, commits_stream, seconds, try_git};
use crate::{NoObjects, RawObject};
use plinth_base::error::Error;
use plinth_base::ids::Sha;

/// Histories whose commits have up to three earlier commits as parents, and dates that are out of order.
fn histories() -> impl Strategy<Value = (Vec<Vec<usize>>, Vec<i64>)> {
    let commit = (prop::collection::btree_set(1..6usize, 0..4), 0..5i64);
    prop::collection::vec(commit, 2..16).prop_map(|commits| {
        let parents = commits.iter().enumerate().map(|(index, (back, _))| {
            back.iter().filter(|back| **back <= index).map(|back| index + 1 - back).collect()
        });
        let dates = commits.iter().map(|(_, date)| 1_000_000 + date * 100);
        (parents.collect(), dates.collect())
    })
}

fn check_pair(fixture: &Fixture, one: Sha, other: Sha) {
    let reader = fixture.repository.reader(&NoObjects);
    let (one_text, other_text) = (one.to_string(), other.to_string());
    let directory = &fixture.repository.directory;
    let (is_ancestor, ..) = try_git(directory, &["merge-base", "--is-ancestor", &one_text, &other_text], b"");
    assert_eq!(reader.is_ancestor(&one, &other).expect("walkable"), is_ancestor, "{one} {other}");
    let (_, bases, _) = try_git(directory, &["merge-base", "--all", &one_text, &other_text], b"");
    match reader.merge_base(&one, &other).expect("walkable") {
        Some(base) => assert!(bases.contains(&base.to_string()), "{one} {other}: {base} not in {bases}"),
        None => assert_eq!(bases, "", "{one} {other}"),
    }
    let range = reader.commits_between(&one, &other, 1_000).expect("walkable");
    let listed: Vec<String> = range.commit_ids.iter().map(ToString::to_string).collect();
    let theirs = fixture.git(&["rev-list", &format!("{one}..{other}")]);
    // If dates are out of order, rev-list may list too many commits; merge-base is exact.
    let is_extra = |id: &str| try_git(directory, &["merge-base", "--is-ancestor", id, &one_text], b"").0;
    let expected: Vec<&str> = theirs.lines().filter(|id| !is_extra(id)).collect();
    assert_eq!(listed, expected);
    assert_eq!(range.total, listed.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn ancestry_equals_git_on_random_histories((parents, dates) in histories(), graphed in 0..16usize, picks in prop::collection::vec((0..16usize, 0..16usize), 4)) {
        let fixture = Fixture::empty();
        let ids = fixture.fast_import(&commits_stream(&parents, |mark| dates[mark - 1]));
        // Only a part of the history is in the graph, as between two runs of maintenance.
        if let Some(tip) = ids.get(graphed) {
            fixture.repository.write_commit_graph(&[*tip], crate::GraphLayers::Keep).expect("written");
        }
        for (one, other) in picks {
            check_pair(&fixture, ids[one % ids.len()], ids[other % ids.len()]);
        }
    }
}

#[test]
fn new_commit_graph_is_used_and_limits_apply() {
    let fixture = Fixture::empty();
    let parents: Vec<Vec<usize>> = (0..50).map(|index| if index == 0 { vec![] } else { vec![index] }).collect();
    let ids = fixture.fast_import(&commits_stream(&parents, |mark| seconds(mark) * 60));
    let objects = fixture.repository.objects_directory();
    assert!(fixture.repository.graph.get(&objects).is_none());
    for (tip, count) in [(9, 10), (49, 50)] {
        fixture.repository.write_commit_graph(&[ids[tip]], crate::GraphLayers::Keep).expect("written");
        assert_eq!(fixture.repository.graph.get(&objects).expect("a graph").num_commits(), count);
    }
    let reader = fixture.repository.reader(&NoObjects);
    let range = reader.commits_between(&ids[9], &ids[49], 3).expect("walkable");
    assert_eq!((range.commit_ids, range.total), (vec![ids[49], ids[48], ids[47]], 40));
    // The longest walk: from the tip to the root.
    assert!(reader.is_ancestor(&ids[0], &ids[49]).expect("walkable"));
    assert!(!reader.is_ancestor(&ids[49], &ids[0]).expect("walkable"));
}

#[test]
fn walk_from_non_commit_is_not_found() {
    let fixture = Fixture::empty();
    let ids = fixture.fast_import(&commits_stream(&[vec![]], |_| 0));
    let blob = RawObject::blob("x").expect("a blob");
    fixture.repository.store(std::slice::from_ref(&blob)).expect("stored");
    let reader = fixture.repository.reader(&NoObjects);
    for wrong in [blob.sha(), Sha::from_bytes([7; 20])] {
        assert!(matches!(reader.is_ancestor(&wrong, &ids[0]), Err(Error::NotFound)));
        assert!(matches!(reader.merge_base(&ids[0], &wrong), Err(Error::NotFound)));
    }
}
