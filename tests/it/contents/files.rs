//! Files and directories.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use expect_test::expect;
use serde_json::{Value, json};

use super::{Fixture, NewCommit, REPO, entry, file, values};

const MEBIBYTE: usize = 1 << 20;

async fn fixture() -> Fixture {
    let commit = |mark, parents, changes| {
        NewCommit { branch: "main", mark, parents, author: "mona", seconds: 1_700_000_000, changes }.write()
    };
    let gitmodules = "[submodule \"lib\"]\n\tpath = vendor/lib\n\turl = https://example.com/lib.git\n";
    let first = [
        file("README.md", "# Rocket\n\nfirst\n"),
        file("\"d/with space#.txt\"", "content\n"),
        entry("100755", "d/run.sh", "#!/bin/sh\n"),
        file("d/e/f.txt", &"a longer line of text\n".repeat(10)),
        file("empty", ""),
        file("bytes", "\0\u{1}\u{7f}\n"),
        file("limit", &"x".repeat(MEBIBYTE)),
        file("large", &"x".repeat(MEBIBYTE + 1)),
        file(".gitmodules", gitmodules),
        entry("120000", "d/link", "../README.md"),
        entry("120000", "d/broken", "../../outside"),
        entry("120000", "d/todir", "e"),
        "M 160000 1111111111111111111111111111111111111111 vendor/lib\n".to_owned(),
        "M 160000 2222222222222222222222222222222222222222 vendor/unknown\n".to_owned(),
    ];
    let second = file("README.md", "# Rocket\n\nsecond <b>bold</b>\n");
    let stream = commit(1, &[], first.concat()) + "reset refs/heads/old/er\nfrom :1\n\n" + &commit(2, &[1], second);
    Fixture::new(&stream).await
}

fn decode(file: &Value) -> Vec<u8> {
    assert_eq!(file["encoding"], "base64");
    let text = file["content"].as_str().expect("a text");
    assert!(text.lines().all(|line| line.len() <= 60) && (text.is_empty() || text.ends_with('\n')));
    STANDARD.decode(text.replace('\n', "")).expect("Base64")
}

/// Percent-encodes a path of a test.
fn encoded(path: &str) -> String {
    path.replace(' ', "%20").replace('#', "%23")
}

#[tokio::test]
async fn every_file_of_git_is_at_its_path() {
    let fixture = fixture().await;
    let mut seen = 0;
    for line in fixture.git(&["ls-tree", "-r", "-z", "main"]).concat().split_terminator('\0') {
        let (facts, path) = line.split_once('\t').expect("facts and a path");
        let [mode, kind, sha] = facts.split(' ').collect::<Vec<_>>()[..] else { panic!("{facts}") };
        if kind != "blob" || mode == "120000" || path == "large" {
            continue;
        }
        let found = fixture.get(&format!("/contents/{}", encoded(path))).await.expect(200).json();
        let content = fixture.work.git_bytes(&["cat-file", "blob", sha], "");
        assert_eq!((&found["type"], &found["sha"], &found["path"]), (&json!("file"), &json!(sha), &json!(path)));
        assert_eq!((&found["size"], &found["name"]), (&json!(content.len()), &json!(path.rsplit('/').next())));
        assert_eq!(decode(&found), content, "{path}");
        let raw = fixture.guest().header("accept", "application/vnd.github.raw+json");
        let raw = raw.get(&format!("{REPO}/contents/{}", encoded(path))).await.expect(200);
        assert_eq!(
            (raw.body.as_ref(), raw.header("content-type")),
            (&content[..], Some("application/vnd.github.raw; charset=utf-8"))
        );
        seen += 1;
    }
    assert_eq!(seen, 8);
}

