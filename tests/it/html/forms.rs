//! Doing: a pull request is opened, reviewed and closed in the browser, and each step is seen through the API.

use serde_json::{Value, json};

use super::browser::Browser;
use crate::support::Response;
use crate::support::Service;
use crate::support::fixtures::octo_org;
use crate::support::pull_request::{COMMENTS, PULL, PullRequestFixture};

const PAGE: &str = "/acme/rocket/pull/1";
const FILES: &str = "/acme/rocket/pull/1/files";

async fn fixture() -> PullRequestFixture {
    let (base, head) = ("1\n2\n3\n4\n5\n", "1\ntwo\n3\nfour\n5\n");
    PullRequestFixture::new(&[("a.txt", base)], &[("a.txt", Some(head))]).await
}

#[track_caller]
fn location(response: &Response) -> String {
    assert_eq!(response.status, 303, "{response}");
    response.header("location").expect("a redirect").to_owned()
}

async fn api(fixture: &PullRequestFixture, login: &str, path: &str) -> Value {
    fixture.user(login).get(path).await.expect(200).json()
}

#[tokio::test]
async fn comment_on_a_range_is_replied_to_edited_resolved_and_deleted() {
    let fixture = fixture().await;
    let hubot = Browser::signed_in(&fixture.service, "ghp_hubot").await;
    let form = hubot.page(&format!("{FILES}?comment=a.txt")).await;
    assert!(form.contains(&format!("value=\"{}\"", fixture.head)), "the form names the commit that was seen");
    let range = [("path", "a.txt"), ("commit_id", fixture.head.as_str()), ("side", "RIGHT"), ("start_line", "2")];
    let range = [range.as_slice(), &[("line", "4"), ("body", "Both?\r\nReally?"), ("line_comment", "single")]].concat();
    let made = location(&hubot.submit(FILES, FILES, &range).await);
    let comments = api(&fixture, "mona", COMMENTS).await;
    let id = comments[0]["id"].as_i64().expect("an id");
    assert_eq!(made, format!("{FILES}#discussion_r{id}"));
    assert_eq!((&comments[0]["start_line"], &comments[0]["line"]), (&json!(2), &json!(4)));
    assert_eq!((&comments[0]["body"], &comments[0]["user"]["login"]), (&json!("Both?\nReally?"), &json!("hubot")));

    let mona = Browser::signed_in(&fixture.service, "ghp_mona").await;
    let key = id.to_string();
    assert!(mona.page(&format!("{PAGE}?reply={id}")).await.contains("name=\"reply_to\""));
    location(&mona.submit(PAGE, PAGE, &[("reply_to", &key), ("body", "Yes.")]).await);
    let comments = api(&fixture, "hubot", COMMENTS).await;
    assert_eq!((&comments[1]["in_reply_to_id"], &comments[1]["body"]), (&json!(id), &json!("Yes.")));

    location(&mona.submit(PAGE, PAGE, &[("resolve", &key)]).await);
    assert_eq!(api(&fixture, "mona", &format!("{PULL}/threads")).await[0]["is_resolved"], true);
    location(&mona.submit(PAGE, PAGE, &[("unresolve", &key)]).await);
    assert_eq!(api(&fixture, "mona", &format!("{PULL}/threads")).await[0]["is_resolved"], false);

    let edit = format!("r{id}");
    assert!(hubot.page(&format!("{PAGE}?edit={edit}")).await.contains("Really?</textarea>"));
    location(&hubot.submit(PAGE, PAGE, &[("edit", &edit), ("body", "Never mind")]).await);
    assert_eq!(api(&fixture, "mona", COMMENTS).await[0]["body"], "Never mind");
    let stranger = Browser::signed_in(&fixture.service, "ghp_stranger").await;
    assert!(!stranger.page(PAGE).await.contains("?edit="), "only who may edit sees the link");
    let rejected = stranger.submit(PAGE, PAGE, &[("delete", &edit)]).await;
    assert_eq!(rejected.status, 403, "{rejected}");
    location(&hubot.submit(PAGE, PAGE, &[("delete", &edit)]).await);
    assert_eq!(api(&fixture, "mona", COMMENTS).await.as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn review_collects_comments_until_it_is_submitted() {
    let fixture = fixture().await;
    let hubot = Browser::signed_in(&fixture.service, "ghp_hubot").await;
    let comment = |line: &'static str, body: &'static str| {
        [
            ("path", "a.txt"),
            ("commit_id", fixture.head.as_str()),
            ("side", "RIGHT"),
            ("line", line),
            ("body", body),
            ("line_comment", "review"),
        ]
    };
    location(&hubot.submit(FILES, FILES, &comment("2", "First")).await);
    location(&hubot.submit(FILES, FILES, &comment("4", "Second")).await);
    assert_eq!(api(&fixture, "mona", COMMENTS).await, json!([]), "nobody else sees them");
    let reviews = api(&fixture, "hubot", &format!("{PULL}/reviews")).await;
    let review = reviews[0]["id"].to_string();
    assert_eq!((reviews.as_array().map(Vec::len), &reviews[0]["state"]), (Some(1), &json!("PENDING")));
    let page = hubot.page(FILES).await;
    assert!(page.contains("2 comments wait") && page.contains("First") && page.contains("Second"), "{page}");
    let bad = hubot.submit(FILES, FILES, &comment("99", "Nowhere")).await;
    assert_eq!(bad.status, 422, "{bad}");
    let bad = String::from_utf8_lossy(&bad.body).into_owned();
    assert!(bad.contains("Nowhere</textarea>"), "what was typed is kept: {bad}");
    let submission = [("submit_review", "1"), ("review", review.as_str()), ("event", "APPROVE"), ("body", "Fine")];
    location(&hubot.submit(FILES, FILES, &submission).await);
    let reviews = api(&fixture, "mona", &format!("{PULL}/reviews")).await;
    assert_eq!((&reviews[0]["state"], &reviews[0]["body"]), (&json!("APPROVED"), &json!("Fine")));
    let bodies = api(&fixture, "mona", COMMENTS).await;
    assert_eq!((&bodies[0]["body"], &bodies[1]["body"]), (&json!("First"), &json!("Second")));
    assert!(Browser::new(&fixture.service).page(PAGE).await.contains("approved these changes"));
}

#[tokio::test]
async fn pull_request_is_opened_edited_closed_reopened_and_merged() {
    let fixture = fixture().await;
    let mona = Browser::signed_in(&fixture.service, "ghp_mona").await;
    let branch = json!({ "ref": "refs/heads/again", "sha": fixture.head });
    fixture.user("mona").post("/repos/acme/rocket/git/refs", branch).await.expect(201);
    let compare = "/acme/rocket/compare/main...again";
    let new = [("title", "Again"), ("body", "Once more"), ("base", "main"), ("head", "again")];
    let opened = location(&mona.submit(compare, "/acme/rocket/pulls", &new).await);
    assert_eq!(opened, "/acme/rocket/pull/2");
    let pull = "/repos/acme/rocket/pulls/2";
    assert_eq!(api(&fixture, "hubot", pull).await["title"], "Again");
    location(
        &mona
            .submit(&opened, &opened, &[("edit", "pull"), ("title", "Better"), ("body", "New"), ("base", "main")])
            .await,
    );
    let seen = api(&fixture, "hubot", pull).await;
    assert_eq!((&seen["title"], &seen["body"]), (&json!("Better"), &json!("New")));
    location(&mona.submit(&opened, &opened, &[("comment", "1"), ("body", "Hello")]).await);
    assert_eq!(api(&fixture, "hubot", "/repos/acme/rocket/issues/2/comments").await[0]["body"], "Hello");
    for (state, button) in [("closed", "Reopen"), ("open", "Close")] {
        location(&mona.submit(&opened, &opened, &[("state", state)]).await);
        assert_eq!(api(&fixture, "hubot", pull).await["state"], state);
        assert!(mona.page(&opened).await.contains(button));
    }
    let duplicate = mona.submit(compare, "/acme/rocket/pulls", &new).await;
    assert_eq!(duplicate.status, 422, "{duplicate}");
    fixture.service.settled().await;
    location(&mona.submit(&opened, &opened, &[("merge", "squash")]).await);
    assert_eq!(api(&fixture, "hubot", pull).await["merged"], true);
}

#[tokio::test]
async fn notification_leads_to_its_comment_and_is_marked_read() {
    let fixture = fixture().await;
    let body = json!({ "body": "Look", "commit_id": fixture.head, "path": "a.txt", "line": 2 });
    let made = fixture.user("hubot").post(COMMENTS, body).await.expect(201).json();
    let mona = Browser::signed_in(&fixture.service, "ghp_mona").await;
    let page = mona.page("/-/notifications").await;
    assert!(page.contains(&format!("href=\"{PAGE}#discussion_r{}\"", made["id"])), "{page}");
    let thread = api(&fixture, "mona", "/notifications").await[0]["id"].as_str().expect("an id").to_owned();
    location(&mona.submit("/-/notifications", "/-/notifications", &[("thread", &thread)]).await);
    assert_eq!(api(&fixture, "mona", "/notifications").await, json!([]));
    assert!(mona.page("/-/notifications").await.contains("Nothing is waiting"));
}

#[tokio::test]
async fn issue_is_opened_commented_and_closed() {
    let fixture = fixture().await;
    let mona = Browser::signed_in(&fixture.service, "ghp_mona").await;
    let new = [("title", "Broken <b>"), ("body", "See **here**")];
    let page = location(&mona.submit("/acme/rocket/issues/new", "/acme/rocket/issues", &new).await);
    assert_eq!(page, "/acme/rocket/issues/2");
    location(&mona.submit(&page, &page, &[("comment", "1"), ("body", "More")]).await);
    let comment = api(&fixture, "hubot", "/repos/acme/rocket/issues/2/comments").await[0]["id"].to_string();
    location(&mona.submit(&page, &page, &[("edit", &format!("c{comment}")), ("body", "Less")]).await);
    let shown = mona.page(&page).await;
    assert!(shown.contains("Broken &lt;b&gt;") && shown.contains("<strong>here</strong>") && shown.contains("Less"));
    location(&mona.submit(&page, &page, &[("delete", &format!("c{comment}"))]).await);
    location(&mona.submit(&page, &page, &[("state", "closed")]).await);
    let issue = api(&fixture, "hubot", "/repos/acme/rocket/issues/2").await;
    assert_eq!((&issue["state"], &issue["comments"]), (&json!("closed"), &json!(0)));
}

#[tokio::test]
async fn device_is_approved_after_its_rights_were_shown() {
    let state = octo_org(&["mona"]).app("helper", "octo-org", "contents: write", "client_id: Iv23helper").classic(
        "mona",
        "repo, 'admin:org'",
        "ghp_monamona",
    );
    let service = Service::with(&state.to_string()).await;
    let begun = service.anonymous().header("accept", "application/json");
    let begun = begun.post("/login/device/code", json!({ "client_id": "Iv23helper" })).await.expect(200).json();
    let code = begun["user_code"].as_str().expect("a code").to_owned();
    let browser = Browser::signed_in(&service, "ghp_monamona").await;
    let page = browser.page(&format!("/login/device?user_code={code}")).await;
    assert!(page.contains("helper") && page.contains("contents") && page.contains("write"), "{page}");
    let confirmation = super::browser::attribute_after(&page, "name=\"confirmation\" value=\"");
    let decision = [("user_code", code.as_str()), ("confirmation", &confirmation), ("decision", "approve")];
    browser.submit(&format!("/login/device?user_code={code}"), "/login/device", &decision).await.expect(200);
    let poll = json!({ "client_id": "Iv23helper", "device_code": begun["device_code"],
        "grant_type": "urn:ietf:params:oauth:grant-type:device_code" });
    let token = service.anonymous().header("accept", "application/json").post("/login/oauth/access_token", poll).await;
    assert!(token.json()["access_token"].as_str().is_some_and(|token| token.starts_with("ghu_")), "{token}");
}

#[tokio::test]
async fn repositories_of_an_installation_are_added_and_removed() {
    let state = octo_org(&["mona"])
        .repo("octo-org/one", "")
        .repo("octo-org/two", "")
        .app("helper", "octo-org", "contents: write", "")
        .installation("helper", "octo-org", "[octo-org/one]")
        .classic("mona", "repo, 'admin:org'", "ghp_monamona");
    let service = Service::with(&state.to_string()).await;
    let mona = service.with_token("ghp_monamona");
    let repos = "/user/installations/1/repositories";
    let names = async || {
        let list = mona.get(repos).await.expect(200).json();
        let names = list["repositories"].as_array().expect("a list").iter().map(|repo| repo["name"].to_string());
        names.collect::<Vec<_>>().join(" ")
    };
    let page = "/organizations/octo-org/settings/installations/1";
    let browser = Browser::signed_in(&service, "ghp_monamona").await;
    assert!(browser.page(page).await.contains("octo-org/two"), "it can be added");
    let id = async |name: &str| mona.get(&format!("/repos/octo-org/{name}")).await.expect(200).json()["id"].to_string();
    location(&browser.submit(page, page, &[("add", &id("two").await)]).await);
    assert_eq!(names().await, "\"one\" \"two\"");
    location(&browser.submit(page, page, &[("remove", &id("one").await)]).await);
    assert_eq!(names().await, "\"two\"");
    let last = browser.submit(page, page, &[("remove", &id("two").await)]).await;
    assert_eq!(last.status, 422, "the last one cannot be removed: {last}");
    Browser::new(&service).get(page).await.expect(404);
}
