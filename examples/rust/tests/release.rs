//! Each test has its own server, so that tests can run in parallel.

mod plinth;

use octocrab::{Error, Octocrab};
use plinth::Plinth;
use plinth_example_rust::start_release;

const STATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/state.yaml");

fn client(plinth: &Plinth) -> Octocrab {
    Octocrab::builder().base_uri(plinth.url.as_str()).unwrap().personal_token("ghp_forTestsOnly").build().unwrap()
}

#[tokio::test]
async fn start_release_creates_a_branch_at_the_default_branch() {
    let plinth = Plinth::start(STATE);
    let github = client(&plinth);
    let sha = start_release(&github, "mona", "hello", "1.0").await.unwrap();
    let created = github.git("mona", "hello").list_matching_refs("heads/release").await.unwrap();
    assert_eq!(created.len(), 1);
    assert!(
        matches!(&created[0].object, octocrab::models::repos::Object::Commit { sha: target, .. } if *target == sha)
    );
}

#[tokio::test]
async fn start_release_rejects_an_existing_version() {
    let plinth = Plinth::start(STATE);
    let github = client(&plinth);
    start_release(&github, "mona", "hello", "2.0").await.unwrap();
    let Err(Error::GitHub { source, .. }) = start_release(&github, "mona", "hello", "2.0").await else { panic!() };
    assert_eq!((source.status_code.as_u16(), source.message.as_str()), (422, "Reference already exists"));
}

#[tokio::test]
async fn comment_on_the_pull_request_of_the_state_file_is_listed() {
    let plinth = Plinth::start(STATE);
    let github = client(&plinth);
    let pulls = github.pulls("mona", "hello");
    let head = pulls.get(1).await.unwrap().head.sha;
    pulls.create_comment(1, "Why?", head, "README.md", 3).await.unwrap();
    let comments = pulls.list_comments(Some(1)).send().await.unwrap().items;
    let listed: Vec<_> = comments.iter().map(|comment| (comment.body.as_str(), comment.line)).collect();
    assert_eq!(listed, [("Why?", Some(3))]);
}
