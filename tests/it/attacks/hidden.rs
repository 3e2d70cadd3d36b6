//! Requests for hidden and for missing resources do the same work, so that their times do not differ.

use super::support::{METRICS, Victim};

const STATE: &str = "
users: [{ login: mona }, { login: hubot }, { login: victor }, { login: mallory }]
orgs:
  - { login: octo-org, members: [{ user: mona, role: admin }, { user: hubot, role: member }] }
  - { login: other-org, members: [{ user: mallory, role: admin }] }
repos:
  - { name: octo-org/open, commits: [{ branch: main, author: mona, message: one, files: { a.txt: \"1\" } }] }
  - { name: octo-org/secret, private: true, commits: [{ branch: main, author: mona, message: one, files: { a.txt: \"1\" } }] }
  - { name: other-org/mine, private: true }
projects:
  - { owner: octo-org, title: Secret }
apps:
  - { slug: everywhere, owner: octo-org, permissions: { contents: write, organization_projects: write } }
  - { slug: selecting, owner: octo-org, permissions: { contents: write, organization_projects: write } }
  - { slug: nowhere, owner: octo-org, permissions: { contents: write } }
installations:
  - { app: everywhere, account: octo-org, repositories: all }
  - { app: everywhere, account: other-org, repositories: all }
  - { app: selecting, account: octo-org, repositories: [octo-org/open] }
  - { app: selecting, account: other-org, repositories: [other-org/mine] }
tokens:
  - { kind: classic, user: mallory, scopes: [repo, project], token: ghp_mallory0 }
  - { kind: classic, user: mona, scopes: [public_repo], token: ghp_narrow00 }
  - { kind: oauth, user: mallory, scopes: [repo, project], token: gho_mallory0 }
  - { kind: fine_grained, user: mallory, owner: other-org, repositories: all, permissions: { contents: write }, token: github_pat_all }
  - { kind: fine_grained, user: mallory, owner: other-org, repositories: [other-org/mine], permissions: { contents: write }, token: github_pat_selected }
  - { kind: fine_grained, user: mona, owner: octo-org, repositories: [octo-org/open], permissions: { contents: write }, token: github_pat_member }
  - { kind: app_user, user: mallory, app: everywhere, token: ghu_everywhere }
  - { kind: app_user, user: mallory, app: selecting, token: ghu_selecting }
  - { kind: app_user, user: mallory, app: nowhere, token: ghu_nowhere0 }
  - { kind: app_user, user: mona, app: selecting, token: ghu_member_selecting }
  - { kind: app_user, user: mona, app: nowhere, token: ghu_member_nowhere }
  - { kind: installation, app: everywhere, account: other-org, token: ghs_elsewhere }
  - { kind: installation, app: selecting, account: octo-org, token: ghs_selecting }
  - { kind: installation, app: everywhere, account: other-org, repositories: [other-org/mine], token: ghs_narrowed }
";

const TOKENS: &[&str] = &[
    "ghp_mallory0",
    "ghp_narrow00",
    "gho_mallory0",
    "github_pat_all",
    "github_pat_selected",
    "github_pat_member",
    "ghu_everywhere",
    "ghu_selecting",
    "ghu_nowhere0",
    "ghu_member_selecting",
    "ghu_member_nowhere",
    "ghs_elsewhere",
    "ghs_selecting",
    "ghs_narrowed",
];

#[test]
fn hidden_repository_runs_as_many_statements_as_missing_one() {
    let victim = Victim::start_with(STATE, METRICS);
    let requests: &[(&str, &str, &str)] = &[
        ("GET", "/repos/octo-org/{}", ""),
        ("GET", "/repos/octo-org/{}/git/ref/heads/main", ""),
        (
            "POST",
            "/repos/octo-org/{}/git/refs",
            r#"{"ref":"refs/heads/x","sha":"0000000000000000000000000000000000000001"}"#,
        ),
        ("GET", "/octo-org/{}.git/info/refs?service=git-upload-pack", ""),
    ];
    let mut wrong = Vec::new();
    for token in TOKENS {
        for (method, path, body) in requests {
            let statements = |name: &str| {
                victim.statements_of(|| {
                    let response = victim.send(token, method, &path.replace("{}", name), body);
                    assert_eq!(response.status(), 404, "{token} {method} {path} {name}: {response:?}");
                })
            };
            let (hidden, absent) = (statements("secret"), statements("absent"));
            if hidden != absent {
                wrong.push(format!("{token} {method} {path}: {hidden} hidden, {absent} absent"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn hidden_project_runs_as_many_statements_as_missing_one() {
    let victim = Victim::start_with(STATE, METRICS);
    let mut wrong = Vec::new();
    for token in [
        "ghp_mallory0",
        "gho_mallory0",
        "github_pat_all",
        "ghu_everywhere",
        "ghu_selecting",
        "ghu_nowhere0",
        "ghs_elsewhere",
    ] {
        let statements = |number: u32| {
            victim.statements_of(|| {
                let response = victim.get(token, &format!("/orgs/octo-org/projectsV2/{number}/fields"));
                assert_eq!(response.status(), 404, "{token} {number}: {response:?}");
            })
        };
        let (hidden, absent) = (statements(1), statements(99));
        if hidden != absent {
            wrong.push(format!("{token}: {hidden} hidden, {absent} absent"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
