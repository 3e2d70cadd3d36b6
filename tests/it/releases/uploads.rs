//! Uploads: limits, names, and what broken ones leave.

use std::io;

use bytes::Bytes;
use futures_util::stream;
use plinth_api::settings::Settings;
use plinth_core::releases::assets::remove_leftovers;

use super::*;
use crate::support::wait::wait_until_async;

const CHUNKS: &str = "select count(*) from release_asset_chunk";

#[tokio::test]
async fn file_above_the_limit_is_rejected() {
    let settings = Settings { release_asset_bytes_max: 300_000, ..Settings::default() };
    let files = [("a", Some("2\n"))];
    let fixture = PullRequestFixture::with_settings(&[("a", "1\n")], &files, Some(settings)).await;
    let release = create(&fixture, json!({ "tag_name": "v1" })).await;
    upload(&fixture, &release, "name=a", vec![0; 300_000]).await.expect(201);
    upload(&fixture, &release, "name=b", vec![0; 300_001]).await.expect(413);
    let announced = fixture.user("hubot").header("content-length", "300001");
    announced.send(Method::POST, &format!("{RELEASES}/1/assets?name=b"), Body::empty()).await.expect(413);
    let list = fixture.user("hubot").get(&format!("{RELEASES}/1/assets")).await.expect(200).json();
    assert_eq!(list.as_array().map(Vec::len), Some(1));
    remove_leftovers(&fixture.service.app).await.expect("the store accepts it");
    assert_eq!(count(&fixture, CHUNKS).await, 2);
}

#[tokio::test]
async fn file_needs_a_free_name() {
    let fixture = fixture().await;
    let release = create(&fixture, json!({ "tag_name": "v1" })).await;
    let missing = upload(&fixture, &release, "", "bytes").await;
    assert_eq!(
        errors(&missing),
        json!([422, [{ "resource": "ReleaseAsset", "code": "missing_field", "field": "name" }]])
    );
    upload(&fixture, &release, "name=a%20b", "").await.expect(201);
    let taken = upload(&fixture, &release, "name=a.b", "bytes").await;
    assert_eq!(
        errors(&taken),
        json!([422, [{ "resource": "ReleaseAsset", "code": "already_exists", "field": "name" }]])
    );
    upload(&fixture, &json!({ "id": 99 }), "name=a", "bytes").await.expect(404);
    fixture.user("guest").send(Method::POST, &format!("{RELEASES}/1/assets?name=c"), "bytes").await.expect(403);
    // The path of GitHub Enterprise Server.
    let path = "/api/uploads/repos/acme/rocket/releases/1/assets?name=c";
    fixture.user("hubot").send(Method::POST, path, "bytes").await.expect(201);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_uploads_of_one_name_succeed_once() {
    let fixture = fixture().await;
    let release = create(&fixture, json!({ "tag_name": "v1" })).await;
    let uploads = (0..6).map(|number| upload(&fixture, &release, "name=a", vec![number; 300_000]));
    let statuses: Vec<u16> =
        futures_util::future::join_all(uploads).await.iter().map(|response| response.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [201, 422].contains(status)), "{statuses:?}");
}

#[tokio::test]
async fn broken_upload_is_never_visible_and_is_removed() {
    let fixture = fixture().await;
    let release = create(&fixture, json!({ "tag_name": "v1" })).await;
    let pieces = [Ok(Bytes::from(vec![0; 300_000])), Err(io::Error::from(io::ErrorKind::ConnectionReset))];
    upload(&fixture, &release, "name=a", Body::from_stream(stream::iter(pieces))).await.expect(400);
    assert_eq!(fixture.user("hubot").get(&format!("{RELEASES}/1/assets")).await.expect(200).json(), json!([]));
    remove_leftovers(&fixture.service.app).await.expect("the store accepts it");
    assert_eq!(count(&fixture, CHUNKS).await, 0);
    upload(&fixture, &release, "name=a", "bytes").await.expect(201);
}

/// The client disconnects, so that nothing can be written for the request any more.
#[tokio::test]
async fn abandoned_upload_is_removed_after_an_hour() {
    let fixture = fixture().await;
    let release = create(&fixture, json!({ "tag_name": "v1" })).await;
    let first = stream::iter([Ok::<_, io::Error>(Bytes::from(vec![0; 300_000]))]);
    let body = Body::from_stream(stream::StreamExt::chain(first, stream::pending()));
    let begun = async || count(&fixture, CHUNKS).await == 1;
    tokio::select! {
        response = upload(&fixture, &release, "name=a", body) => panic!("it never ends: {response}"),
        () = wait_until_async("the first chunk is stored", begun) => {}
    }
    let list = async || fixture.user("hubot").get(&format!("{RELEASES}/1/assets")).await.expect(200).json();
    assert_eq!(list().await, json!([]));
    fixture.service.advance(3_000);
    remove_leftovers(&fixture.service.app).await.expect("the store accepts it");
    assert_eq!(count(&fixture, CHUNKS).await, 1, "it may still run");
    fixture.service.advance(601);
    remove_leftovers(&fixture.service.app).await.expect("the store accepts it");
    assert_eq!(count(&fixture, CHUNKS).await, 0);
    assert_eq!(count(&fixture, "select count(*) from release_asset").await, 0);
    assert_eq!(list().await, json!([]));
}
