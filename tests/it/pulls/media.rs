//! The media types of pull requests, reviews and commits.

use serde_json::{Value, json};

use crate::support::pull_request::{PULL, PullRequestFixture};

const COMMITS: &str = "/repos/acme/rocket/commits";
const PULLS: &str = "/repos/acme/rocket/pulls";

async fn fixture() -> PullRequestFixture {
    PullRequestFixture::new(&[("a", "1\n2\n3\n")], &[("a", Some("1\ntwo\n3\n")), ("new", Some("n\n"))]).await
}

/// The three forms of a body; a form that is absent is not listed.
fn forms(shown: &Value) -> Vec<(&str, &Value)> {
    ["body", "body_text", "body_html"].into_iter().filter_map(|key| Some((key, shown.get(key)?))).collect()
}

#[tokio::test]
async fn pull_request_has_the_forms_of_its_body_that_accept_names() {
    let fixture = fixture().await;
    let asking = |accept: &str| fixture.user("mona").header("accept", accept);
    fixture.user("mona").patch(PULL, json!({ "body": "**Please**" })).await.expect(200);
    let (body, text, html) = (json!("**Please**"), json!("Please"), json!("<p><strong>Please</strong></p>"));
    for (accept, expected) in [
        ("application/vnd.github+json", vec![("body", &body)]),
        ("application/vnd.github.raw+json", vec![("body", &body)]),
        ("application/vnd.github.text+json", vec![("body_text", &text)]),
        ("application/vnd.github.v3.html+json", vec![("body_html", &html)]),
        ("application/vnd.github.v3.full+json", vec![("body", &body), ("body_text", &text), ("body_html", &html)]),
    ] {
        let one = asking(accept).get(PULL).await.expect(200).json();
        assert_eq!(forms(&one), expected, "{accept}");
        let list = asking(accept).get(PULLS).await.expect(200).json();
        assert_eq!(forms(&list[0]), expected, "{accept}");
        let updated = asking(accept).patch(PULL, json!({ "title": accept })).await.expect(200).json();
        assert_eq!(forms(&updated), expected, "{accept}");
    }
    let full = "application/vnd.github.v3.full+json";
    fixture.user("mona").patch(PULL, json!({ "body": null })).await.expect(200);
    let null = asking(full).get(PULL).await.expect(200).json();
    assert_eq!(forms(&null), [("body", &Value::Null), ("body_text", &Value::Null), ("body_html", &Value::Null)]);
    fixture
        .user("mona")
        .post("/repos/acme/rocket/git/refs", json!({ "ref": "refs/heads/x", "sha": fixture.head }))
        .await;
    let new = json!({ "title": "t", "head": "x", "base": "main", "body": "*b*" });
    let created = asking(full).post(PULLS, new).await.expect(201).json();
    assert_eq!(
        forms(&created),
        [("body", &json!("*b*")), ("body_text", &json!("b")), ("body_html", &json!("<p><em>b</em></p>"))]
    );
}

#[tokio::test]
async fn review_has_the_forms_of_its_body_that_accept_names() {
    let fixture = fixture().await;
    let full = fixture.user("hubot").header("accept", "application/vnd.github.v3.full+json");
    let review =
        full.post(&format!("{PULL}/reviews"), json!({ "body": "*Nice*", "event": "COMMENT" })).await.expect(200);
    let expected = json!(["*Nice*", "Nice", "<p><em>Nice</em></p>"]);
    let all = |shown: &Value| json!([shown["body"], shown["body_text"], shown["body_html"]]);
    assert_eq!(all(&review.json()), expected);
    let list = full.get(&format!("{PULL}/reviews")).await.expect(200).json();
    assert_eq!(all(&list[0]), expected);
}

