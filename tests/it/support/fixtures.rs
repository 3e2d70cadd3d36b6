//! Accounts, repositories, apps and tokens that many tests share, as parts of a state file.
//!
//! A test begins with one of the functions below and adds what it needs. Numbers are given in the order of addition, as
//! in a state file that was written by hand.

use std::collections::BTreeMap;
use std::fmt;

/// Fields of a repository with two branches: `next` changes the only line of the file `a` of `main`. `more` are further
/// commits, each with a comma before it.
pub fn two_branches(more: &str) -> String {
    format!(
        "default_branch: main, commits: [\
         {{ branch: main, author: mona, message: one, files: {{ a: one }} }}, \
         {{ branch: next, from: main, author: mona, message: two, files: {{ a: two }} }}{more}]"
    )
}

/// Mona, with the classic token `ghp_monamona` of the scope `repo`.
pub fn mona() -> StateFile {
    StateFile::default().users(&["mona"]).classic("mona", "repo", "ghp_monamona")
}

/// [`mona`] with the empty repository `mona/rocket`.
pub fn rocket() -> StateFile {
    mona().repo("mona/rocket", "")
}

/// Users, of whom mona owns the organization `octo-org`.
pub fn octo_org(users: &[&str]) -> StateFile {
    StateFile::default().users(users).org("octo-org", "{ user: mona, role: admin }")
}

/// Mona owns `octo-org` and `other-org`, hubot is a member of the first, and stranger of neither.
pub fn two_orgs() -> StateFile {
    StateFile::default()
        .users(&["mona", "hubot", "stranger"])
        .org("octo-org", "{ user: mona, role: admin }, { user: hubot, role: member }")
        .org("other-org", "{ user: mona, role: admin }")
}

/// [`two_orgs`] with apps of octo-org: `writer` and `reader` have this permission, `blind` has others, and `elsewhere` is
/// installed on the other organization. Each app has a token of mona's and one of its installation.
pub fn apps_with_permission(permission: &str, others: &str) -> StateFile {
    let write = format!("{permission}: write");
    two_orgs()
        .installed_app("writer", &write, "octo-org")
        .installed_app("reader", &format!("{permission}: read"), "octo-org")
        .installed_app("blind", others, "octo-org")
        .installed_app("elsewhere", &write, "other-org")
        .app_user("mona", "writer", "ghu_mona_writer")
        .app_user("mona", "reader", "ghu_mona_reader")
        .app_user("mona", "blind", "ghu_mona_blind")
        .app_user("mona", "elsewhere", "ghu_mona_elsewhere")
        .app_user("stranger", "writer", "ghu_stranger")
        .installation_token("writer", "octo-org", "ghs_writer00")
        .installation_token("reader", "octo-org", "ghs_reader00")
        .installation_token("blind", "octo-org", "ghs_blind000")
        .installation_token("elsewhere", "other-org", "ghs_elsewhere")
}

/// A state file; its text is what `Display` writes.
#[derive(Default, Clone)]
pub struct StateFile {
    sections: BTreeMap<&'static str, Vec<String>>,
}

impl StateFile {
    /// Adds an entry to a section. The fields are those of docs/state-file.md, separated by commas.
    pub fn entry(mut self, section: &'static str, fields: &str) -> Self {
        self.sections.entry(section).or_default().push(fields.trim_end_matches([',', ' ']).to_owned());
        self
    }

    pub fn users(self, logins: &[&str]) -> Self {
        logins.iter().fold(self, |state, login| state.entry("users", &format!("login: {login}")))
    }

    pub fn org(self, login: &str, members: &str) -> Self {
        self.entry("orgs", &format!("login: {login}, members: [{members}]"))
    }

    pub fn repo(self, name: &str, fields: &str) -> Self {
        self.entry("repos", &format!("name: {name}, {fields}"))
    }

    pub fn pull(self, repo: &str, author: &str, fields: &str) -> Self {
        self.entry("pulls", &format!("repo: {repo}, author: {author}, {fields}"))
    }

    pub fn issue_field(self, name: &str, data_type: &str, fields: &str) -> Self {
        self.entry("issue_fields", &format!("org: octo-org, name: {name}, data_type: {data_type}, {fields}"))
    }

    pub fn project(self, owner: &str, title: &str, fields: &str) -> Self {
        self.entry("projects", &format!("owner: {owner}, title: {title}, {fields}"))
    }

    pub fn app(self, slug: &str, owner: &str, permissions: &str, fields: &str) -> Self {
        self.entry("apps", &format!("slug: {slug}, owner: {owner}, permissions: {{ {permissions} }}, {fields}"))
    }

    /// The app `helper` of octo-org, whose key a test writes with `Service::write_app_key("helper.pem")`.
    pub fn helper(self, permissions: &str) -> Self {
        self.app("helper", "octo-org", permissions, "client_id: Iv23helper, private_key_file: helper.pem")
    }

    /// `repositories` is `all` or a list.
    pub fn installation(self, app: &str, account: &str, repositories: &str) -> Self {
        self.entry("installations", &format!("app: {app}, account: {account}, repositories: {repositories}"))
    }

    /// An app of octo-org that is installed on all repositories of an account.
    pub fn installed_app(self, slug: &str, permissions: &str, account: &str) -> Self {
        self.app(slug, "octo-org", permissions, "").installation(slug, account, "all")
    }

    pub fn classic(self, user: &str, scopes: &str, token: &str) -> Self {
        self.entry("tokens", &format!("kind: classic, user: {user}, scopes: [{scopes}], token: {token}"))
    }

    pub fn oauth(self, user: &str, scopes: &str, token: &str) -> Self {
        self.entry("tokens", &format!("kind: oauth, user: {user}, scopes: [{scopes}], token: {token}"))
    }

    pub fn fine_grained(self, user: &str, owner: &str, permissions: &str, token: &str) -> Self {
        let fields = format!("user: {user}, owner: {owner}, permissions: {{ {permissions} }}, token: {token}");
        self.entry("tokens", &format!("kind: fine_grained, {fields}"))
    }

    pub fn app_user(self, user: &str, app: &str, token: &str) -> Self {
        self.entry("tokens", &format!("kind: app_user, user: {user}, app: {app}, token: {token}"))
    }

    pub fn installation_token(self, app: &str, account: &str, token: &str) -> Self {
        self.entry("tokens", &format!("kind: installation, app: {app}, account: {account}, token: {token}"))
    }
}

impl fmt::Display for StateFile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (section, entries) in &self.sections {
            writeln!(out, "{section}:")?;
            for entry in entries {
                writeln!(out, "  - {{ {entry} }}")?;
            }
        }
        Ok(())
    }
}
