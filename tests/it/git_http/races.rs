//! Concurrent and aborted pushes and fetches.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::host::{Host, OWNER};
use crate::support::wait::wait_until_async;

#[tokio::test]
async fn concurrent_pushes_to_one_branch_have_one_winner() {
    let host = Host::start().await;
    host.work("work", OWNER, "octo-org/hello", 1).await;
    host.git("work", &["push", "--quiet", "origin", "main"]).await.ok();
    let url = host.url(OWNER, "octo-org/hello");
    const CLONES: [&str; 4] = ["one", "two", "three", "four"];
    for clone in CLONES {
        host.git("", &["clone", "--quiet", &url, clone]).await.ok();
    }
    for round in 0..3 {
        let mut tips = Vec::new();
        for clone in CLONES {
            host.git(clone, &["fetch", "--quiet"]).await.ok();
            host.git(clone, &["reset", "--quiet", "--hard", "origin/main"]).await.ok();
            tips.push(host.commit(clone, clone, &format!("{round}")).await);
        }
        let [one, two, three, four] = CLONES.map(|clone| host.git(clone, &["push", "--porcelain", "origin", "main"]));
        let (one, two, three, four) = tokio::join!(one, two, three, four);
        let printed = [one, two, three, four];
        let winners: Vec<usize> = (0..printed.len()).filter(|index| printed[*index].success).collect();
        assert_eq!(winners.len(), 1, "{printed:#?}");
        assert_eq!(host.refs("octo-org/hello").await[0], format!("{} HEAD", tips[winners[0]]));
        for loser in printed.iter().filter(|printed| !printed.success) {
            let text = format!("{}{}", loser.out, loser.err);
            assert!(text.contains("fetch first"), "{text}");
        }
    }
    host.check_fresh_clone("octo-org/hello").await;
    host.assert_nothing_left();
}

/// A hand-written push that stops in the middle of its pack.
#[tokio::test]
async fn aborted_push_leaves_nothing() {
    let host = Host::start().await;
    host.work("work", OWNER, "octo-org/hello", 3).await;
    let tip = host.git("work", &["rev-parse", "HEAD"]).await.ok();
    let mut stream = TcpStream::connect(&host.address).await.expect("it listens");
    let line = format!("{} {tip} refs/heads/main\0report-status", "0".repeat(40));
    let head = format!(
        "POST /octo-org/hello.git/git-receive-pack HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {OWNER}\r\n\
         Content-Type: application/x-git-receive-pack-request\r\nContent-Length: 100000\r\n\r\n{:04x}{line}0000",
        line.len() + 4
    );
    stream.write_all(head.as_bytes()).await.expect("it reads");
    stream.write_all(b"PACK\0\0\0\x02\0\0\0\x03").await.expect("it reads");
    wait_until_async("the push has a quarantine", async || quarantines(&host) > 0).await;
    drop(stream);
    wait_until_async("the quarantine is removed", async || quarantines(&host) == 0).await;
    host.assert_nothing_left();
    assert_eq!(host.packs(), 0);
    assert_eq!(host.refs("octo-org/hello").await, [""; 0]);
    let (permits, all) = (&host.service.app.git_permits, host.service.app.settings.git.processes_max);
    wait_until_async("the permit is released", async || permits.available() == all).await;
}

pub fn quarantines(host: &Host) -> usize {
    let repositories = host.service.directory().join("data/repositories");
    let mut count = 0;
    for shard in std::fs::read_dir(repositories).expect("a directory") {
        for repository in std::fs::read_dir(shard.expect("a directory").path()).expect("a directory") {
            let quarantine = repository.expect("a directory").path().join("quarantine");
            count += std::fs::read_dir(quarantine).map_or(0, Iterator::count);
        }
    }
    count
}

/// A fetch whose client disconnects or stops reading keeps no process and no permit.
#[tokio::test]
async fn unread_fetch_ends() {
    let host = Host::with_settings(|settings| {
        settings.git.idle_timeout = std::time::Duration::from_secs(2);
    })
    .await;
    host.work("work", OWNER, "octo-org/hello", 1).await;
    let noise: String = (0..2_000_000u64).map(|n| format!("{:x}\n", n.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
    let tip = host.commit("work", "noise", &noise).await;
    host.git("work", &["push", "--quiet", "origin", "main"]).await.ok();
    let lines = ["command=fetch".to_owned(), format!("want {tip}"), "done".to_owned()];
    let [command, want, done] = lines.map(|line| format!("{:04x}{line}", line.len() + 4));
    let body = format!("{command}0001{want}{done}0000");
    let head = format!(
        "POST /octo-org/hello.git/git-upload-pack HTTP/1.1\r\nHost: x\r\nGit-Protocol: version=2\r\n\
         Content-Type: application/x-git-upload-pack-request\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let permits = &host.service.app.git_permits;
    let all = host.service.app.settings.git.processes_max;
    for goes_away in [false, true] {
        let mut stream = TcpStream::connect(&host.address).await.expect("it listens");
        stream.write_all(head.as_bytes()).await.expect("it reads");
        let mut some = [0; 4096];
        stream.read_exact(&mut some).await.expect("it responds");
        assert!(some.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&some));
        assert_eq!(permits.available(), all - 1);
        let stream = if goes_away { None } else { Some(stream) };
        wait_until_async("the permit is released", async || permits.available() == all).await;
        drop(stream);
    }
}
