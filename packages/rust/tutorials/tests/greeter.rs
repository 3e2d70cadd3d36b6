mod support;

use std::time::Duration;

use plinth_test_tutorials::greeter::{Greeter, router};
use serde_json::json;
use support::{client, server};
use tokio::net::TcpListener;

const SECRET: &str = "forTestsOnly";

// Another thread serves the bot while this one waits for the deliveries.
#[tokio::test(flavor = "multi_thread")]
async fn greeter_greets_the_author_of_an_issue() -> octocrab::Result<()> {
    let plinth = server();
    let greeter = Greeter { github: client(&plinth, "ghp_hubot"), secret: SECRET.into() };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async { axum::serve(listener, router(greeter)).await });
    let hook = json!({ "url": url, "events": ["issues"], "content_type": "json", "secret": SECRET });
    plinth.apply(&json!({ "repos": [{ "name": "mona/hello", "hooks": [hook] }] }).to_string()).unwrap();

    let github = client(&plinth, "ghp_mona");
    let issue = github.issues("mona", "hello").create("A question").send().await?;
    plinth.wait_for_deliveries(Duration::from_secs(20)).unwrap();
    let comments = github.issues("mona", "hello").list_comments(issue.number).send().await?.items;
    let greetings: Vec<_> = comments.iter().map(|comment| (&*comment.user.login, comment.body.as_deref())).collect();
    assert_eq!(greetings, [("hubot", Some("Hello @mona!"))]);
    Ok(())
}
