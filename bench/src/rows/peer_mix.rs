//! The part of the row `traffic` that the peer has, too: refs and review comments.

use std::path::PathBuf;
use std::rc::Rc;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::traffic::mix::{Condition, Operation, RequestBody};
use super::traffic::workload::Traffic;
use crate::harness::Context;
use crate::http::Client;
use crate::load::{Random, Zipf};
use crate::seed;
use crate::seed::traffic::{changed_line, repo, topic};
use crate::system::ServerProcess;

/// What the row measures, and what it leaves out.
pub const NOTE: &str = "the refs and the comments of a pull request of the row `traffic`, without what the peer lacks: comments of a \
                        repository, fields, installations, conditional requests, kinds of tokens, and git; the service syncs \
                        every write to disk, the peer none";
/// The owner of all repositories, for both servers.
pub const OWNER: &str = "mona";
const LINES: usize = 200;

/// How much of everything there is.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    pub repos: usize,
    refs: usize,
    comments: usize,
    operations: usize,
}

const FULL: Sizes = Sizes { repos: 20, refs: 50, comments: 50, operations: 20_000 };
const QUICK: Sizes = Sizes { repos: 2, refs: 4, comments: 4, operations: 200 };

impl Sizes {
    pub fn of(context: &Context) -> Self {
        context.size(QUICK, FULL)
    }
}

/// Shares of all requests: those of the row `traffic`.
const SHARES: [(Choose, u32); 7] = [
    (|mixer| mixer.get_ref(), 22),
    (|mixer| mixer.get_comment(), 18),
    (|mixer| mixer.list_comments(), 16),
    (|mixer| mixer.matching_refs(), 4),
    (|mixer| mixer.write_comment(), 9),
    (|mixer| mixer.create_ref(), 3),
    (|mixer| mixer.move_ref(), 3),
];

type Choose = fn(&mut Mixer<'_>) -> (&'static str, String, RequestBody);

/// A repository with what a server has assigned.
struct Repo {
    path: String,
    /// The heads of `main` and of the pull request.
    commits: [String; 2],
    comments: Vec<i64>,
}

/// A data directory of the service with empty repositories, which [`create`] fills as those of the peer.
pub fn data(context: &Context, sizes: Sizes, tokens: &[String]) -> Result<PathBuf> {
    let directory = context.scratch("peer-mix")?;
    let mut state = format!("users: [{{ login: {OWNER}, email: {OWNER}@example.com }}]\nrepos:\n");
    for index in 0..sizes.repos {
        let commit = format!("branch: main, author: {OWNER}, message: first, files: {{ README.md: text }}");
        state += &format!("  - {{ name: {OWNER}/{}, default_branch: main, commits: [{{ {commit} }}] }}\n", repo(index));
    }
    state += "tokens:\n";
    for token in tokens {
        state += &format!("  - {{ kind: classic, user: {OWNER}, scopes: [repo, user], token: {token} }}\n");
    }
    seed::state::apply(context, &directory, &state)?;
    Ok(directory.join("data"))
}

/// Creates the same branches, pull requests and comments on any server, and returns the workload with its ids.
pub fn create(server: &ServerProcess, sizes: Sizes, tokens: &[String]) -> Result<Traffic> {
    let mut client = Client::connect(server.address)?;
    let repos = (0..sizes.repos).map(|index| create_repo(&mut client, sizes, index)).collect::<Result<Vec<_>>>()?;
    Ok(Traffic::new(Rc::new(operations(&repos, sizes, tokens))))
}

