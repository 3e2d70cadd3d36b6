//! Who may read branches, histories and files.

use super::{Fixture, NewCommit, file};

const PATHS: [&str; 8] = [
    "branches",
    "branches/main",
    "commits",
    "compare/main...main",
    "contents",
    "contents/README.md",
    "readme",
    "readme/docs",
];

async fn fixture() -> Fixture {
    let changes = file("README.md", "x\n") + &file("docs/README.md", "x\n");
    let commit = NewCommit { branch: "main", mark: 1, parents: &[], author: "mona", seconds: 1, changes };
    Fixture::new(&commit.write()).await
}

#[tokio::test]
async fn private_repository_is_hidden_from_others() {
    let fixture = fixture().await;
    for path in PATHS.into_iter().chain(["tags"]) {
        let (public, private) = (format!("/repos/acme/rocket/{path}"), format!("/repos/acme/hidden/{path}"));
        fixture.service.anonymous().get(&public).await.expect(200);
        fixture.service.anonymous().get(&private).await.expect(404);
        fixture.service.with_token("ghp_stranger").get(&private).await.expect(404);
        fixture.service.with_token("ghp_mona").get(&private).await.expect(200);
    }
}

#[tokio::test]
async fn fine_grained_token_needs_contents_except_for_tags() {
    let fixture = fixture().await;
    for path in PATHS {
        let private = format!("/repos/acme/hidden/{path}");
        fixture.service.with_token("github_pat_contents").get(&private).await.expect(200);
        fixture.service.with_token("github_pat_issues").get(&private).await.expect(403);
    }
    fixture.service.with_token("github_pat_issues").get("/repos/acme/hidden/tags").await.expect(200);
}
