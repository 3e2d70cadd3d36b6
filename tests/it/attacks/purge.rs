//! A secret that was pushed by mistake: gone once nothing reaches it and the operator says so.

use super::support::{Victim, git};

/// Pushes a commit that only a branch reaches which is deleted at once; gives the commit and its blob.
fn push_secret(victim: &Victim, number: usize) -> [String; 2] {
    let (work, url) = (victim.path().join(format!("work{number}")), victim.push_url());
    let run = |arguments: &[&str]| {
        let done = git(&work, arguments);
        assert!(done.status.success(), "{arguments:?}: {done:?}");
        String::from_utf8_lossy(&done.stdout).trim().to_owned()
    };
    assert!(git(victim.path(), &["clone", "--quiet", &url, work.to_str().expect("text")]).status.success());
    std::fs::write(work.join("secret.txt"), format!("secret {number}\n")).expect("a file");
    run(&["add", "."]);
    run(&["commit", "--quiet", "-m", "secret"]);
    run(&["push", "--quiet", &url, "HEAD:refs/heads/topic"]);
    let lost = [run(&["rev-parse", "HEAD"]), run(&["rev-parse", "HEAD:secret.txt"])];
    run(&["push", "--quiet", &url, ":refs/heads/topic"]);
    lost
}

/// Whether the commit and the blob are there for REST, and the commit for git.
fn is_found(victim: &Victim, [commit, blob]: &[String; 2], folder: &str) -> (u16, u16, bool) {
    let get =
        |kind: &str, sha: &str| victim.get("ghp_mallory", &format!("/repos/mallory/target/git/{kind}/{sha}")).status();
    let folder = victim.path().join(folder);
    assert!(git(victim.path(), &["init", "--quiet", folder.to_str().expect("text")]).status.success());
    let fetched = git(&folder, &["fetch", "--quiet", &victim.push_url(), commit]);
    (get("commits", commit), get("blobs", blob), fetched.status.success())
}

fn purge(victim: &Victim) -> String {
    let done = victim.command(&["repo", "purge", "mallory/target"]);
    assert!(done.status.success(), "{done:?}");
    String::from_utf8_lossy(&done.stdout).into_owned()
}

#[test]
fn purge_removes_what_nothing_reaches_beside_a_server_and_without_one() {
    let mut victim = Victim::start(&[]);
    let first = push_secret(&victim, 1);
    let loose = victim.send("ghp_mallory", "POST", "/repos/mallory/target/git/blobs", r#"{"content":"hush"}"#);
    assert_eq!(loose.status(), 201, "{loose:?}");
    let loose: serde_json::Value = serde_json::from_str(loose.body()).expect("JSON");
    let hush = format!("/repos/mallory/target/git/blobs/{}", loose["sha"].as_str().expect("a name"));
    assert_eq!(victim.get("ghp_mallory", &hush).status(), 200);
    assert_eq!(is_found(&victim, &first, "before"), (200, 200, true));
    let bystander = victim.bystander();
    assert_eq!(purge(&victim), "mallory/target: removed unreachable objects (by the server)\n");
    bystander.assert_served();
    assert_eq!(is_found(&victim, &first, "after"), (404, 404, false));
    assert_eq!(victim.get("ghp_mallory", &hush).status(), 404);
    assert_eq!(purge(&victim), "mallory/target: nothing to remove (by the server)\n");

    let second = push_secret(&victim, 2);
    victim.stop();
    assert_eq!(purge(&victim), "mallory/target: removed unreachable objects\n");
    victim.restart();
    assert_eq!(is_found(&victim, &second, "later"), (404, 404, false));
    // What is reached is all there.
    assert_eq!(victim.get("ghp_mallory", "/repos/mallory/target/git/ref/heads/main").status(), 200);
    assert!(git(victim.path(), &["clone", "--quiet", "--mirror", &victim.push_url(), "whole"]).status.success());
    assert!(git(&victim.path().join("whole"), &["fsck", "--strict", "--full"]).status.success());
    victim.assert_unharmed();
    let absent = victim.command(&["repo", "purge", "mallory/absent"]);
    assert!(!absent.status.success() && String::from_utf8_lossy(&absent.stderr).contains("there is no repository"));
}
