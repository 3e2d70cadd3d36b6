//! References, footnotes and emoji.

use super::{CONTEXT, rendered};
use crate::{Context, References, references, render};

const SHA: &str = "0123456789abcdef0123456789abcdef01234567";

/// Renders a text in a repository with the pull requests 1 and 12, the issue 7 and one commit.
fn html(source: &str) -> String {
    let commits = [SHA, &SHA[..7], &SHA[..12]].map(|digits| (digits.to_owned(), SHA.to_owned()));
    let existing = References { pulls: [1, 12].into(), issues: [7].into(), commits: commits.into() };
    render(source, &Context { existing: &existing, ..CONTEXT }).html
}

fn pull(number: i64, shown: &str) -> String {
    let url = format!("https://plinth.example/acme/rocket/pull/{number}");
    format!("<a class=\"issue-link\" href=\"{url}\" rel=\"nofollow\">{shown}</a>")
}

#[test]
fn reference_to_existing_pull_request_is_a_link() {
    for (source, expected) in [
        ("#1", pull(1, "#1")),
        ("See #12.", format!("See {}.", pull(12, "#12"))),
        ("(#1, #12)", format!("({}, {})", pull(1, "#1"), pull(12, "#12"))),
        ("acme/rocket#1", pull(1, "acme/rocket#1")),
        ("Acme/Rocket#1 too", format!("{} too", pull(1, "Acme/Rocket#1"))),
        ("**#1**", format!("<strong>{}</strong>", pull(1, "#1"))),
        ("\u{e9} #1", format!("\u{e9} {}", pull(1, "#1"))),
    ] {
        assert_eq!(html(source), format!("<p>{expected}</p>"), "{source}");
    }
}

#[test]
fn reference_to_existing_issue_is_a_link() {
    let url = "https://plinth.example/acme/rocket/issues/7";
    assert_eq!(html("#7"), format!("<p><a class=\"issue-link\" href=\"{url}\" rel=\"nofollow\">#7</a></p>"));
}

#[test]
fn other_reference_stays_text() {
    for source in [
        "#2",
        "#0",
        "#01",
        "#99999999999",
        "a#1",
        "1#1",
        "##1",
        "#1a",
        "#1_",
        "other/repo#1",
        "x/acme/rocket#1",
        "/#1",
        "`#1`",
        "[#1](https://x.example)",
        "acme/#1",
        "\u{e9}#1",
        "@acme#1",
    ] {
        assert!(!html(source).contains("issue-link"), "{source}: {}", html(source));
    }
    assert!(!rendered("#1").html.contains("<a"), "{}", rendered("#1").html);
}

#[test]
fn id_of_existing_commit_is_a_link() {
    let url = format!("https://plinth.example/acme/rocket/commit/{SHA}");
    let link = format!("<a class=\"commit-link\" href=\"{url}\" rel=\"nofollow\"><tt>0123456</tt></a>");
    assert_eq!(html(&format!("In {SHA}.")), format!("<p>In {link}.</p>"));
    assert_eq!(html(&SHA.to_uppercase()), format!("<p>{link}</p>"));
    for digits in [7, 12] {
        assert_eq!(html(&format!("In {},", &SHA[..digits])), format!("<p>In {link},</p>"));
    }
    for source in [
        format!("{SHA}0"),
        format!("x{SHA}"),
        format!("`{SHA}`"),
        "f".repeat(40),
        SHA[1..].to_owned(),
        SHA[..6].to_owned(),
        SHA[..8].to_owned(),
        format!("{}x", &SHA[..7]),
        format!("v-{}", &SHA[..7]),
    ] {
        assert!(!html(&source).contains("commit-link"), "{source}");
    }
}

#[test]
fn commit_id_after_owner_or_repository_is_a_link() {
    let url = format!("https://plinth.example/acme/rocket/commit/{SHA}");
    for named in ["acme", "Acme", "acme/rocket", "ACME/Rocket"] {
        for digits in [&SHA[..7], SHA] {
            let link = format!("<a class=\"commit-link\" href=\"{url}\" rel=\"nofollow\">{named}@<tt>0123456</tt></a>");
            assert_eq!(html(&format!("({named}@{digits})")), format!("<p>({link})</p>"));
        }
    }
    for named in ["mona", "acme/other", "x/acme/rocket", "acme/", "/rocket", "https://acme", "a@acme", "\u{e9}acme"] {
        let source = format!("{named}@{SHA}");
        assert!(!html(&source).contains("commit-link"), "{source}: {}", html(&source));
    }
    let mention = html(&format!("@{}", &SHA[..7]));
    assert!(mention.contains("user-mention") && !mention.contains("commit-link"), "{mention}");
}

#[test]
fn references_are_what_has_to_be_looked_up() {
    let found = references(&format!("#3 a/b#4 @mona {SHA} #5x ABCDEF0 a/b@1234567 123456"));
    let commits = [SHA, "abcdef0", "1234567"].map(|digits| (digits.to_owned(), digits.to_owned()));
    assert_eq!(found, References { pulls: [3, 4].into(), issues: [3, 4].into(), commits: commits.into() });
    let many: String = (1..1000).map(|number| format!("#{number} ")).collect();
    assert_eq!(references(&many).pulls.len(), crate::REFERENCES_MAX);
    let many: String = (1..1000).map(|number| format!("{number:07} ")).collect();
    assert_eq!(references(&many).commits.len(), crate::REFERENCES_MAX);
}

#[test]
fn footnotes_link_to_each_other() {
    let html = rendered("Text[^1]\n\n[^1]: Note").html;
    assert!(html.contains("href=\"#user-content-fn-1\"") && html.contains("id=\"user-content-fn-1\""), "{html}");
    assert!(html.contains("href=\"#user-content-fnref-1\"") && html.contains("id=\"user-content-fnref-1\""), "{html}");
    assert!(html.contains("class=\"footnotes\""), "{html}");
}

#[test]
fn emoji_have_short_names() {
    assert_eq!(rendered(":tada: :+1:").html, "<p>\u{1f389} \u{1f44d}</p>");
    assert_eq!(rendered(":nothing: `:tada:`").html, "<p>:nothing: <code>:tada:</code></p>");
}