fn create_repo(client: &mut Client, sizes: Sizes, index: usize) -> Result<Repo> {
    let path = format!("/repos/{OWNER}/{}", repo(index));
    let mut send = |method: &str, rest: &str, body: Value, status| {
        client.send(method, &format!("{path}/{rest}"), &body)?.expect(status)?.json()
    };
    let sha_of = |found: &Value| found["object"]["sha"].as_str().map(str::to_owned).context("a ref has a commit");
    let main = sha_of(&send("GET", "git/ref/heads/main", json!({}), 200)?)?;
    send("POST", "git/refs", json!({ "ref": "refs/heads/feature", "sha": main }), 201)?;
    // Two bytes for each line, in base64.
    let content = "YQphCmEK".repeat(LINES / 3 + 1);
    send("PUT", "contents/src/a.txt", json!({ "message": "lines", "content": content, "branch": "feature" }), 201)?;
    send("POST", "pulls", json!({ "title": "New lines", "head": "feature", "base": "main" }), 201)?;
    let feature = sha_of(&send("GET", "git/ref/heads/feature", json!({}), 200)?)?;
    for index in 0..sizes.refs {
        send("POST", "git/refs", json!({ "ref": format!("refs/{}", topic(index)), "sha": main }), 201)?;
    }
    let mut comments = Vec::new();
    for index in 0..sizes.comments {
        // The service rejects the same text again and again.
        let text =
            format!("{path} {index}: should this not be *shorter*? See `numbered` and the paragraph about names.");
        let body = json!({ "body": text, "commit_id": feature, "path": "src/a.txt", "line": changed_line(index), "side": "RIGHT" });
        let created = send("POST", "pulls/1/comments", body, 201)?;
        comments.push(created["id"].as_i64().context("a comment has an id")?);
    }
    Ok(Repo { path, commits: [main, feature], comments })
}

/// The same choices for every server.
fn operations(repos: &[Repo], sizes: Sizes, tokens: &[String]) -> Vec<Operation> {
    let popularity =
        Popularity { repos: Zipf::new(sizes.repos), refs: Zipf::new(sizes.refs), comments: Zipf::new(sizes.comments) };
    let mut mixer = Mixer { repos, popularity, random: Random::new(19) };
    let mut next = || {
        let (choose, _) = SHARES[mixer.random.pick(&SHARES.map(|(_, share)| share))];
        let (method, path, body) = choose(&mut mixer);
        let token = tokens[mixer.random.below(tokens.len())].clone();
        Operation { method, path, token, body, condition: Condition::None, resource: 0, kind: "" }
    };
    (0..sizes.operations).map(|_| next()).collect()
}

struct Popularity {
    repos: Zipf,
    refs: Zipf,
    comments: Zipf,
}

struct Mixer<'a> {
    repos: &'a [Repo],
    popularity: Popularity,
    random: Random,
}

impl<'a> Mixer<'a> {
    fn repo(&mut self) -> &'a Repo {
        &self.repos[self.popularity.repos.pick(&mut self.random)]
    }

    fn topic(&mut self) -> String {
        topic(self.popularity.refs.pick(&mut self.random))
    }

    fn get_ref(&mut self) -> (&'static str, String, RequestBody) {
        let path = format!("{}/git/ref/{}", self.repo().path, self.topic());
        ("GET", path, RequestBody::None)
    }

    fn matching_refs(&mut self) -> (&'static str, String, RequestBody) {
        let (repo, prefix) = (self.repo(), self.topic());
        ("GET", format!("{}/git/matching-refs/{}", repo.path, &prefix[..prefix.len() - 1]), RequestBody::None)
    }

    fn comment_path(&mut self) -> String {
        let repo = self.repo();
        let id = repo.comments[self.popularity.comments.pick(&mut self.random)];
        format!("{}/pulls/comments/{id}", repo.path)
    }

    fn get_comment(&mut self) -> (&'static str, String, RequestBody) {
        ("GET", self.comment_path(), RequestBody::None)
    }

    fn list_comments(&mut self) -> (&'static str, String, RequestBody) {
        ("GET", format!("{}/pulls/1/comments?per_page=30", self.repo().path), RequestBody::None)
    }

    fn write_comment(&mut self) -> (&'static str, String, RequestBody) {
        if self.random.pick(&[5, 4]) == 1 {
            return ("PATCH", self.comment_path(), RequestBody::EditedComment);
        }
        let (repo, line) = (self.repo(), changed_line(self.random.below(100)));
        let body = RequestBody::NewComment { commit: repo.commits[1].clone(), line };
        ("POST", format!("{}/pulls/1/comments", repo.path), body)
    }

    fn commit(&mut self, repo: &Repo) -> String {
        repo.commits[self.random.below(2)].clone()
    }

    fn create_ref(&mut self) -> (&'static str, String, RequestBody) {
        let repo = self.repo();
        ("POST", format!("{}/git/refs", repo.path), RequestBody::NewRef { sha: self.commit(repo) })
    }

    fn move_ref(&mut self) -> (&'static str, String, RequestBody) {
        let (repo, name) = (self.repo(), self.topic());
        ("PATCH", format!("{}/git/refs/{name}", repo.path), RequestBody::MovedRef { sha: self.commit(repo) })
    }
}
