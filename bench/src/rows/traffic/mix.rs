//! Which requests the row `traffic` sends. They are chosen from a seed, so that every run sends the same ones.

use std::collections::HashMap;

use crate::load::{Random, Zipf};
use crate::seed::traffic::{Sizes, TokenKind, TrafficSeed, changed_line, org, repo, token, token_kind, topic};

/// A read that is repeated with the tag that its client holds is one of the last so many reads.
const RECENT: usize = 1000;
const LIST_PAGES: [(&str, u32); 4] =
    [("per_page=30", 8), ("per_page=30&page=2", 4), ("per_page=10&page=3", 3), ("per_page=100", 1)];

/// One request.
#[derive(Debug, Clone)]
pub struct Operation {
    pub method: &'static str,
    pub path: String,
    pub token: String,
    pub body: RequestBody,
    pub condition: Condition,
    /// The same for the same path and token.
    pub resource: usize,
    /// What kind of request it is, for readers of the report.
    pub kind: &'static str,
}

/// Bodies differ each time, as those of real clients.
#[derive(Debug, Clone)]
pub enum RequestBody {
    None,
    NewRef { sha: String },
    MovedRef { sha: String },
    NewComment { commit: String, line: usize },
    EditedComment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    None,
    /// With the tag of the last response that the client got.
    Held,
    /// With a tag that is not current.
    Stale,
}

/// Shares of all requests, in percent. Pushes and clones are the other five.
const SHARES: [(&str, Choose, u32); 12] = [
    ("GET one ref", |mixer| mixer.get_ref(), 22),
    ("GET one comment", |mixer| mixer.get_comment(), 18),
    ("list comments of a pull request", |mixer| mixer.list_comments(), 16),
    ("list comments of a repository", |mixer| mixer.list_repo_comments(), 4),
    ("GET one field", |mixer| mixer.get_field(), 8),
    ("list fields", |mixer| mixer.list_fields(), 4),
    ("list repositories of an installation", |mixer| mixer.installation_repositories(), 2),
    ("list installations of a user", |mixer| mixer.user_installations(), 2),
    ("list matching refs", |mixer| mixer.matching_refs(), 4),
    ("create or edit a comment", |mixer| mixer.write_comment(), 9),
    ("create a ref", |mixer| mixer.create_ref(), 3),
    ("move a ref", |mixer| mixer.move_ref(), 3),
];
/// Of the reads: without a condition, with the tag that the client holds, with another one.
const CONDITIONS: [u32; 3] = [80, 12, 8];

