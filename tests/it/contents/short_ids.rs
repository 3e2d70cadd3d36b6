//! Abbreviated commit ids.

use serde_json::json;

use super::{Fixture, REPO};

/// Two commits on `main`.
const STREAM: &str = "reset refs/heads/main\n\
    commit refs/heads/main\nmark :1\ncommitter A <a@example.com> 1 +0000\ndata 1\n1\nM 100644 inline file\ndata 2\n1\n\n\
    commit refs/heads/main\nmark :2\ncommitter A <a@example.com> 2 +0000\ndata 1\n2\nM 100644 inline file\ndata 2\n2\n\n";

#[tokio::test]
async fn short_id_names_its_commit_wherever_a_ref_does() {
    let fixture = Fixture::new(STREAM).await;
    let (first, second) = (fixture.sha("main~1"), fixture.sha("main"));
    for short in [&first[..7], &first[..39], &first[..9].to_uppercase()] {
        let shown = fixture.get(&format!("/commits/{short}")).await.expect(200).json();
        assert_eq!(shown["sha"], first, "{short}");
        let listed = fixture.get(&format!("/commits?sha={short}")).await.expect(200).json();
        assert_eq!((listed.as_array().map(Vec::len), &listed[0]["sha"]), (Some(1), &json!(first)));
        let file = fixture.get(&format!("/contents/file?ref={short}")).await.expect(200).json();
        assert_eq!(file["sha"], fixture.sha("main~1:file"));
        let compared = fixture.get(&format!("/compare/{short}...{}", &second[..8])).await.expect(200).json();
        assert_eq!((&compared["total_commits"], &compared["base_commit"]["sha"]), (&json!(1), &json!(first)));
    }
}

#[tokio::test]
async fn short_id_of_an_object_that_is_in_no_pack_is_found() {
    let fixture = Fixture::new(STREAM).await;
    let mona = fixture.service.with_token("ghp_mona");
    let body = json!({ "message": "m", "tree": fixture.sha("main^{tree}"), "parents": [fixture.sha("main")] });
    let made = mona.post(&format!("{REPO}/git/commits"), body).await.expect(201).json()["sha"].clone();
    let short = &made.as_str().expect("an id")[..10];
    assert_eq!(fixture.get(&format!("/commits/{short}")).await.expect(200).json()["sha"], made);
}

#[tokio::test]
async fn text_that_is_no_unique_id_is_not_found() {
    let fixture = Fixture::new(STREAM).await;
    let main = fixture.sha("main");
    let other = if main.starts_with('0') { "1111111" } else { "0000000" };
    for text in [&main[..3], other, "zzzzzzz", &format!("{main}0")] {
        fixture.get(&format!("/commits/{text}")).await.expect(422);
        fixture.get(&format!("/contents/file?ref={text}")).await.expect(404);
    }
    fixture.get(&format!("/commits/{}", &fixture.sha("main:file")[..8])).await.expect(422);
}

#[tokio::test]
async fn branch_takes_precedence_over_a_short_id() {
    let fixture = Fixture::new(STREAM).await;
    let (first, second) = (fixture.sha("main~1"), fixture.sha("main"));
    let body = json!({ "ref": format!("refs/heads/{}", &first[..7]), "sha": second });
    fixture.service.with_token("ghp_mona").post(&format!("{REPO}/git/refs"), body).await.expect(201);
    assert_eq!(fixture.get(&format!("/commits/{}", &first[..7])).await.expect(200).json()["sha"], second);
}
