//! Trees that contain the same tree many times, level by level.

use serde_json::json as value;

use super::{Clone, directory, file, get, get_all, json, open_pull, victim_without_time_limits};
use crate::attacks::support::Victim;

/// A tree with `width` to the power of `depth` paths, pushed as a branch: a few hundred bytes.
fn push_bomb(victim: &Victim, width: u32, depth: u32, branch: &str) -> String {
    let clone = Clone::of(victim);
    let mut object = file(&clone.blob(format!("{branch}\n").as_bytes()));
    for _ in 0..depth {
        object = directory(&clone.tree((0..width).map(|number| (format!("{number:02}"), object.clone()))));
    }
    let tree = object.rsplit(' ').next().expect("a name").to_owned();
    let commit = clone.commit(&tree, &["refs/heads/main"]);
    clone.push(victim, &commit, branch);
    commit
}

#[test]
fn tree_bomb_is_served_at_bounded_cost() {
    let mut victim = victim_without_time_limits();
    let bystander = victim.bystander();
    for (width, depth, branch) in [(10, 10, "wide"), (2, 36, "deep")] {
        let commit = push_bomb(&victim, width, depth, branch);
        let rejected = get(&victim, &format!("/repos/mallory/target/commits/{commit}"));
        assert_eq!(rejected.status(), 422, "{}", rejected.0);
        assert_eq!(json(&rejected)["message"], "The comparison has too many files.");

        let listed = get(&victim, &format!("/repos/mallory/target/git/trees/{commit}?recursive=1"));
        assert_eq!((listed.status(), &json(&listed)["truncated"]), (200, &value!(true)));

        let pull = open_pull(&victim, branch);
        assert_eq!(get(&victim, &pull).status(), 200);
        assert_eq!(json(&get(&victim, &pull))["commits"], 1);
        assert_eq!(get(&victim, &format!("{pull}/files")).status(), 422);
        assert_eq!(get(&victim, &format!("{pull}/commits")).status(), 200);
        let accept = "accept: application/vnd.github.diff";
        let text = victim.server().request(&format!("GET {pull} HTTP/1.1\r\n{accept}"), "");
        assert_eq!(text.status(), 422, "{}", text.0);
        let comment = value!({ "body": "x", "commit_id": commit, "path": "00/00", "line": 1, "side": "RIGHT" });
        let rejected = victim.send("ghp_mallory", "POST", &format!("{pull}/comments"), &comment.to_string());
        assert_eq!(rejected.status(), 422, "{}", rejected.0);
    }
    bystander.assert_served();
    victim.assert_unharmed();
    victim.restart();
    victim.assert_unharmed();
    assert_eq!(get(&victim, "/repos/mallory/target/pulls/1").status(), 200);
    victim.assert_unharmed();
}

#[test]
fn concurrent_tree_bombs_stay_within_memory_limit() {
    let victim = Victim::start(&[]);
    let bystander = victim.bystander();
    let commits: Vec<String> = (0..4).map(|number| push_bomb(&victim, 9, 12, &format!("bomb-{number}"))).collect();
    let paths: Vec<String> = (0..64)
        .map(|number| match number % 2 {
            0 => format!("/repos/mallory/target/commits/{}", commits[number % 4]),
            _ => format!("/repos/mallory/target/git/trees/{}?recursive=1", commits[number % 4]),
        })
        .collect();
    get_all(&victim, &paths, &[200, 422, 503]);
    bystander.assert_served();
    victim.assert_unharmed();
}