type Choose = fn(&mut Mixer<'_>) -> Chosen;

/// Method, path, token and body.
type Chosen = (&'static str, String, String, RequestBody);

/// Ids that the service has assigned.
pub struct Ids {
    /// The first comment of each repository, in the order of [`Sizes::repos`]; the others follow it.
    pub first_comments: Vec<i64>,
    /// The fields of each organization's project.
    pub fields: Vec<Vec<i64>>,
}

pub fn operations(seed: &TrafficSeed, ids: &Ids, count: usize) -> Vec<Operation> {
    let sizes = seed.sizes;
    let mut mixer = Mixer {
        seed,
        ids,
        random: Random::new(19),
        repos: Zipf::new(sizes.orgs * sizes.repos_per_org),
        topics: Zipf::new(sizes.refs_per_repo - 2),
        comments: Zipf::new(sizes.comments_per_repo),
        tokens: Zipf::new(sizes.tokens_per_org),
    };
    let mut resources = HashMap::new();
    let mut operations: Vec<Operation> = Vec::with_capacity(count);
    let mut reads: Vec<usize> = Vec::new();
    while operations.len() < count {
        let shares = SHARES.map(|(_, _, share)| share);
        let (kind, choose, _) = SHARES[mixer.random.pick(&shares)];
        let (method, path, token, body) = choose(&mut mixer);
        let condition = match (method, mixer.random.pick(&CONDITIONS)) {
            ("GET", 1) => Condition::Held,
            ("GET", 2) => Condition::Stale,
            _ => Condition::None,
        };
        let operation = match reads.len().checked_sub(1) {
            Some(last) if condition == Condition::Held => {
                let back = mixer.random.below(RECENT.min(reads.len()));
                Operation { condition, ..operations[reads[last - back]].clone() }
            }
            _ => {
                let next = resources.len();
                let resource = *resources.entry((path.clone(), token.clone())).or_insert(next);
                Operation { method, path, token, body, condition, resource, kind }
            }
        };
        if method == "GET" {
            reads.push(operations.len());
        }
        operations.push(operation);
    }
    operations
}

/// The kinds of requests.
pub fn kinds() -> [&'static str; SHARES.len()] {
    SHARES.map(|(kind, _, _)| kind)
}

struct Mixer<'a> {
    seed: &'a TrafficSeed,
    ids: &'a Ids,
    random: Random,
    repos: Zipf,
    topics: Zipf,
    comments: Zipf,
    tokens: Zipf,
}

impl Mixer<'_> {
    /// The index of a repository among all, and that of its organization. Neighbours in popularity are in different
    /// organizations.
    fn repo(&mut self) -> (usize, usize) {
        let Sizes { orgs, repos_per_org, .. } = self.seed.sizes;
        let rank = self.repos.pick(&mut self.random);
        let org = rank % orgs;
        (org * repos_per_org + rank / orgs, org)
    }

    fn path_of(&self, (index, org): (usize, usize)) -> String {
        format!("/repos/{}/{}", self::org(org), repo(index % self.seed.sizes.repos_per_org))
    }

    fn any_token(&mut self, org: usize) -> String {
        token(org, self.tokens.pick(&mut self.random))
    }

    fn token_of(&mut self, org: usize, kinds: &[TokenKind]) -> String {
        loop {
            let index = self.tokens.pick(&mut self.random);
            if kinds.contains(&token_kind(index)) {
                return token(org, index);
            }
        }
    }

    fn read(&mut self, org: usize, path: String) -> Chosen {
        ("GET", path, self.any_token(org), RequestBody::None)
    }

    fn get_ref(&mut self) -> Chosen {
        let repo = self.repo();
        let name = topic(self.topics.pick(&mut self.random));
        self.read(repo.1, format!("{}/git/ref/{name}", self.path_of(repo)))
    }

    fn matching_refs(&mut self) -> Chosen {
        let repo = self.repo();
        let prefix = topic(self.topics.pick(&mut self.random));
        self.read(repo.1, format!("{}/git/matching-refs/{}", self.path_of(repo), &prefix[..prefix.len() - 1]))
    }

    fn comment_path(&mut self, repo: (usize, usize)) -> String {
        let offset = self.comments.pick(&mut self.random);
        let id = self.ids.first_comments[repo.0] + i64::try_from(offset).unwrap_or_default();
        format!("{}/pulls/comments/{id}", self.path_of(repo))
    }

    fn get_comment(&mut self) -> Chosen {
        let repo = self.repo();
        let path = self.comment_path(repo);
        self.read(repo.1, path)
    }

    fn page(&mut self) -> &'static str {
        LIST_PAGES[self.random.pick(&LIST_PAGES.map(|(_, share)| share))].0
    }

    fn list_comments(&mut self) -> Chosen {
        let (repo, page) = (self.repo(), self.page());
        self.read(repo.1, format!("{}/pulls/1/comments?{page}", self.path_of(repo)))
    }

    fn list_repo_comments(&mut self) -> Chosen {
        let (repo, page) = (self.repo(), self.page());
        self.read(repo.1, format!("{}/pulls/comments?{page}&sort=updated&direction=desc", self.path_of(repo)))
    }

    fn field(&mut self, org: usize, path: String) -> Chosen {
        let token = self.token_of(org, &[TokenKind::Classic, TokenKind::OAuth, TokenKind::FineGrained]);
        ("GET", path, token, RequestBody::None)
    }

    fn get_field(&mut self) -> Chosen {
        let (_, org) = self.repo();
        let fields = &self.ids.fields[org];
        let id = fields[self.random.below(fields.len())];
        self.field(org, format!("/orgs/{}/projectsV2/1/fields/{id}", self::org(org)))
    }

    fn list_fields(&mut self) -> Chosen {
        let (_, org) = self.repo();
        self.field(org, format!("/orgs/{}/projectsV2/1/fields", self::org(org)))
    }

    fn installation_repositories(&mut self) -> Chosen {
        let (_, org) = self.repo();
        let token = self.token_of(org, &[TokenKind::Installation]);
        ("GET", "/installation/repositories".into(), token, RequestBody::None)
    }

    fn user_installations(&mut self) -> Chosen {
        let (_, org) = self.repo();
        let token = self.token_of(org, &[TokenKind::AppUser]);
        ("GET", "/user/installations".into(), token, RequestBody::None)
    }

    /// New ones and edited ones.
    fn write_comment(&mut self) -> Chosen {
        let repo = self.repo();
        let users = [TokenKind::Classic, TokenKind::OAuth, TokenKind::FineGrained, TokenKind::AppUser];
        let token = self.token_of(repo.1, &users);
        match self.random.pick(&[5, 4]) {
            0 => {
                let line = changed_line(self.random.below(100));
                let body = RequestBody::NewComment { commit: self.seed.feature.clone(), line };
                ("POST", format!("{}/pulls/1/comments", self.path_of(repo)), token, body)
            }
            _ => ("PATCH", self.comment_path(repo), token, RequestBody::EditedComment),
        }
    }

    fn commit(&mut self) -> String {
        let commits = &self.seed.main_commits;
        commits[self.random.below(commits.len())].clone()
    }

    fn create_ref(&mut self) -> Chosen {
        let repo = self.repo();
        let body = RequestBody::NewRef { sha: self.commit() };
        ("POST", format!("{}/git/refs", self.path_of(repo)), self.any_token(repo.1), body)
    }

    fn move_ref(&mut self) -> Chosen {
        let repo = self.repo();
        let name = topic(self.topics.pick(&mut self.random));
        let body = RequestBody::MovedRef { sha: self.commit() };
        ("PATCH", format!("{}/git/refs/{name}", self.path_of(repo)), self.any_token(repo.1), body)
    }
}
