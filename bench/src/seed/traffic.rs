//! The data of the row `traffic`: organizations with members, repositories, refs, review comments, a project each, an app with
//! its installations, and tokens of all kinds.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::cache::get_or_create;
use super::fast_import::FastImport;
use super::state;
use crate::harness::Context;
use crate::system::{git, output_of};

/// Tokens are used long after the seed was created.
const EXPIRES_AT: &str = "2099-01-01T00:00:00Z";
const MEMBERS_PER_ORG: usize = 5;
const MAIN_COMMITS: usize = 20;
const LINES: usize = 200;
/// Every tenth line is changed, so that a comment has a hunk of a few lines, as most do.
const STRIDE: usize = 10;
/// Comments of a state file, whose size is limited.
const COMMENTS_PER_FILE: usize = 2000;
const PERMISSIONS: &str = "contents: write, pull_requests: write, organization_projects: read, workflows: write";

/// How much of everything there is.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    pub orgs: usize,
    pub repos_per_org: usize,
    pub refs_per_repo: usize,
    pub comments_per_repo: usize,
    pub tokens_per_org: usize,
}

const FULL: Sizes =
    Sizes { orgs: 20, repos_per_org: 10, refs_per_repo: 100, comments_per_repo: 100, tokens_per_org: 100 };
const QUICK: Sizes = Sizes { orgs: 2, repos_per_org: 2, refs_per_repo: 10, comments_per_repo: 12, tokens_per_org: 10 };

/// The kinds of tokens, in equal parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    Classic,
    FineGrained,
    OAuth,
    AppUser,
    Installation,
}

const KINDS: [TokenKind; 5] =
    [TokenKind::Classic, TokenKind::FineGrained, TokenKind::OAuth, TokenKind::AppUser, TokenKind::Installation];

pub struct TrafficSeed {
    pub directory: PathBuf,
    pub sizes: Sizes,
    /// The commits of `main` in every repository, oldest first.
    pub main_commits: Vec<String>,
    /// The head of every pull request.
    pub feature: String,
}

impl TrafficSeed {
    pub fn get(context: &Context) -> Result<Self> {
        let sizes = context.size(QUICK, FULL);
        let name = context.size("traffic-quick", "traffic");
        let directory = get_or_create(context, name, |directory| {
            write_source(&directory.join("source.git"), sizes)?;
            state::apply(context, directory, &accounts(sizes))?;
            let per_file = (COMMENTS_PER_FILE / sizes.comments_per_repo).max(1);
            let repos: Vec<(usize, usize)> = sizes.repos().collect();
            for repos in repos.chunks(per_file) {
                state::apply(context, directory, &repositories(sizes, repos))?;
            }
            state::apply(context, directory, &apps_and_tokens(sizes))
        })?;
        let source = directory.join("source.git");
        let listed = output_of(&mut git(&source, &["rev-list", "--reverse", "--first-parent", "main"]))?;
        let feature = output_of(&mut git(&source, &["rev-parse", "feature"]))?.trim().to_owned();
        Ok(Self { directory, sizes, main_commits: listed.lines().map(String::from).collect(), feature })
    }
}

impl Sizes {
    /// Every repository, as the index of its organization and its own.
    pub fn repos(self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.orgs).flat_map(move |org| (0..self.repos_per_org).map(move |repo| (org, repo)))
    }
}

pub fn org(index: usize) -> String {
    format!("org-{index:02}")
}

pub fn repo(index: usize) -> String {
    format!("repo-{index:02}")
}

/// A ref that requests read and move.
pub fn topic(index: usize) -> String {
    format!("heads/topic-{index:03}")
}

pub fn token_kind(index: usize) -> TokenKind {
    KINDS[index % KINDS.len()]
}

/// The token of an organization with this index.
pub fn token(org: usize, index: usize) -> String {
    let prefix = match token_kind(index) {
        TokenKind::Classic => "ghp",
        TokenKind::FineGrained => "github_pat",
        TokenKind::OAuth => "gho",
        TokenKind::AppUser => "ghu",
        TokenKind::Installation => "ghs",
    };
    format!("{prefix}_traffic{org:02}x{index:03}")
}

/// A line that every pull request changes; cycles through all of them.
pub fn changed_line(number: usize) -> usize {
    number % (LINES / STRIDE) * STRIDE + STRIDE / 2
}

fn member(org: usize, index: usize) -> String {
    format!("user-{org:02}-{}", index % MEMBERS_PER_ORG)
}

