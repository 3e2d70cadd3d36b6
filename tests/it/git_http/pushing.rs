//! Pushes that create, update and delete branches and tags.

use super::host::{Host, OWNER};

#[tokio::test]
async fn first_push_fills_empty_repository() {
    let host = Host::start().await;
    host.work("work", OWNER, "octo-org/hello", 3).await;
    host.git("work", &["push", "--quiet", "origin", "main"]).await.ok();
    let tip = host.git("work", &["rev-parse", "HEAD"]).await.ok();
    assert_eq!(host.refs("octo-org/hello").await, [format!("{tip} HEAD"), format!("{tip} refs/heads/main")]);
    host.check_fresh_clone("octo-org/hello").await;
    host.assert_nothing_left();
    let repo = host.service.anonymous().get("/repos/octo-org/hello").await.expect(200).json();
    assert_eq!(repo["default_branch"], "main");
    assert!(repo["pushed_at"].is_string(), "{repo}");
}

#[tokio::test]
async fn push_works_with_both_protocols_and_both_schemes() {
    let host = Host::start().await;
    host.work("work", OWNER, "octo-org/secret", 1).await;
    let bearer = format!("http.extraHeader=Authorization: Bearer {OWNER}");
    let basic = host.url(OWNER, "octo-org/secret");
    let open = host.open_url("octo-org/secret");
    let mut tip = String::new();
    for (index, protocol) in ["protocol.version=0", "protocol.version=2"].into_iter().enumerate() {
        tip = host.commit("work", "a", &format!("{index}")).await;
        host.git("work", &["-c", protocol, "push", "--quiet", &basic, "main"]).await.ok();
        tip = host.commit("work", "b", &format!("{index}{tip}")).await;
        host.git("work", &["-c", protocol, "-c", &bearer, "push", "--quiet", &open, "main"]).await.ok();
    }
    assert_eq!(host.refs("octo-org/secret").await[0], format!("{tip} HEAD"));
}

#[tokio::test]
async fn first_pushed_branch_becomes_default_branch() {
    let host = Host::start().await;
    let default_of = async |repo: &str| {
        let response = host.service.with_token(OWNER).get(&format!("/repos/octo-org/{repo}")).await.expect(200);
        response.json()["default_branch"].as_str().expect("a name").to_owned()
    };
    host.work("work", OWNER, "octo-org/hello", 1).await;
    host.git("work", &["branch", "alpha"]).await.ok();
    host.git("work", &["branch", "trunk"]).await.ok();
    host.git("work", &["tag", "v1"]).await.ok();
    host.git("work", &["push", "--quiet", "origin", "v1"]).await.ok();
    assert_eq!(default_of("hello").await, "main");
    host.git("work", &["push", "--quiet", "origin", "trunk"]).await.ok();
    assert_eq!(default_of("hello").await, "trunk");
    host.git("work", &["push", "--quiet", "origin", "main"]).await.ok();
    assert_eq!(default_of("hello").await, "trunk");
    let other = host.url(OWNER, "octo-org/secret");
    host.git("work", &["push", "--quiet", &other, "alpha", "main"]).await.ok();
    assert_eq!(default_of("secret").await, "main");
}

#[tokio::test]
async fn push_options_are_accepted_without_effect() {
    let host = Host::start().await;
    host.work("work", OWNER, "octo-org/hello", 1).await;
    host.git("work", &["push", "--quiet", "-o", "a;b", "-o", "ci.skip", "origin", "main"]).await.ok();
    let tip = host.git("work", &["rev-parse", "HEAD"]).await.ok();
    assert_eq!(host.refs("octo-org/hello").await, [format!("{tip} HEAD"), format!("{tip} refs/heads/main")]);
    host.git("work", &["push", "--quiet", "-o", "x", "origin", "main:other"]).await.ok();
    host.git("work", &["push", "--quiet", "-o", "x", "origin", ":other"]).await.ok();
}

