//! Random changes of references, compared with a map that knows nothing of Git but which commits follow which.

use std::collections::BTreeMap;

use plinth::ids::RepoId;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;

use super::{GIT, first_commit, git, hubot, names, rocket, sha_of};
use crate::support::Service;

const NAMES: &[&str] =
    &["refs/heads/a", "refs/heads/a/b", "refs/heads/a/b/c", "refs/heads/ab", "refs/tags/a", "refs/x/a/b", "refs/x/a"];
const CASES: usize = 12;
const STEPS: usize = 40;

#[derive(Debug, Clone, Copy)]
enum Step {
    Create { name: usize, commit: usize },
    Update { name: usize, commit: usize, force: bool },
    Delete { name: usize },
    Match { name: usize, length: usize },
    Flush,
}

fn step() -> impl Strategy<Value = Step> {
    let name = || 0..NAMES.len();
    prop_oneof![
        4 => (name(), 0..4usize).prop_map(|(name, commit)| Step::Create { name, commit }),
        4 => (name(), 0..4usize, any::<bool>()).prop_map(|(name, commit, force)| Step::Update { name, commit, force }),
        2 => name().prop_map(|name| Step::Delete { name }),
        2 => (name(), 5..16usize).prop_map(|(name, length)| Step::Match { name, length }),
        1 => Just(Step::Flush),
    ]
}

/// `0 ← 1 ← 2` in one line, `3` apart.
fn follows(old: usize, new: usize) -> bool {
    old == new || (old < new && new < 3)
}

#[tokio::test]
async fn references_behave_like_a_map() {
    let mut runner = TestRunner::new(Config::default());
    let service = rocket().await;
    let commits = [
        first_commit(&service).await,
        sha_of(&service, "heads/main").await,
        sha_of(&service, "heads/feature").await,
        sha_of(&service, "heads/side").await,
    ];
    for _ in 0..CASES {
        let steps = prop::collection::vec(step(), STEPS).new_tree(&mut runner).expect("steps").current();
        let mut model: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, step) in steps.iter().enumerate() {
            check(&service, &commits, &mut model, *step).await.unwrap_or_else(|what| {
                panic!("step {index} of {:?}: {what}", &steps[..=index]);
            });
        }
        for name in model.keys() {
            hubot(&service).delete(&format!("{GIT}/{name}")).await.expect(204);
        }
    }
    service.app.objects.flush(RepoId(1)).await.expect("flushes");
    let (good, complaint) = git(&service, 1, &["fsck", "--strict", "--no-dangling"]);
    assert!(good, "{complaint}");
}

async fn check(
    service: &Service,
    commits: &[String; 4],
    model: &mut BTreeMap<&'static str, usize>,
    step: Step,
) -> Result<(), String> {
    let (status, expected) = match step {
        Step::Create { name, commit } => {
            let name = NAMES[name];
            let body = json!({ "ref": name, "sha": commits[commit] });
            let status = hubot(service).post(&format!("{GIT}/refs"), body).await.status;
            let below = |one: &str, other: &str| one.starts_with(&format!("{other}/"));
            let free = !model.contains_key(name) && !model.keys().any(|held| below(held, name) || below(name, held));
            if free {
                model.insert(name, commit);
            }
            (status, if free { 201 } else { 422 })
        }
        Step::Update { name, commit, force } => {
            let name = NAMES[name];
            let body = json!({ "sha": commits[commit], "force": force });
            let status = hubot(service).patch(&format!("{GIT}/{name}"), body).await.status;
            let allowed = model.get(name).is_some_and(|old| force || follows(*old, commit));
            if allowed {
                model.insert(name, commit);
            }
            (status, if allowed { 200 } else { 422 })
        }
        Step::Delete { name } => {
            let status = hubot(service).delete(&format!("{GIT}/{}", NAMES[name])).await.status;
            (status, if model.remove(NAMES[name]).is_some() { 204 } else { 422 })
        }
        Step::Match { name, length } => {
            let prefix = &NAMES[name][..length.clamp(5, NAMES[name].len())];
            let answer = hubot(service).get(&format!("{GIT}/matching-refs/{prefix}")).await;
            let fixed = ["refs/heads/feature", "refs/heads/main", "refs/heads/side", "refs/tags/light", "refs/tags/v1"];
            let mut expected: Vec<&str> =
                model.keys().copied().chain(fixed).filter(|held| held.starts_with(prefix)).collect();
            expected.sort_unstable();
            if names(&answer) != expected {
                return Err(format!("{prefix}: {:?} instead of {expected:?}", names(&answer)));
            }
            (answer.status, 200)
        }
        Step::Flush => {
            service.app.objects.flush(RepoId(1)).await.map_err(|error| error.to_string())?;
            (0, 0)
        }
    };
    if status != expected {
        return Err(format!("{status} instead of {expected}"));
    }
    for (name, commit) in model.iter() {
        let short = name.strip_prefix("refs/").expect("a full name");
        if sha_of(service, short).await != commits[*commit] {
            return Err(format!("{name} does not point at {commit}"));
        }
    }
    Ok(())
}
