//! The state file.

use plinth::state_file;

use crate::Target;
use crate::input::texts;

/// Either it is read, or the error is one line that can be shown.
pub const STATE_FILE: Target = Target {
    name: "state-file",
    seeds: || {
        texts(&[
            "users:\n  - { login: mona, name: Mona Lisa, email: mona@example.com, site_admin: true }\n",
            "orgs:\n  - login: octo-org\n    members: [{ user: mona, role: admin }]\n",
            "repos:\n  - name: octo-org/hello\n    private: false\n    commits:\n      - { branch: main, author: mona, message: first, files: { a: \"1\\n\" } }\n    tags: [{ name: v1, target: main, message: First }]\n",
            "issue_fields:\n  - { org: o, name: P, data_type: single_select, visibility: all, options: [{ name: High, color: red, priority: 1 }] }\n",
            "projects:\n  - { owner: o, title: R, public: true, fields: [{ name: N, data_type: text }, { issue_field: P }] }\n",
            "pulls:\n  - { repo: o/h, title: T, author: h, head: f, base: main, comments: [{ author: m, path: a, line: 2, body: Why?, replies: [{ author: h, body: x }] }] }\n",
            "apps:\n  - { slug: h, owner: o, permissions: { contents: write }, events: [push], private_key_file: h.pem }\n",
            "installations: [{ app: h, account: o, repositories: [o/h] }, { app: h, account: o, repositories: all }]\n",
            "tokens:\n  - &a { kind: classic, user: mona, scopes: [repo], token: ghp_x, expires_at: 2026-01-01T00:00:00Z }\n  - *a\n",
            "%YAML 1.2\n--- !!map\n? users\n: [ <<: *x ]\n...\n",
        ])
    },
    check: |data| {
        let Ok(text) = std::str::from_utf8(data) else { return };
        if let Err(error) = state_file::check_syntax(text) {
            assert!(!error.to_string().is_empty());
        }
    },
};
