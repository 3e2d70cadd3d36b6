//! Rights that are revoked while a request is in flight: refs are not updated without the right.

use std::sync::LazyLock;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::host::{Host, OWNER};
use super::hostile::pack;
use super::races::quarantines;
use crate::support::Tester;
use crate::support::fixtures::StateFile;
use crate::support::wait::wait_until_async;
use plinth_store::Value;

/// An installation that may push and change workflows, and a user who may push.
static MORE: LazyLock<String> = LazyLock::new(|| {
    StateFile::default()
        .users(&["hubot"])
        .repo("octo-org/hello", "collaborators: [{ user: hubot, permission: write }]")
        .repo("octo-org/other", "")
        .app("helper", "octo-org", "contents: write, workflows: write", "")
        .installation("helper", "octo-org", "[octo-org/hello, octo-org/other]")
        .installation_token("helper", "octo-org", "ghs_helper")
        .classic("hubot", "repo, workflow", "ghp_hubot")
        .to_string()
});

/// A statement that revokes a right, one that restores it, and the status of the push.
struct Case {
    what: &'static str,
    token: &'static str,
    statement: &'static str,
    undo: &'static str,
    status: u16,
}

const CASES: &[Case] = &[
    Case {
        what: "the installation is suspended",
        token: "ghs_helper",
        statement: "update installation set suspended_at = 1",
        undo: "update installation set suspended_at = null",
        status: 403,
    },
    Case {
        what: "the installation may only read from now on",
        token: "ghs_helper",
        statement: "update installation set permissions = '{\"contents\":\"read\",\"workflows\":\"write\"}'",
        undo: "update installation set permissions = '{\"contents\":\"write\",\"workflows\":\"write\"}'",
        status: 403,
    },
    Case {
        what: "the installation may change workflows no more",
        token: "ghs_helper",
        statement: "update installation set permissions = '{\"contents\":\"write\"}'",
        undo: "update installation set permissions = '{\"contents\":\"write\",\"workflows\":\"write\"}'",
        status: 403,
    },
    Case {
        what: "the repository is taken out of the installation",
        token: "ghs_helper",
        statement: "delete from installation_repo where repo_id = 1",
        undo: "insert into installation_repo (installation_id, repo_id) values (1, 1)",
        status: 403,
    },
    Case {
        what: "the installation is deleted, and its tokens with it",
        token: "ghs_helper",
        statement: "update token set ended_at = 1 where installation_id is not null",
        undo: "update token set ended_at = null where installation_id is not null",
        status: 401,
    },
    Case {
        what: "the collaborator may only read from now on",
        token: "ghp_hubot",
        statement: "update collaborator set permission = 'read'",
        undo: "update collaborator set permission = 'write'",
        status: 403,
    },
    Case {
        what: "the collaborator is no more",
        token: "ghp_hubot",
        statement: "delete from collaborator",
        undo: "insert into collaborator (repo_id, user_id, permission) select 1, id, 'write' from account where login = 'hubot'",
        status: 403,
    },
    Case {
        what: "the token is revoked",
        token: OWNER,
        statement: "update token set ended_at = 1 where installation_id is null",
        undo: "update token set ended_at = null",
        status: 401,
    },
    Case {
        what: "the repository is archived",
        token: OWNER,
        statement: "update repo set archived = true where id = 1",
        undo: "update repo set archived = false where id = 1",
        status: 403,
    },
];

async fn execute(host: &Host, statement: &'static str) {
    let done = host.service.store.write(Tester, (), move |tx, ()| {
        Box::pin(async move {
            let none: &[Value<'_>] = &[];
            Ok(tx.execute(statement, none).await?)
        })
    });
    assert!(done.await.expect("the store accepts it") > 0, "{statement}");
}

/// Sends a request whose last bytes follow after `meanwhile`.
async fn slowly(host: &Host, head: &str, body: &[u8], meanwhile: impl AsyncFnOnce()) -> String {
    let mut stream = TcpStream::connect(&host.address).await.expect("it listens");
    let head = format!("{head}\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).await.expect("it reads");
    stream.write_all(&body[..body.len() - 5]).await.expect("it reads");
    meanwhile().await;
    stream.write_all(&body[body.len() - 5..]).await.expect("it reads");
    let mut response = String::new();
    stream.read_to_string(&mut response).await.expect("text");
    response
}

/// Pushes one branch in the same way.
async fn push_slowly(host: &Host, sent: &(Vec<u8>, String), token: &str, meanwhile: impl AsyncFnOnce()) -> String {
    let (pack, tip) = sent;
    let line = format!("{} {tip} refs/heads/main\0report-status", "0".repeat(40));
    let mut body = format!("{:04x}{line}0000", line.len() + 4).into_bytes();
    body.extend_from_slice(pack);
    let head = format!(
        "POST /octo-org/hello.git/git-receive-pack HTTP/1.1\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/x-git-receive-pack-request"
    );
    slowly(host, &head, &body, async || {
        wait_until_async("the push has a quarantine", async || quarantines(host) > 0).await;
        meanwhile().await;
    })
    .await
}

#[tokio::test]
async fn push_fails_when_right_is_revoked_during_pack() {
    let host = Host::start().await;
    host.service.apply(&MORE).await;
    let sent = pack(&host, 3).await;
    for case in CASES {
        let response = push_slowly(&host, &sent, case.token, async || execute(&host, case.statement).await).await;
        assert!(response.starts_with(&format!("HTTP/1.1 {}", case.status)), "{}: {response}", case.what);
        execute(&host, case.undo).await;
        assert_eq!(host.refs("octo-org/hello").await, [""; 0], "{}", case.what);
        host.assert_nothing_left();
    }
    let response = push_slowly(&host, &sent, "ghs_helper", async || {}).await;
    assert!(response.starts_with("HTTP/1.1 200") && response.contains("ok refs/heads/main"), "{response}");
}

#[tokio::test]
async fn request_fails_when_right_is_revoked_during_body() {
    let host = Host::start().await;
    host.service.apply(&MORE).await;
    host.work("work", OWNER, "octo-org/hello", 2).await;
    host.git("work", &["push", "--quiet", "origin", "main", "main:topic"]).await.ok();
    let tip = host.git("work", &["rev-parse", "HEAD~1"]).await.ok();
    let before = host.refs("octo-org/hello").await;
    let requests = [
        ("POST /repos/octo-org/hello/git/refs", format!("{{\"ref\":\"refs/heads/new\",\"sha\":\"{tip}\"}}")),
        ("PATCH /repos/octo-org/hello/git/refs/heads/topic", format!("{{\"sha\":\"{tip}\",\"force\":true}}")),
    ];
    // These commits change no workflow, so that right does not apply.
    for case in CASES.iter().filter(|case| !case.what.contains("workflows")) {
        for (request, body) in &requests {
            let head = format!("{request} HTTP/1.1\r\nAuthorization: Bearer {}", case.token);
            let response = slowly(&host, &head, body.as_bytes(), async || {
                wait_until_async("the request is in flight", async || host.service.requests_in_flight() > 0).await;
                execute(&host, case.statement).await;
            })
            .await;
            assert!(
                response.starts_with(&format!("HTTP/1.1 {}", case.status)),
                "{request} while {}: {response}",
                case.what
            );
            execute(&host, case.undo).await;
        }
    }
    assert_eq!(host.refs("octo-org/hello").await, before);
}
