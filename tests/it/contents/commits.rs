//! Histories.

use serde_json::json;

use super::{Fixture, NewCommit, file, relations, values};

const START: i64 = 1_700_000_000;

/// Two lines that are merged, with dates that are out of order. Commit 5 has the file `a` of its first parent, and 7 that of
/// its second.
async fn fixture() -> Fixture {
    let commit = |branch, mark, parents, author, date: i64, changes| {
        NewCommit { branch, mark, parents, author, seconds: START + date * 86_400, changes }.write()
    };
    let stream = [
        commit("main", 1, &[], "mona", 1, file("a", "1\n") + &file("d/b", "1\n")),
        commit("main", 2, &[1], "hubot", 2, file("a", "2\n")),
        commit("side", 3, &[1], "guest", 3, file("d/b", "3\n")),
        commit("side", 4, &[3], "mona", 2, file("a", "4\n")),
        commit("main", 5, &[2, 4], "mona", 5, file("d/b", "3\n")),
        commit("side", 6, &[4], "hubot", 6, file("d/c", "6\n")),
        commit("main", 7, &[5, 6], "hubot", 7, file("a", "4\n") + "D d/b\n"),
        commit("main", 8, &[7], "stranger", 8, String::new()),
        "reset refs/tags/light\nfrom :5\n\ntag heavy\nfrom :6\ntagger m <m@example.com> 0 +0000\ndata 1\nx\n"
            .to_owned(),
    ];
    Fixture::new(&stream.concat()).await
}

#[tokio::test]
async fn history_is_that_of_git() {
    let fixture = fixture().await;
    let old = fixture.sha("main~3");
    let by_id = format!("sha={old}");
    let cases: &[(&str, &[&str])] = &[
        ("", &["main"]),
        ("sha=side", &["side"]),
        ("sha=light", &["light"]),
        ("sha=heavy", &["heavy"]),
        (&by_id, &[&old]),
        ("path=a", &["main", "--", "a"]),
        ("path=%2Fa", &["main", "--", "a"]),
        ("path=d", &["main", "--", "d"]),
        ("path=d%2F", &["main", "--", "d"]),
        ("path=d%2Fb", &["main", "--", "d/b"]),
        ("path=d%2Fc&sha=side", &["side", "--", "d/c"]),
        ("path=none", &["main", "--", "none"]),
        ("author=hubot", &["--author=<hubot@example.com>", "main"]),
        ("author=HUBOT%40example.com", &["--author=<hubot@example.com>", "main"]),
        ("committer=mona", &["--committer=<mona@example.com>", "main"]),
        ("author=mona&path=d", &["--author=<mona@example.com>", "main", "--", "d"]),
        ("author=nobody@example.com", &["--author=<nobody@example.com>", "main"]),
        ("since=2023-11-18T00:00:00Z", &["--since=2023-11-18T00:00:00Z", "main"]),
        ("since=2023-11-16T22:13:20Z", &["--since=2023-11-16T22:13:20Z", "main"]),
        ("until=2023-11-18", &["--until=2023-11-18T00:00:00Z", "main"]),
        ("until=2023-11-16T22:13:20Z", &["--until=2023-11-16T22:13:20Z", "main"]),
        (
            "since=2023-11-17&until=2023-11-21&path=a",
            &["--since=2023-11-17T00:00:00Z", "--until=2023-11-21T00:00:00Z", "main", "--", "a"],
        ),
    ];
    for (query, arguments) in cases {
        let list = fixture.get(&format!("/commits?{query}")).await.expect(200).json();
        let expected = fixture.git(&[&["rev-list"][..], arguments].concat());
        assert_eq!(values(&list, "sha"), expected, "{query}");
    }
}

#[tokio::test]
async fn history_has_pages() {
    let fixture = fixture().await;
    let expected = fixture.git(&["rev-list", "main"]);
    let mut seen = Vec::new();
    for number in 1..=3 {
        let page = fixture.get(&format!("/commits?per_page=3&page={number}")).await.expect(200);
        let expected: &[&str] = match number {
            1 => &["next", "last"],
            2 => &["prev", "next", "last", "first"],
            _ => &["prev", "first"],
        };
        assert_eq!(relations(&page), expected);
        seen.extend(values(&page.json(), "sha"));
    }
    assert_eq!(seen, expected);
    // Nobody counts the commits that change a path.
    let page = fixture.get("/commits?per_page=1&path=d").await.expect(200);
    assert_eq!(relations(&page), ["next"]);
    let page = fixture.get("/commits?per_page=1&path=d&page=2").await.expect(200);
    assert_eq!(relations(&page), ["prev", "next", "first"]);
    let last = fixture.get("/commits?per_page=3&path=a&page=9").await.expect(200);
    assert_eq!((last.json(), relations(&last)), (json!([]), vec!["prev".to_owned(), "first".into()]));
}

#[tokio::test]
async fn listed_commit_equals_the_single_one() {
    let fixture = fixture().await;
    let list = fixture.get("/commits").await.expect(200).json();
    for listed in list.as_array().expect("a list") {
        let sha = listed["sha"].as_str().expect("an id");
        let mut single = fixture.get(&format!("/commits/{sha}")).await.expect(200).json();
        let single = single.as_object_mut().expect("an object");
        single.remove("stats");
        single.remove("files");
        assert_eq!(listed.as_object().expect("an object"), single, "{sha}");
    }
    assert_eq!(list[1]["author"]["login"], "hubot");
}

#[tokio::test]
async fn wrong_start_and_wrong_dates_are_errors() {
    let fixture = fixture().await;
    let blob = fixture.sha("main:a");
    for query in ["sha=none", &format!("sha={blob}"), &format!("sha={}", "1".repeat(40)), "sha=%00"] {
        fixture.get(&format!("/commits?{query}")).await.expect(404);
    }
    fixture.get("/commits?since=yesterday").await.expect(422);
    fixture.get("/commits?until=2023-13-01").await.expect(422);
    let empty = fixture.guest().get("/repos/acme/empty/commits").await.expect(409);
    assert_eq!(empty.message(), "Git Repository is empty.");
    assert_eq!(fixture.get("/commits?author=nobody").await.expect(200).json(), json!([]));
    assert_eq!(
        fixture.get("/commits?sha=&path=&author=&since=").await.expect(200).json().as_array().map(Vec::len),
        Some(8)
    );
}
