//! Concurrent updates of one ref.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;

use super::{GIT, hubot, rocket, sha_of, text};
use crate::support::Tester;

/// A unique commit on top of `parent`.
async fn child_of(service: &crate::support::Service, parent: &str, message: &str) -> String {
    let base = hubot(service).get(&format!("{GIT}/commits/{parent}")).await.expect(200).json();
    let body = json!({ "message": message, "tree": base["tree"]["sha"], "parents": [parent] });
    text(&hubot(service).post(&format!("{GIT}/commits"), body).await.expect(201).json()["sha"])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_fast_forwards_have_one_winner_per_step() {
    let service = rocket().await;
    let mut tip = sha_of(&service, "heads/main").await;
    for step in 0..3 {
        let mut commits = Vec::new();
        for writer in 0..20 {
            commits.push(child_of(&service, &tip, &format!("{step} {writer}")).await);
        }
        let moves = commits.iter().map(|sha| {
            let client = hubot(&service);
            async move { client.patch(&format!("{GIT}/refs/heads/main"), json!({ "sha": sha })).await }
        });
        let responses = join_all(moves).await;
        let winners: Vec<_> = responses.iter().filter(|response| response.status == 200).collect();
        assert_eq!(winners.len(), 1, "one step, one winner");
        for loser in responses.iter().filter(|response| response.status != 200) {
            assert_eq!((loser.status, loser.message().as_str()), (422, "Update is not a fast forward"));
        }
        let next = sha_of(&service, "heads/main").await;
        assert_eq!(winners[0].json()["object"]["sha"], next.as_str());
        tip = next;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_creates_and_deletes_have_one_winner() {
    let service = rocket().await;
    let main = sha_of(&service, "heads/main").await;
    let made =
        join_all(
            (0..20).map(|_| {
                let (client, main) = (hubot(&service), main.clone());
                async move {
                    client.post(&format!("{GIT}/refs"), json!({ "ref": "refs/heads/once", "sha": main })).await.status
                }
            }),
        )
        .await;
    assert_eq!(made.iter().filter(|status| **status == 201).count(), 1);
    assert_eq!(made.iter().filter(|status| **status == 422).count(), 19);
    let gone = join_all((0..20).map(|_| {
        let client = hubot(&service);
        async move { client.delete(&format!("{GIT}/refs/heads/once")).await.status }
    }))
    .await;
    assert_eq!(gone.iter().filter(|status| **status == 204).count(), 1);
    assert_eq!(gone.iter().filter(|status| **status == 422).count(), 19);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_forced_updates_all_succeed_and_last_wins() {
    let service = rocket().await;
    let (main, side) = (sha_of(&service, "heads/main").await, sha_of(&service, "heads/side").await);
    let moves = (0..20).map(|number| {
        let (client, sha) = (hubot(&service), if number % 2 == 0 { main.clone() } else { side.clone() });
        async move { client.patch(&format!("{GIT}/refs/heads/feature"), json!({ "sha": sha, "force": true })).await }
    });
    for response in join_all(moves).await {
        response.expect(200);
    }
    let last = sha_of(&service, "heads/feature").await;
    assert!(last == main || last == side);
}

/// More writers than attempts of one of them. Another one holds the database again and again, so that they all have read the ref when
/// the next of them may write: if only one of them moved it each time, some would never do.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_forced_update_starves_among_many() {
    const WRITERS: usize = 120;
    const HELD: Duration = Duration::from_millis(12);
    let service = rocket().await;
    let main = sha_of(&service, "heads/main").await;
    let made = (0..WRITERS).map(|writer| {
        let (service, main) = (&service, &main);
        async move { child_of(service, main, &format!("forced {writer}")).await }
    });
    let commits = join_all(made).await;
    let elsewhere = service.store_elsewhere().await;
    let holder = tokio::spawn(async move {
        loop {
            let held = elsewhere.write(Tester, (), |tx, ()| {
                Box::pin(async move {
                    tx.execute("update setting set value = value where name = ''", &[]).await?;
                    std::thread::sleep(HELD);
                    Ok(())
                })
            });
            held.await.expect("the database can be written to");
            tokio::time::sleep(HELD / 3).await;
        }
    });
    let moves = commits.iter().map(|sha| {
        let client = hubot(&service);
        async move { client.patch(&format!("{GIT}/refs/heads/feature"), json!({ "sha": sha, "force": true })).await }
    });
    let responses = join_all(moves).await;
    holder.abort();
    responses.into_iter().for_each(|response| drop(response.expect(200)));
    assert!(commits.contains(&sha_of(&service, "heads/feature").await));
}
