//! Names of new refs.

use serde_json::json;

use super::{GIT, hubot, rocket, sha_of};

#[tokio::test]
async fn create_ref_rejects_names_that_look_like_ids_or_full_names() {
    let service = rocket().await;
    let main = sha_of(&service, "heads/main").await;
    for name in [format!("refs/heads/{main}"), format!("refs/tags/{main}"), "refs/heads/refs/heads/x".into()] {
        let response = hubot(&service).post(&format!("{GIT}/refs"), json!({ "ref": name, "sha": main })).await;
        assert_eq!((response.status, response.message()), (422, format!("{name} is not a valid ref name.")));
    }
}
