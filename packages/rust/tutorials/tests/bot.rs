mod support;

use octocrab::Result;
use plinth_test::Filter;
use plinth_test_tutorials::bot::welcome;
use support::{client, server};

#[tokio::test]
async fn welcome_comments_on_an_issue_once() -> Result<()> {
    let plinth = server();
    let github = client(&plinth, "ghp_hubot");
    assert_eq!(welcome(&github, "mona", "hello").await?, [1]);
    assert!(welcome(&github, "mona", "hello").await?.is_empty());
    let comments = github.issues("mona", "hello").list_comments(1).send().await?.items;
    let [comment] = comments.as_slice() else { panic!("{comments:?}") };
    assert_eq!((comment.user.login.as_str(), comment.body.as_deref()), ("hubot", Some("Thank you for the report!")));
    Ok(())
}

#[tokio::test]
async fn welcome_sends_only_requests_that_github_knows() -> Result<()> {
    let plinth = server();
    welcome(&client(&plinth, "ghp_hubot"), "mona", "hello").await?;
    assert!(plinth.requests().unmatched().unwrap().is_empty());
    let requests = plinth.requests().list(&Filter::default()).unwrap();
    let operations: Vec<_> = requests.iter().filter_map(|request| request.operation.as_deref()).collect();
    assert_eq!(operations, ["issues/list-for-repo", "issues/create-comment"]);
    Ok(())
}