#[tokio::test]
async fn push_updates_forces_and_deletes_branches() {
    let host = Host::start().await;
    host.work("work", OWNER, "octo-org/hello", 3).await;
    host.git("work", &["push", "--quiet", "origin", "main", "main:feature"]).await.ok();
    let tip = host.commit("work", "file.txt", "more\n").await;
    host.git("work", &["push", "--quiet", "origin", "main"]).await.ok();
    host.git("work", &["push", "--quiet", "--force", "origin", "HEAD~2:feature"]).await.ok();
    let old = host.git("work", &["rev-parse", "HEAD~2"]).await.ok();
    let refs = host.refs("octo-org/hello").await;
    assert_eq!(refs[1..], [format!("{old} refs/heads/feature"), format!("{tip} refs/heads/main")]);
    let packs = host.packs();
    host.git("work", &["push", "--quiet", "origin", ":feature"]).await.ok();
    assert_eq!(host.refs("octo-org/hello").await[1..], [format!("{tip} refs/heads/main")]);
    assert_eq!(host.packs(), packs);
    host.check_fresh_clone("octo-org/hello").await;
}

#[tokio::test]
async fn push_accepts_any_object_for_tags_and_other_refs() {
    let host = Host::start().await;
    host.work("work", OWNER, "octo-org/hello", 2).await;
    host.git("work", &["tag", "-a", "-m", "x", "v1"]).await.ok();
    host.git("work", &["tag", "-a", "-m", "y", "tag-of-a-tag", "v1"]).await.ok();
    host.git("work", &["tag", "a-tree", "HEAD^{tree}"]).await.ok();
    host.git("work", &["tag", "a-blob", "HEAD:file.txt"]).await.ok();
    host.git("work", &["notes", "add", "-m", "noted"]).await.ok();
    host.git("work", &["push", "--quiet", "origin", "main", "--tags", "refs/notes/commits"]).await.ok();
    let refs = host.refs("octo-org/hello").await;
    let commit = host.git("work", &["rev-parse", "HEAD"]).await.ok();
    assert!(refs.contains(&format!("{commit} refs/tags/tag-of-a-tag^{{}}")), "{refs:?}");
    assert!(refs.iter().any(|line| line.ends_with("refs/notes/commits")));
    host.check_fresh_clone("octo-org/hello").await;
    host.git("work", &["push", "--quiet", "origin", ":refs/tags/a-tree", ":refs/tags/v1"]).await.ok();
    assert!(!host.refs("octo-org/hello").await.iter().any(|line| line.contains("a-tree")));
}

#[tokio::test]
async fn push_from_shallow_clone_is_accepted_if_server_has_history() {
    let host = Host::start().await;
    host.work("work", OWNER, "octo-org/hello", 3).await;
    host.git("work", &["push", "--quiet", "origin", "main"]).await.ok();
    let url = host.url(OWNER, "octo-org/hello");
    host.git("", &["clone", "--quiet", "--depth", "1", &url, "shallow"]).await.ok();
    host.commit("shallow", "file.txt", "from a shallow clone\n").await;
    host.git("shallow", &["push", "--quiet", "origin", "main"]).await.ok();
    let printed = host.git("shallow", &["push", "--porcelain", &host.url(OWNER, "octo-org/secret"), "main"]).await;
    let printed = printed.rejected();
    assert!(printed.contains("missing necessary objects") || printed.contains("unpacker error"), "{printed}");
    assert_eq!(host.refs("octo-org/secret").await, [""; 0]);
    host.check_fresh_clone("octo-org/hello").await;
    host.assert_nothing_left();
}

#[tokio::test]
async fn large_chunked_push_is_complete() {
    let host = Host::start().await;
    host.work("work", OWNER, "octo-org/hello", 1).await;
    // Larger than the buffer up to which git sends a request in one piece, and hard to compress.
    let noise: String = (0..600_000u64).map(|n| format!("{:x}\n", n.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
    host.commit("work", "noise", &noise).await;
    host.git("work", &["push", "--quiet", "origin", "main"]).await.ok();
    host.check_fresh_clone("octo-org/hello").await;
}
