//! Refs of a repository.

use octocrab::Octocrab;
use octocrab::models::repos::{Object, Ref};
use octocrab::params::repos::Reference;
use serde_json::{Value, json};

use crate::support::{HUBOT, HUBOT_READS, MONA, STRANGER, anonymous, assert_rejected, get, with};

#[tokio::test]
async fn branch_is_created_updated_and_deleted() {
    let hubot = with(HUBOT);
    let git = hubot.git("octo-org", "refs");
    let (main, ahead) = (sha_of(&hubot, "main").await, sha_of(&hubot, "featureA").await);
    let branch = Reference::Branch("crab/moves".into());
    let made = git.create_ref(&branch, &main).await.unwrap();
    assert_eq!((made.ref_field.as_str(), sha(&made)), ("refs/heads/crab/moves", main.as_str()));
    assert_eq!(git.get_ref(&branch).await.unwrap(), made);

    let forward = git.update_ref(&branch, &ahead).send().await.unwrap();
    assert_eq!(sha(&forward), ahead);
    assert_rejected(git.update_ref(&branch, &main).send().await, 422, "Update is not a fast forward");
    let back = git.update_ref(&branch, &main).force(true).send().await.unwrap();
    assert_eq!(sha(&back), main);

    git.delete_ref(&branch).await.unwrap();
    assert_rejected(git.get_ref(&branch).await, 404, "Not Found");
    assert_rejected(git.delete_ref(&branch).await, 422, "Reference does not exist");
    assert_rejected(git.update_ref(&branch, &main).send().await, 422, "Reference does not exist");
}

#[tokio::test]
async fn annotated_tag_is_its_own_object() {
    let hubot = with(HUBOT);
    let git = hubot.git("octo-org", "hello");
    let annotated = git.get_ref(&Reference::Tag("v1".into())).await.unwrap();
    let Object::Tag { sha, .. } = annotated.object else { panic!("{annotated:?}") };
    assert_eq!(git.get_tag(sha).await.unwrap().message.trim_end(), "First");
    let light = git.get_ref(&Reference::Tag("v1-light".into())).await.unwrap();
    assert!(matches!(light.object, Object::Commit { .. }), "{light:?}");
}

#[tokio::test]
async fn matching_refs_share_prefix() {
    let nobody = anonymous();
    let git = nobody.git("octo-org", "refs");
    let listed = git.list_matching_refs("heads/feature").await.unwrap();
    let features = names(&listed);
    for name in ["refs/heads/feature/deep/down", "refs/heads/featureA", "refs/heads/featureB"] {
        assert!(features.contains(&name), "{features:?}");
    }
    assert_eq!(git.list_matching_refs("tags/release/").await.unwrap().len(), 120);
    assert_eq!(names(&git.list_matching_refs("refs/heads/featureA").await.unwrap()), ["refs/heads/featureA"]);
    assert!(git.list_matching_refs("heads/none-such").await.unwrap().is_empty());
    let all = git.list_matching_refs("").await.unwrap();
    assert!(all.len() > 120, "{}", all.len());
}

/// The client does not escape a ref in the path, so its user must.
#[tokio::test]
async fn unusual_ref_names_are_found() {
    let nobody = anonymous();
    let git = nobody.git("octo-org", "refs");
    let found = git.get_ref(&Reference::Branch("odd%2F%2350%25-fr%C3%BCh".into())).await.unwrap();
    assert_eq!(found.ref_field, "refs/heads/odd/#50%-früh");
    let deep = git.get_ref(&Reference::Branch("feature/deep/down".into())).await.unwrap();
    assert_eq!(deep.ref_field, "refs/heads/feature/deep/down");
    assert_eq!(get(&nobody, deep.url.as_str()).await.unwrap()["ref"], deep.ref_field);
}

#[tokio::test]
async fn repository_handler_has_same_methods() {
    let hubot = with(HUBOT);
    let repo = hubot.repos("octo-org", "refs");
    let main = repo.get_ref(&Reference::Branch("main".into())).await.unwrap();
    let tag = Reference::Tag("crab-v1".into());
    let made = repo.create_ref(&tag, sha(&main)).await.unwrap();
    assert_eq!(made.ref_field, "refs/tags/crab-v1");
    repo.delete_ref(&tag).await.unwrap();
    assert!(repo.list_matching_refs("tags/crab-v1").await.unwrap().is_empty());
}

#[tokio::test]
async fn invalid_refs_are_rejected_with_reason() {
    let mona = with(MONA);
    let git = mona.git("octo-org", "refs");
    let main = Reference::Branch("main".into());
    let tip = sha_of(&mona, "main").await;
    assert_rejected(git.create_ref(&main, &tip).await, 422, "Reference already exists");
    let unknown = "1".repeat(40);
    let crab = Reference::Branch("crab/none".into());
    assert_rejected(git.create_ref(&crab, &unknown).await, 422, "Object does not exist");
    assert_rejected(git.update_ref(&main, &unknown).send().await, 422, "Object does not exist");
    assert_rejected(git.delete_ref(&main).await, 422, "Cannot delete the default branch");
    let body = json!({ "ref": "heads/short", "sha": tip });
    let short: octocrab::Result<Value> = mona.post("/repos/octo-org/refs/git/refs", Some(&body)).await;
    assert_rejected(short, 422, "Reference name must start with 'refs/'.");
}

#[tokio::test]
async fn empty_repository_has_no_refs() {
    let mona = with(MONA);
    let git = mona.git("octo-org", "empty");
    let main = Reference::Branch("main".into());
    assert_rejected(git.get_ref(&main).await, 409, "Git Repository is empty.");
    assert_rejected(git.list_matching_refs("heads").await, 409, "Git Repository is empty.");
    assert_rejected(git.create_ref(&main, "1".repeat(40)).await, 409, "Git Repository is empty.");
}

#[tokio::test]
async fn reader_gets_403_and_stranger_gets_404() {
    let tip = sha_of(&anonymous(), "main").await;
    let branch = Reference::Branch("crab/mine".into());
    let rejected = anonymous().git("octo-org", "refs").create_ref(&branch, &tip).await;
    assert_rejected(rejected, 401, "Requires authentication");
    let rejected = with(STRANGER).git("octo-org", "refs").create_ref(&branch, &tip).await;
    assert_rejected(rejected, 403, "Must have push access to repository");
    let rejected = with(HUBOT_READS).git("octo-org", "hello").create_ref(&branch, &tip).await;
    assert_rejected(rejected, 403, "Resource not accessible by personal access token");
    let hidden = with(STRANGER).git("octo-org", "secret").list_matching_refs("heads").await;
    assert_rejected(hidden, 404, "Not Found");
}

async fn sha_of(client: &Octocrab, branch: &str) -> String {
    let found = client.git("octo-org", "refs").get_ref(&Reference::Branch(branch.to_owned())).await.unwrap();
    sha(&found).to_owned()
}

fn sha(found: &Ref) -> &str {
    match &found.object {
        Object::Commit { sha, .. } => sha,
        other => panic!("a branch leads to a commit, not to {other:?}"),
    }
}

fn names(found: &[Ref]) -> Vec<&str> {
    found.iter().map(|found| found.ref_field.as_str()).collect()
}