fn write_source(directory: &Path, sizes: Sizes) -> Result<()> {
    let lines = |word: &dyn Fn(usize) -> &'static str| {
        (1..=LINES).fold(String::new(), |text, line| text + &format!("{} line {line}\n", word(line))).into_bytes()
    };
    let mut import = FastImport::begin(directory)?;
    let mut last = import.commit("main", &[], &[("src/a.txt".into(), lines(&|_| "old"))])?;
    for _ in 1..MAIN_COMMITS {
        last = import.commit("main", &[last], &[])?;
    }
    let changed = lines(&|line| if line % STRIDE == STRIDE / 2 { "new" } else { "old" });
    import.commit("feature", &[last], &[("src/a.txt".into(), changed)])?;
    // `main` and `feature` are refs, too.
    for index in 0..sizes.refs_per_repo - 2 {
        import.create_ref(&format!("refs/{}", topic(index)), last)?;
    }
    import.finish()
}

fn accounts(sizes: Sizes) -> String {
    let mut text = "users:\n".to_owned();
    for (org, index) in (0..sizes.orgs).flat_map(|org| (0..MEMBERS_PER_ORG).map(move |index| (org, index))) {
        let login = member(org, index);
        let _ = writeln!(text, "  - {{ login: {login}, name: User {index}, email: {login}@example.com }}");
    }
    text.push_str("orgs:\n");
    for org in 0..sizes.orgs {
        let members: Vec<String> =
            (0..MEMBERS_PER_ORG).map(|index| format!("{{ user: {}, role: admin }}", member(org, index))).collect();
        let _ = writeln!(text, "  - {{ login: {}, members: [{}] }}", self::org(org), members.join(", "));
    }
    text.push_str("projects:\n");
    for org in 0..sizes.orgs {
        let fields = "fields: [{ name: Notes, data_type: text }, { name: Points, data_type: number }]";
        let _ = writeln!(text, "  - {{ owner: {}, title: Roadmap, public: true, {fields} }}", self::org(org));
    }
    text
}

fn repositories(sizes: Sizes, repos: &[(usize, usize)]) -> String {
    let mut text = "repos:\n".to_owned();
    for (org, repo) in repos {
        let name = format!("{}/{}", self::org(*org), self::repo(*repo));
        let _ = writeln!(text, "  - {{ name: {name}, default_branch: main, import: source.git }}");
    }
    text.push_str("pulls:\n");
    for (org, repo) in repos {
        let name = format!("{}/{}", self::org(*org), self::repo(*repo));
        let author = member(*org, 0);
        let _ = writeln!(
            text,
            "  - repo: {name}\n    title: New lines\n    author: {author}\n    head: feature\n    base: main\n    comments:"
        );
        for index in 0..sizes.comments_per_repo {
            let (author, line) = (member(*org, index), changed_line(index));
            let _ = writeln!(
                text,
                "      - {{ author: {author}, path: src/a.txt, line: {line}, body: \"Line {index}: should this not be \
                 *shorter*? See `numbered` and the paragraph about names in the guide.\" }}"
            );
        }
    }
    text
}

fn apps_and_tokens(sizes: Sizes) -> String {
    let mut text = format!(
        "apps:\n  - {{ slug: helper, owner: {}, permissions: {{ {PERMISSIONS} }}, events: [], private_key_file: helper.pem }}\n\
         installations:\n",
        org(0)
    );
    for org in 0..sizes.orgs {
        let _ = writeln!(text, "  - {{ app: helper, account: {}, repositories: all }}", self::org(org));
    }
    text.push_str("tokens:\n  - { kind: classic, user: user-00-0, scopes: [repo, project], token: ghp_bench }\n");
    for (org, index) in (0..sizes.orgs).flat_map(|org| (0..sizes.tokens_per_org).map(move |index| (org, index))) {
        let (user, name) = (member(org, index / KINDS.len()), self::org(org));
        let scopes = "scopes: [repo, project, workflow]";
        let grant = match token_kind(index) {
            TokenKind::Classic => format!("kind: classic, user: {user}, {scopes}"),
            TokenKind::OAuth => format!("kind: oauth, user: {user}, {scopes}"),
            TokenKind::FineGrained => {
                format!("kind: fine_grained, user: {user}, owner: {name}, permissions: {{ {PERMISSIONS} }}")
            }
            TokenKind::AppUser => format!("kind: app_user, app: helper, user: {user}"),
            TokenKind::Installation => format!("kind: installation, app: helper, account: {name}"),
        };
        let token = token(org, index);
        let _ = writeln!(text, "  - {{ {grant}, token: {token}, expires_at: \"{EXPIRES_AT}\" }}");
    }
    text
}