#[tokio::test]
async fn file_has_every_field() {
    let fixture = fixture().await;
    expect![[r#"
        200
        {
          "_links": {
            "git": "http://plinth.test/repos/acme/rocket/git/blobs/d95f3ad14dee633a758d2e331151e950dd13e4ed",
            "html": "http://plinth.test/acme/rocket/blob/main/d/with%20space%23.txt",
            "self": "http://plinth.test/repos/acme/rocket/contents/d/with%20space%23.txt?ref=main"
          },
          "content": "Y29udGVudAo=\n",
          "download_url": "http://plinth.test/acme/rocket/raw/main/d/with%20space%23.txt",
          "encoding": "base64",
          "git_url": "http://plinth.test/repos/acme/rocket/git/blobs/d95f3ad14dee633a758d2e331151e950dd13e4ed",
          "html_url": "http://plinth.test/acme/rocket/blob/main/d/with%20space%23.txt",
          "name": "with space#.txt",
          "path": "d/with space#.txt",
          "sha": "d95f3ad14dee633a758d2e331151e950dd13e4ed",
          "size": 8,
          "type": "file",
          "url": "http://plinth.test/repos/acme/rocket/contents/d/with%20space%23.txt?ref=main"
        }"#]]
    .assert_eq(&fixture.get("/contents/d/with%20space%23.txt").await.to_string());
}

#[tokio::test]
async fn directory_lists_its_entries() {
    let fixture = fixture().await;
    for (path, tree) in
        [("/contents", "main:"), ("/contents/", "main:"), ("/contents/d", "main:d"), ("/contents/d/", "main:d")]
    {
        let list = fixture.get(path).await.expect(200).json();
        assert_eq!(
            values(&list, "name"),
            fixture.git(&["-c", "core.quotePath=false", "ls-tree", "--name-only", tree]),
            "{path}"
        );
        assert_eq!(values(&list, "sha"), fixture.git(&["ls-tree", "--format=%(objectname)", tree]), "{path}");
        for item in list.as_array().expect("a list") {
            let url = item["url"].as_str().expect("a URL").trim_start_matches("http://plinth.test").to_owned();
            let found = fixture.guest().get(&url).await.expect(200).json();
            let sha = if found.is_array() {
                json!(fixture.sha(&format!("main:{}", item["path"].as_str().unwrap())))
            } else {
                found["sha"].clone()
            };
            assert!(sha == item["sha"] || item["type"] == "symlink", "{item}");
        }
    }
    let list = fixture.get("/contents/d").await.expect(200).json();
    assert_eq!(values(&list, "type"), ["symlink", "dir", "symlink", "file", "symlink", "file"]);
    expect![[r#"
        {
          "_links": {
            "git": "http://plinth.test/repos/acme/rocket/git/trees/0c2de7a245a2e37435d5386e5ace01b395bcb68d",
            "html": "http://plinth.test/acme/rocket/tree/main/d/e",
            "self": "http://plinth.test/repos/acme/rocket/contents/d/e?ref=main"
          },
          "download_url": null,
          "git_url": "http://plinth.test/repos/acme/rocket/git/trees/0c2de7a245a2e37435d5386e5ace01b395bcb68d",
          "html_url": "http://plinth.test/acme/rocket/tree/main/d/e",
          "name": "e",
          "path": "d/e",
          "sha": "0c2de7a245a2e37435d5386e5ace01b395bcb68d",
          "size": 0,
          "type": "dir",
          "url": "http://plinth.test/repos/acme/rocket/contents/d/e?ref=main"
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&list[1]).expect("JSON"));
    // GitHub lists submodules as files.
    assert_eq!(values(&fixture.get("/contents/vendor").await.expect(200).json(), "type"), ["file", "file"]);
}

#[tokio::test]
async fn directory_is_an_object_where_that_is_requested() {
    let fixture = fixture().await;
    let client = fixture.guest().header("accept", "application/vnd.github.object+json");
    let found = client.get(&format!("{REPO}/contents/d/e")).await.expect(200).json();
    assert_eq!(
        (&found["type"], &found["path"], &found["sha"]),
        (&json!("dir"), &json!("d/e"), &json!(fixture.sha("main:d/e")))
    );
    assert_eq!(values(&found["entries"], "path"), ["d/e/f.txt"]);
    let found = client.get(&format!("{REPO}/contents/")).await.expect(200).json();
    assert_eq!((&found["path"], &found["sha"]), (&json!(""), &json!(fixture.sha("main^{tree}"))));
    let found = client.get(&format!("{REPO}/contents/empty")).await.expect(200).json();
    assert_eq!((&found["type"], &found["content"]), (&json!("file"), &json!("")));
}

#[tokio::test]
async fn link_to_file_is_that_file() {
    let fixture = fixture().await;
    let found = fixture.get("/contents/d/link").await.expect(200).json();
    assert_eq!((&found["type"], &found["path"]), (&json!("file"), &json!("d/link")));
    assert_eq!(decode(&found), fixture.work.git_bytes(&["cat-file", "blob", "main:README.md"], ""));
    for (path, target) in [("broken", "../../outside"), ("todir", "e")] {
        let found = fixture.get(&format!("/contents/d/{path}")).await.expect(200).json();
        assert_eq!((&found["type"], &found["target"]), (&json!("symlink"), &json!(target)));
        assert_eq!(
            (&found["sha"], &found["size"]),
            (&json!(fixture.sha(&format!("main:d/{path}"))), &json!(target.len()))
        );
    }
    fixture.get("/contents/d/todir/f.txt").await.expect(404);
}

#[tokio::test]
async fn submodule_has_its_url() {
    let fixture = fixture().await;
    expect![[r#"
        200
        {
          "_links": {
            "git": null,
            "html": null,
            "self": "http://plinth.test/repos/acme/rocket/contents/vendor/lib?ref=main"
          },
          "download_url": null,
          "git_url": null,
          "html_url": null,
          "name": "lib",
          "path": "vendor/lib",
          "sha": "1111111111111111111111111111111111111111",
          "size": 0,
          "submodule_git_url": "https://example.com/lib.git",
          "type": "submodule",
          "url": "http://plinth.test/repos/acme/rocket/contents/vendor/lib?ref=main"
        }"#]]
    .assert_eq(&fixture.get("/contents/vendor/lib").await.to_string());
    let unknown = fixture.get("/contents/vendor/unknown").await.expect(200).json();
    assert_eq!((&unknown["submodule_git_url"], &unknown["sha"]), (&Value::Null, &json!("2".repeat(40))));
}

#[tokio::test]
async fn large_file_has_only_raw_content() {
    let fixture = fixture().await;
    let found = fixture.get("/contents/large").await.expect(200).json();
    assert_eq!(
        (&found["content"], &found["encoding"], &found["size"]),
        (&json!(""), &json!("none"), &json!(MEBIBYTE + 1))
    );
    let raw = fixture.guest().header("accept", "application/vnd.github.v3.raw");
    assert_eq!(raw.get(&format!("{REPO}/contents/large")).await.expect(200).body.len(), MEBIBYTE + 1);
    let html = fixture.guest().header("accept", "application/vnd.github.html+json");
    html.get(&format!("{REPO}/contents/large")).await.expect(403);
}

#[tokio::test]
async fn html_is_rendered_markdown_or_plain_text() {
    let fixture = fixture().await;
    let html = fixture.guest().header("accept", "application/vnd.github.html");
    let get = |path: &'static str| {
        let html = html.clone();
        async move {
            let response = html.get(&format!("{REPO}/contents/{path}")).await.expect(200);
            assert_eq!(response.header("content-type"), Some("application/vnd.github.html; charset=utf-8"));
            String::from_utf8(response.body.to_vec()).expect("UTF-8")
        }
    };
    expect![[r#"
        <div id="file" class="md" data-path="README.md"><article class="markdown-body entry-content container-lg" itemprop="text"><h1>Rocket</h1>
        <p>second <b>bold</b></p></article></div>"#]].assert_eq(&get("README.md").await);
    expect![[r#"
        <div id="file" class="plain" data-path="d/run.sh"><pre>#!/bin/sh
        </pre></div>"#]]
    .assert_eq(&get("d/run.sh").await);
}

#[tokio::test]
async fn ref_chooses_the_commit() {
    let fixture = fixture().await;
    let old = fixture.sha("old/er");
    for name in ["old/er", "heads/old/er", "refs/heads/old/er", &old] {
        let found = fixture.get(&format!("/contents/README.md?ref={name}")).await.expect(200).json();
        assert_eq!(found["sha"], json!(fixture.sha("old/er:README.md")), "{name}");
        let url = format!("http://plinth.test{REPO}/contents/README.md?ref={name}");
        assert_eq!((&found["url"], &found["_links"]["self"]), (&json!(url), &json!(url)));
    }
    let blob = fixture.sha("main:README.md");
    for path in [
        "README.md?ref=none",
        "none",
        "d/none",
        "README.md/x",
        "d/../README.md",
        "%00",
        &format!("README.md?ref={blob}"),
    ] {
        fixture.get(&format!("/contents/{path}")).await.expect(404);
    }
    fixture.guest().get("/repos/acme/empty/contents/README.md").await.expect(404);
    fixture.guest().get("/repos/acme/empty/contents").await.expect(404);
}

#[tokio::test]
async fn directory_lists_at_most_1000_entries() {
    let changes: String = (0..1_001).map(|number| file(&format!("{number:04}"), "x\n")).collect();
    let commit = NewCommit { branch: "main", mark: 1, parents: &[], author: "mona", seconds: 1, changes };
    let fixture = Fixture::new(&commit.write()).await;
    let names = fixture.git(&["ls-tree", "--name-only", "main"]);
    assert_eq!(values(&fixture.get("/contents").await.expect(200).json(), "name"), names[..1_000]);
}
