//! The README of a repository and of a directory.

use serde_json::json;

use super::{Fixture, NewCommit, REPO, file};

async fn with_files(paths: &[&str]) -> Fixture {
    let changes: String = paths.iter().map(|path| file(path, &format!("# {path}\n"))).collect();
    let commit = NewCommit { branch: "main", mark: 1, parents: &[], author: "mona", seconds: 1, changes };
    Fixture::new(&commit.write()).await
}

#[tokio::test]
async fn readme_is_found_in_its_directories_by_extension() {
    for (paths, expected) in [
        (&["README", "README.txt", "readme.md"][..], "readme.md"),
        (&["README", "README.rst"], "README.rst"),
        (&["docs/README.md", "README"], "README"),
        (&["docs/README.md", "README.md", ".github/README.txt"], ".github/README.txt"),
        (&["docs/readme.markdown", "src/README.md"], "docs/readme.markdown"),
    ] {
        let fixture = with_files(paths).await;
        let found = fixture.get("/readme").await.expect(200).json();
        assert_eq!((&found["path"], &found["type"]), (&json!(expected), &json!("file")), "{paths:?}");
        assert_eq!(found["sha"], json!(fixture.sha(&format!("main:{expected}"))));
    }
}

#[tokio::test]
async fn readme_of_directory_is_only_in_that_directory() {
    let fixture = with_files(&["README.md", "src/deep/README.md", "src/a"]).await;
    assert_eq!(fixture.get("/readme/src/deep").await.expect(200).json()["path"], "src/deep/README.md");
    assert_eq!(fixture.get("/readme/src/deep/").await.expect(200).json()["path"], "src/deep/README.md");
    for directory in ["src", "none", "README.md"] {
        fixture.get(&format!("/readme/{directory}")).await.expect(404);
    }
}

#[tokio::test]
async fn readme_has_the_media_types_of_files() {
    let fixture = with_files(&["README.md"]).await;
    let accept = |media: &str| fixture.guest().header("accept", media);
    let path = format!("{REPO}/readme");
    let raw = accept("application/vnd.github.raw").get(&path).await.expect(200);
    assert_eq!(raw.body.as_ref(), b"# README.md\n");
    let html = accept("application/vnd.github.html").get(&path).await.expect(200);
    let html = String::from_utf8(html.body.to_vec()).expect("UTF-8");
    assert!(
        html.starts_with("<div id=\"readme\" class=\"md\" data-path=\"README.md\">") && html.contains("<h1>"),
        "{html}"
    );
    accept("application/json").get(&format!("{path}?ref=none")).await.expect(404);
}

#[tokio::test]
async fn repository_without_readme_has_none() {
    let fixture = with_files(&["READ.me", "README-first"]).await;
    fixture.get("/readme").await.expect(404);
    fixture.guest().get("/repos/acme/empty/readme").await.expect(404);
}
