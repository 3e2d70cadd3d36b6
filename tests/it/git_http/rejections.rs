//! What a push may not do, reported for each ref.

use super::host::{Host, OWNER, WRITER};

async fn filled() -> Host {
    let host = Host::start().await;
    host.work("work", OWNER, "octo-org/hello", 3).await;
    host.git("work", &["push", "--quiet", "origin", "main", "main:dev"]).await.ok();
    host
}

#[tokio::test]
async fn push_rejects_refs_individually() {
    let host = filled().await;
    let tip = host.commit("work", "new", "x").await;
    let push = [
        "push",
        "--porcelain",
        "origin",
        "HEAD:refs/heads/good",
        "HEAD:refs/pull/1/head",
        "HEAD:refs/heads/dev/below",
        "HEAD^{tree}:refs/heads/a-tree",
        "HEAD:refs/heads/-x",
        ":main",
    ];
    let printed = host.git("work", &push).await.rejected();
    for line in [
        "*\tHEAD:refs/heads/good\t[new branch]",
        "!\tHEAD:refs/pull/1/head\t[remote rejected] (the name is reserved for the server)",
        "!\tHEAD:refs/heads/dev/below\t[remote rejected] (directory/file conflict with refs/heads/dev)",
        "!\tHEAD^{tree}:refs/heads/a-tree\t[remote rejected] (a branch must point at a commit, not at a tree)",
        "!\tHEAD:refs/heads/-x\t[remote rejected] (bad name: no part of the name may begin with a dash)",
        "!\t:refs/heads/main\t[remote rejected] (cannot delete the default branch)",
    ] {
        assert!(printed.contains(line), "{line}\n{printed}");
    }
    let names: Vec<String> = host.refs("octo-org/hello").await;
    assert_eq!(names.len(), 4, "{names:?}");
    assert!(names.contains(&format!("{tip} refs/heads/good")));
    host.check_fresh_clone("octo-org/hello").await;
}

#[tokio::test]
async fn atomic_push_updates_all_or_no_refs() {
    let host = filled().await;
    let before = host.refs("octo-org/hello").await;
    host.commit("work", "new", "x").await;
    for bad in ["HEAD:refs/pull/1/head", "HEAD:refs/heads/dev/below", ":main"] {
        let packs = host.packs();
        let printed =
            host.git("work", &["push", "--porcelain", "--atomic", "origin", "HEAD:good", bad]).await.rejected();
        assert!(
            printed.contains("good\t[remote rejected] (atomic push: another update was rejected)"),
            "{bad}: {printed}"
        );
        assert_eq!(host.refs("octo-org/hello").await, before, "{bad}");
        if bad != "HEAD:refs/heads/dev/below" && bad != ":main" {
            assert_eq!(host.packs(), packs, "{bad}");
        }
    }
    host.git("work", &["push", "--atomic", "--quiet", "origin", "HEAD:good", "HEAD:dev", ":refs/tags/none"]).await;
    host.git("work", &["push", "--atomic", "--quiet", "origin", "HEAD:better", "HEAD:dev"]).await.ok();
    assert!(host.refs("octo-org/hello").await.iter().any(|line| line.ends_with("refs/heads/better")));
}

#[tokio::test]
async fn push_replaces_deleted_ref_by_conflicting_name() {
    let host = filled().await;
    host.git("work", &["push", "--quiet", "origin", ":dev", "HEAD:refs/heads/dev/below"]).await.ok();
    assert!(host.refs("octo-org/hello").await.iter().any(|line| line.ends_with("refs/heads/dev/below")));
}

#[tokio::test]
async fn push_of_workflow_files_requires_workflow_scope() {
    let host = filled().await;
    host.git("work", &["checkout", "--quiet", "-b", "topic"]).await.ok();
    host.commit("work", ".github/workflows/ci.yml", "on: push\n").await;
    let url = host.url(WRITER, "octo-org/hello");
    for target in ["HEAD:refs/heads/topic", "HEAD:refs/heads/dev", "HEAD:refs/tags/v1"] {
        let printed = host.git("work", &["push", "--porcelain", &url, target]).await.rejected();
        assert!(printed.contains("[remote rejected] (the token may not change workflow files"), "{target}: {printed}");
    }
    host.git("work", &["push", "--quiet", &url, "HEAD~1:refs/heads/topic"]).await.ok();
    host.git("work", &["push", "--quiet", "origin", "topic"]).await.ok();
    host.commit("work", "other", "x").await;
    host.git("work", &["push", "--quiet", &url, "topic"]).await.ok();
}

#[tokio::test]
async fn push_to_archived_repository_fails() {
    let host = Host::start().await;
    host.work("work", OWNER, "octo-org/old", 1).await;
    let printed = host.git("work", &["push", "origin", "main"]).await.rejected();
    assert!(printed.contains("403") && printed.contains("archived"), "{printed}");
}

#[tokio::test]
async fn push_rejects_new_names_that_look_like_ids_or_full_names() {
    let host = filled().await;
    let tip = host.git("work", &["rev-parse", "HEAD"]).await.ok();
    for name in [format!("refs/heads/{tip}"), "refs/heads/refs/heads/x".into()] {
        let printed = host.git("work", &["push", "--porcelain", "origin", &format!("HEAD:{name}")]).await.rejected();
        assert!(printed.contains("[remote rejected] (branch or tag names that are commit ids"), "{printed}");
    }
}
