mod support;

use std::sync::Mutex;
use std::time::Duration;

use plinth_test_tutorials::renewal::Renewing;
use serde_json::json;
use support::{client, server};

const HOUR: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn renewing_gets_a_new_token_when_the_old_one_has_expired() {
    let plinth = server();
    plinth.clock().freeze().unwrap();
    plinth.clock().set("2030-01-01T00:00:00Z").unwrap();
    let tokens = Mutex::new(vec![("ghp_second", "2030-01-01T16:00:00Z"), ("ghp_first", "2030-01-01T08:00:00Z")]);
    let create_client = async || {
        let (token, expires_at) = tokens.lock().unwrap().pop().unwrap();
        let entry = json!({ "kind": "classic", "user": "hubot", "token": token, "expires_at": expires_at });
        plinth.apply(&json!({ "tokens": [entry] }).to_string()).unwrap();
        client(&plinth, token)
    };

    let mut renewing = Renewing::new(create_client).await;
    for (hours, left) in [(0, 1), (7, 1), (2, 0)] {
        plinth.clock().advance(hours * HOUR).unwrap();
        let user = renewing.call(async |github| github.current().user().await).await.unwrap();
        assert_eq!((user.login.as_str(), tokens.lock().unwrap().len()), ("hubot", left));
    }
}
