//! Hostile ref names.

use http::Method;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;

use super::{GIT, hubot, names, rocket, sha_of};

const NAMES: &[&str] = &[
    "-h",
    "--output=x",
    "heads/-x",
    "heads/--upload-pack=touch x",
    "a..b",
    "heads/a..b",
    "@{-1}",
    "heads/@{-1}",
    "HEAD~1",
    "heads/HEAD~1",
    "heads/x.lock",
    "x.lock",
    "heads/a\rb",
    "heads/a\nb",
    "heads/a\0b",
    "heads/\u{7f}",
    "heads/ ",
    "heads/a b",
    "heads/.a",
    "heads/a.",
    "heads//a",
    "/heads/a",
    "heads/a/",
    "heads/^",
    "heads/:",
    "heads/?",
    "heads/*",
    "heads/[",
    "heads/\\",
    "../../etc/passwd",
    "heads/../../x",
    "heads/.git/x/../y",
    "HEAD",
    "heads/@{u}",
    "'; drop table git_ref; --",
    "heads/%",
    "heads/${x}",
    "heads/$(touch x)",
    "heads/`id`",
    "heads/a;b",
    "\u{202e}",
    "\u{fffd}",
];

#[tokio::test]
async fn hostile_ref_names_never_return_500() {
    let service = rocket().await;
    let main = sha_of(&service, "heads/main").await;
    let long = ["heads/".to_owned() + &"x".repeat(2_000), "x/".repeat(1_200), "ü".repeat(400)];
    let all = NAMES.iter().map(|name| (*name).to_owned()).chain(long);
    for name in all {
        let encoded = utf8_percent_encode(&name, NON_ALPHANUMERIC).to_string();
        for (method, path, body, allowed) in [
            (Method::GET, format!("matching-refs/{encoded}"), json!({}), &[200][..]),
            (Method::GET, format!("ref/{encoded}"), json!({}), &[404]),
            (Method::GET, format!("refs/{encoded}"), json!({}), &[404]),
            (Method::PATCH, format!("refs/{encoded}"), json!({ "sha": main }), &[422]),
            (Method::DELETE, format!("refs/{encoded}"), json!({}), &[422]),
            (Method::POST, "refs".into(), json!({ "ref": name, "sha": main }), &[422]),
            (Method::POST, "refs".into(), json!({ "ref": format!("refs/{name}"), "sha": main }), &[201, 422]),
        ] {
            let response = hubot(&service).send(method.clone(), &format!("{GIT}/{path}"), body.to_string()).await;
            assert!(allowed.contains(&response.status), "{method} {name:?}: {response}");
            if response.status == 201 {
                hubot(&service).delete(&format!("{GIT}/refs/{encoded}")).await.expect(204);
            }
        }
    }
    assert_eq!(names(&hubot(&service).get(&format!("{GIT}/matching-refs/")).await).len(), 5);
}

#[tokio::test]
async fn overlong_and_non_utf8_ref_names_are_rejected() {
    let service = rocket().await;
    let long = "x".repeat(5_000);
    hubot(&service).get(&format!("{GIT}/ref/heads/{long}")).await.expect(404);
    hubot(&service).get(&format!("{GIT}/ref/heads/{}", "x".repeat(9_000))).await.expect(414);
    for path in ["ref/heads/%ff", "matching-refs/%ff%fe", "refs/heads/%c3%28"] {
        hubot(&service).get(&format!("{GIT}/{path}")).await.expect(404);
    }
    for path in ["commits", "trees", "blobs", "tags"] {
        for name in ["-h", "--all", "HEAD", "HEAD%7E1", "a..b", "%00", "@%7B-1%7D"] {
            let response = hubot(&service).get(&format!("{GIT}/{path}/{name}")).await;
            assert!([404, 422].contains(&response.status), "{path} {name}: {response}");
        }
    }
}