#[tokio::test]
async fn commit_is_shown_as_id_diff_or_patch() {
    let fixture = fixture().await;
    let asking = |accept: &str| fixture.user("mona").header("accept", accept);
    let url = |name: &str| format!("{COMMITS}/{name}");
    for name in ["feature", &fixture.head] {
        let id = asking("application/vnd.github.sha").get(&url(name)).await.expect(200);
        assert_eq!(String::from_utf8_lossy(&id.body), fixture.head);
        assert_eq!(id.header("content-type"), Some("application/vnd.github.v3.sha; charset=utf-8"));
    }
    for (commit, compared) in [
        (&fixture.head, vec!["diff", &fixture.base, &fixture.head]),
        (&fixture.base, vec!["show", "--format=", &fixture.base]),
    ] {
        let diff = asking("application/vnd.github.v3.diff").get(&url(commit)).await.expect(200);
        let expected = fixture.work.git(&compared);
        assert_eq!(String::from_utf8_lossy(&diff.body).trim_end(), expected.trim_end());
        assert_eq!(diff.header("content-type"), Some("application/vnd.github.v3.diff; charset=utf-8"));
    }
    let patch = asking("application/vnd.github.patch").get(&url("feature")).await.expect(200);
    let expected =
        fixture.work.git(&["format-patch", "-1", "--stdout", "--no-stat", "--signature=plinth", &fixture.head]);
    // Without statistics, git leaves out the line before them.
    let expected = expected.replacen("\n\n\ndiff", "\n\n---\n\ndiff", 1);
    assert_eq!(String::from_utf8_lossy(&patch.body).trim_end(), expected.trim_end());
    for accept in ["application/vnd.github.sha", "application/vnd.github.diff", "application/vnd.github.patch"] {
        let missing = asking(accept).get(&url("nothing")).await.expect(422);
        assert_eq!(missing.message(), "No commit found for SHA: nothing", "{accept}");
        let tree = fixture.work.git(&["rev-parse", "feature^{tree}"]);
        asking(accept).get(&url(tree.trim())).await.expect(422);
    }
}

#[tokio::test]
async fn body_links_to_what_exists_in_its_repository() {
    let fixture = fixture().await;
    let html = fixture.user("mona").header("accept", "application/vnd.github.html+json");
    let web = "http://plinth.test/acme/rocket";
    let pull = |shown: &str| format!("<a class=\"issue-link\" href=\"{web}/pull/1\" rel=\"nofollow\">{shown}</a>");
    let sha = &fixture.head;
    let commit =
        format!("<a class=\"commit-link\" href=\"{web}/commit/{sha}\" rel=\"nofollow\"><tt>{}</tt></a>", &sha[..7]);
    let unknown = "0123456789abcdef0123456789abcdef01234567";
    for (body, expected) in [
        ("See #1 and #2".to_owned(), format!("<p>See {} and #2</p>", pull("#1"))),
        ("acme/rocket#1 acme/other#1".to_owned(), format!("<p>{} acme/other#1</p>", pull("acme/rocket#1"))),
        (format!("{sha} {unknown}"), format!("<p>{commit} {unknown}</p>")),
        (format!("{} 0123456 {}", &sha[..7], &sha[..6]), format!("<p>{commit} 0123456 {}</p>", &sha[..6])),
        (
            format!("acme@{} acme/rocket@{sha} mona@{sha}", &sha[..9]),
            format!(
                "<p>{} {} mona@{sha}</p>",
                commit.replace("<tt>", "acme@<tt>"),
                commit.replace("<tt>", "acme/rocket@<tt>")
            ),
        ),
        (":tada:".to_owned(), "<p>\u{1f389}</p>".to_owned()),
    ] {
        let shown = html.patch(PULL, json!({ "body": body })).await.expect(200).json();
        assert_eq!(shown["body_html"], json!(expected), "{body}");
    }
    let review = json!({ "body": "#1", "event": "COMMENT" });
    let review = html.post(&format!("{PULL}/reviews"), review).await.expect(200).json();
    assert_eq!(review["body_html"], json!(format!("<p>{}</p>", pull("#1"))));
}
