//! Nobody finds a deleted repository, although all of its rows still exist.

use plinth_base::ids::RepoId;
use serde_json::{Value, json};

use super::{Created, DELETES, OTHER, ROCKET, count, fixture, mark};
use crate::support::pull_request::{COMMENTS, PULL};

/// The names in a list of repositories, and the total that it reports.
fn names(list: &Value) -> (Vec<&str>, &Value) {
    let repositories = list["repositories"].as_array().expect("a list of repositories");
    (repositories.iter().filter_map(|repo| repo["name"].as_str()).collect(), &list["total_count"])
}

/// Paths that find the repository or something in it.
fn paths(created: &Created) -> Vec<String> {
    let Created { comment, review, head, .. } = created;
    vec![
        "/repos/acme/rocket".to_owned(),
        "/repos/acme/rocket/git/ref/heads/main".to_owned(),
        "/repos/acme/rocket/git/matching-refs/heads".to_owned(),
        format!("/repos/acme/rocket/git/commits/{head}"),
        "/repos/acme/rocket/pulls".to_owned(),
        PULL.to_owned(),
        format!("{PULL}/files"),
        format!("{PULL}/reviews/{review}"),
        COMMENTS.to_owned(),
        "/repos/acme/rocket/pulls/comments".to_owned(),
        format!("/repos/acme/rocket/pulls/comments/{comment}"),
        "/acme/rocket.git/info/refs?service=git-upload-pack".to_owned(),
    ]
}

#[tokio::test]
async fn deleted_repository_is_not_found_by_name_or_by_anything_in_it() {
    let (fixture, created) = fixture().await;
    let paths = paths(&created);
    for path in &paths {
        fixture.user("mona").get(path).await.expect(200);
    }
    mark(&fixture.service, ROCKET).await;
    for path in paths.iter().map(String::as_str).chain(["/repos/acme/DELETED-1", "/repos/acme/deleted-1"]) {
        for login in ["mona", "hubot", "guest"] {
            fixture.user(login).get(path).await.expect(404);
        }
    }
    assert!(count(&fixture.service.store, ROCKET).await > 10, "its rows still exist");
    fixture.user("mona").get("/repos/acme/other/pulls/1").await.expect(200);
}

#[tokio::test]
async fn deleted_repository_is_not_in_lists_and_counts() {
    let (fixture, created) = fixture().await;
    let thread = format!("/notifications/threads/{}", created.notification);
    let public = async || fixture.user("mona").get("/orgs/acme").await.expect(200).json()["public_repos"].as_i64();
    assert_eq!(public().await, Some(2));
    fixture.user("mona").get(&thread).await.expect(200);
    mark(&fixture.service, ROCKET).await;

    assert_eq!(public().await, Some(1));
    for login in ["mona", "hubot"] {
        let list = fixture.user(login).get("/notifications?all=true").await.expect(200).json();
        let names = list.as_array().expect("a list").iter().map(|one| one["repository"]["name"].clone());
        assert!(names.clone().all(|name| name == "other"), "{login}: {:?}", names.collect::<Vec<_>>());
    }
    fixture.user("mona").get(&thread).await.expect(404);
    let mut db = fixture.service.store.read().await.expect("the store can be read");
    let listed = plinth_core::repos::store::list(&mut db, 10).await.expect("the store can be read");
    assert_eq!(listed.iter().map(|repo| repo.id).collect::<Vec<_>>(), [OTHER]);
    let maintained = plinth_core::objects::store::list_repos(&mut db, RepoId(0), 10).await;
    let maintained = maintained.expect("the store can be read");
    assert_eq!(maintained.iter().map(|repo| repo.repo).collect::<Vec<_>>(), [OTHER]);
}

#[tokio::test]
async fn installations_do_not_have_deleted_repository() {
    let (fixture, _) = fixture().await;
    let client = |token: &str| fixture.service.with_token(token);
    mark(&fixture.service, ROCKET).await;
    for (token, left) in [("ghs_some0000", &["other"][..]), ("ghs_all00000", &["other"]), ("ghs_narrow00", &[])] {
        let list = client(token).get("/installation/repositories").await.expect(200).json();
        assert_eq!(names(&list), (left.to_vec(), &json!(left.len())), "{token}");
        client(token).get("/repos/acme/rocket").await.expect(404);
    }
    let of_user = client("ghu_monasome").get("/user/installations/1/repositories").await.expect(200).json();
    assert_eq!(names(&of_user), (vec!["other"], &json!(1)));
    // Hubot saw the installation only because of the role in the deleted repository.
    let seen = client("ghu_hubotall").get("/user/installations").await.expect(200).json();
    assert_eq!((&seen["installations"], &seen["total_count"]), (&json!([]), &json!(0)));
    client("ghp_mona").put("/user/installations/1/repositories/1").await.expect(404);
    let last = client("ghp_mona").delete("/user/installations/1/repositories/2").await.expect(422);
    assert!(last.message().starts_with("This is the last repository"), "{last}");
}

#[tokio::test]
async fn name_of_deleted_repository_is_free_and_new_repository_is_empty() {
    let (fixture, created) = fixture().await;
    mark(&fixture.service, ROCKET).await;
    let mona = fixture.user("mona");
    let new = mona.post("/orgs/acme/repos", json!({ "name": "Rocket" })).await.expect(201).json();
    assert_eq!(new["full_name"], "acme/Rocket");
    assert!(new["id"].as_i64() > Some(OTHER.0), "ids are not reused");
    let refs = mona.get("/repos/acme/rocket/git/matching-refs/").await.expect(409);
    assert_eq!(refs.message(), "Git Repository is empty.");
    for list in ["pulls?state=all", "pulls/comments"] {
        assert_eq!(mona.get(&format!("/repos/acme/rocket/{list}")).await.expect(200).json(), json!([]), "{list}");
    }
    mona.get(&format!("/repos/acme/rocket/pulls/comments/{}", created.comment)).await.expect(404);
    mona.get(&format!("/repos/acme/rocket/git/commits/{}", created.head)).await.expect(409);
    mona.get(PULL).await.expect(404);
    fixture.user("hubot").post("/repos/acme/rocket/git/blobs", json!({ "content": "a" })).await.expect(403);
    fixture.service.with_token(DELETES).delete("/repos/acme/rocket").await.expect(204);
    mona.get("/repos/acme/rocket").await.expect(404);
}
