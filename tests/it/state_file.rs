//! The state file: what it makes, that it makes it once, and what it says about mistakes.

use std::path::Path;

use expect_test::expect;
use plinth::state_file::State;
use plinth_base::error::Error;

use crate::support::Service;

const WORLD: &str = "\
users:
  - { login: mona, name: Mona Lisa }
  - { login: hubot }
orgs:
  - login: Octo-Org
    members: [{ user: mona, role: admin }, { user: hubot, role: member }]
repos:
  - name: octo-org/hello
    collaborators: [{ user: hubot, permission: write }]
  - { name: mona/notes, private: true }
apps:
  - { slug: helper, owner: octo-org, permissions: { contents: write }, events: [push], private_key_file: helper.pem }
installations:
  - { app: helper, account: octo-org, repositories: [octo-org/hello] }
tokens:
  - { kind: classic, user: mona, scopes: [repo], token: ghp_monaclassic }
  - { kind: fine_grained, user: hubot, owner: octo-org, repositories: all, permissions: { contents: read } }
  - { kind: app_user, app: helper, user: mona }
  - { kind: oauth, user: mona, scopes: [repo] }
  - { kind: installation, app: helper, account: octo-org }
";

#[tokio::test]
async fn a_file_is_made_real_and_a_second_time_changes_nothing() {
    let service = Service::with("").await;
    let apply = async || {
        let state = State::parse(WORLD, service.folder()).expect("the file is good");
        state.apply(&service.store, &service.app.repositories, service.app.clock.now()).await.expect("it applies")
    };
    let first = apply().await;
    expect![[r#"
        [
            "user mona",
            "user hubot",
            "organization Octo-Org",
            "member mona of Octo-Org",
            "member hubot of Octo-Org",
            "repository octo-org/hello",
            "collaborator hubot of octo-org/hello",
            "repository mona/notes",
            "app helper (id 1)",
            "installation of helper on Octo-Org (id 1)",
            "token classic of mona [repo]",
            "token fine_grained of hubot on Octo-Org {\"contents\":\"read\",\"metadata\":\"read\"}",
            "token app_user of mona through helper",
            "token oauth of mona [repo]",
            "token installation of helper on Octo-Org {\"contents\":\"write\",\"metadata\":\"read\"}",
        ]
    "#]]
    .assert_debug_eq(&first.created);
    assert_eq!(first.secrets.len(), 5);
    for (what, secret) in &first.secrets {
        let client = service.with_token(secret.reveal());
        client.get("/repos/octo-org/hello").await.expect(200);
        assert!(!format!("{secret:?}").contains(secret.reveal()), "{what}");
    }

    let second = apply().await;
    assert_eq!((second.created.len(), second.changed.len(), second.secrets.len()), (0, 0, 0), "{second}");
    assert_eq!(second.unchanged, first.created.len());
}

#[tokio::test]
async fn what_differs_is_changed_and_keeps_its_number() {
    let service = Service::with("users: [{ login: mona }]\nrepos: [{ name: mona/notes }]").await;
    let before = service.anonymous().get("/repos/mona/notes").await.expect(200).json();
    service.apply("users: [{ login: MONA, name: Mona }]\nrepos: [{ name: mona/Notes, description: Mine }]").await;
    let after = service.anonymous().get("/repos/mona/notes").await.expect(200).json();
    assert_eq!(before["id"], after["id"]);
    assert_eq!(after["description"], "Mine");
    assert_eq!(after["full_name"], "mona/notes", "names keep the case in which they were first written");
    assert_eq!(service.anonymous().get("/users/mona").await.expect(200).json()["name"], "Mona");
}

#[tokio::test]
async fn a_key_is_made_beside_the_file_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let service = Service::with(WORLD).await;
    let path = service.folder().join("helper.pem");
    let text = std::fs::read_to_string(&path).expect("the key was made");
    assert!(text.starts_with("-----BEGIN PRIVATE KEY-----"));
    assert_eq!(path.metadata().expect("it exists").permissions().mode() & 0o777, 0o600);
}

/// Applies to a store that must stay as it was, and returns the complaint.
async fn complaint(text: &str) -> String {
    let service = Service::with("users: [{ login: mona }]").await;
    let outcome = match State::parse(text, Path::new("/nonexistent")) {
        Ok(state) => {
            let applied = state.apply(&service.store, &service.app.repositories, service.app.clock.now()).await;
            applied.map(|report| report.to_string())
        }
        Err(error) => Err(error),
    };
    service.anonymous().get("/users/newcomer").await.expect(404);
    match outcome {
        Err(Error::BadRequest(message)) => message,
        other => panic!("expected a complaint, got {other:?}"),
    }
}

#[tokio::test]
async fn mistakes_are_told_with_line_and_field_and_change_nothing() {
    for (text, line, word) in [
        ("users:\n  - { login: newcomer }\n  - { login: a--b }", "line 3", "users.login"),
        ("users: [{ login: newcomer }]\nrepos:\n  - { name: nobody/x }", "line 3", "repos.name"),
        ("users: [{ login: newcomer }]\nrepos:\n  - { name: mona }", "line 3", "owner/name"),
        ("users: [{ login: newcomer }]\nrepos:\n  - { name: mona/a.git }", "line 3", "reserved"),
        (
            "users: [{ login: newcomer }]\norgs:\n  - login: o\n    members: [{ user: x, role: admin }]",
            "line 4",
            "orgs.members.user",
        ),
        ("users: [{ login: newcomer }]\norgs: [{ login: mona }]", "line 2", "no organization"),
        ("users: [{ login: newcomer }]\ntokens:\n  - { kind: classic }", "line 3", "tokens.user"),
        ("users: [{ login: newcomer }]\ntokens:\n  - { kind: classic, user: mona, token: wrong }", "line 3", "ghp_"),
        (
            "users: [{ login: newcomer }]\ninstallations:\n  - { app: none, account: mona, repositories: all }",
            "line 3",
            "installations.app",
        ),
        ("users: [{ login: newcomer }]\nusers2: []", "line 2", "users2"),
        ("users: [{ login: newcomer, age: 3 }]", "line 1", "age"),
        ("users: [{ login: newcomer }]\norgs: [{ login: o, members: [{ user: mona, role: king }] }]", "line 2", "king"),
        ("users: [{ login: newcomer", "line 1", ""),
        ("- 1", "line 1", ""),
    ] {
        let message = complaint(text).await;
        assert!(message.contains(line) && message.contains(word), "{text}\n→ {message}");
        assert!(!message.contains("token: wrong"), "a token does not belong into a message: {message}");
    }
}

#[tokio::test]
async fn an_installation_has_at_most_what_its_app_asks_for() {
    let message = complaint(
        "apps: [{ slug: helper, owner: mona, permissions: { contents: read } }]\n\
         installations: [{ app: helper, account: mona, repositories: all, permissions: { contents: write } }]",
    )
    .await;
    assert!(message.contains("at most the permissions of its app"), "{message}");
}
