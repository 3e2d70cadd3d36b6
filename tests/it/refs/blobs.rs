//! Blobs: encodings of new ones, and the raw media type.

use serde_json::json;

use super::{GIT, hubot, mona, rocket, text};

#[tokio::test]
async fn every_encoding_other_than_base64_means_utf_8() {
    let service = rocket().await;
    let create = async |body| {
        let created = hubot(&service).post(&format!("{GIT}/blobs"), body).await.expect(201);
        text(&created.json()["sha"])
    };
    let expected = create(json!({ "content": "Blòb" })).await;
    for encoding in ["utf-8", "", "latin1"] {
        assert_eq!(create(json!({ "content": "Blòb", "encoding": encoding })).await, expected, "{encoding}");
    }
    for content in ["QmzDsmI=", "QmzDsmI", "Qmz\nDsm\r\nI=\n", "Qm zDsmI==="] {
        assert_eq!(create(json!({ "content": content, "encoding": "base64" })).await, expected, "{content}");
    }
}

#[tokio::test]
async fn raw_media_type_returns_content_of_small_and_large_blobs() {
    let service = rocket().await;
    for size in [10, 600_000] {
        let content: String = (b'a'..=b'w').cycle().take(size).map(char::from).collect();
        let created = hubot(&service).post(&format!("{GIT}/blobs"), json!({ "content": content })).await.expect(201);
        let path = format!("{GIT}/blobs/{}", text(&created.json()["sha"]));
        for accept in ["application/vnd.github.raw", "application/vnd.github.v3.raw", "application/vnd.github.raw+json"]
        {
            let raw = mona(&service).header("accept", accept).get(&path).await.expect(200);
            assert_eq!(raw.header("content-type"), Some("application/vnd.github.raw; charset=utf-8"));
            assert_eq!(raw.body, content.as_bytes(), "{size} bytes");
        }
        assert_eq!(mona(&service).get(&path).await.expect(200).json()["size"], size);
    }
}
